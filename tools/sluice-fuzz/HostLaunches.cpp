// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostLaunches.h"
#include "sluice/Target/MergedBlocks.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;
using emulator::ModuleDescription;

/// As the host would launch it if the grid were larger.
static void mergeBlocks(emulator::ModuleLaunch &Launch,
                        const MergedForm &Form) {
  emulator::Dim3 &Grid = Launch.Shape.Grid, &Block = Launch.Shape.Block;
  // Of so many blocks in a row the host would merge as many at a time.
  const MergedLaunch Merged =
      mergedLaunch({1U << 24, 1, 1, Block.X, Block.Y, Block.Z,
                    Launch.Shape.DynamicSharedBytes},
                   {Form.Parameters, Form.MostThreads ? MergedThreads / 2 : 0,
                    Form.Together, Form.HasDynamicShared, Form.Bound});
  if (Merged.Row == 0)
    return;
  const unsigned Blocks = Merged.Layers * Form.Together;
  Launch.Kernel = mergedName(Launch.Kernel, Form);
  Launch.Arguments.push_back(emulator::ModuleArgument::value(Grid.X));
  Grid.X = (Grid.X + Blocks - 1) / Blocks;
  Block.Z = Merged.Layers;
  Launch.Shape.DynamicSharedBytes = Merged.SharedBytes;
}

ModuleDescription fuzz::asHostLaunches(ModuleDescription Description,
                                       const HostRequests &Requests) {
  for (emulator::ModuleLaunch &Launch : Description.Launches) {
    auto Request = Requests.find(Launch.Kernel);
    if (Request == Requests.end())
      continue;
    uint64_t &Bytes = Launch.Shape.DynamicSharedBytes;
    if (Bytes <= Request->second.MostDynamicBytes)
      Bytes += Request->second.ClaimedSharedBytes;
    Launch.Shape.CarveoutPercent = Request->second.CarveoutPercent;
    if (const auto Form = Request->second.Merged)
      mergeBlocks(Launch, *Form);
  }
  return Description;
}

ModuleDescription fuzz::onOneSM(ModuleDescription Description) {
  for (emulator::ModuleLaunch &Launch : Description.Launches)
    Launch.Shape.SMs = 1;
  return Description;
}
