// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostLaunches.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Target/ShortRows.h"
#include "llvm/ADT/STLExtras.h"

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

static bool areShort(const emulator::ModuleLaunch &Launch,
                     const ShortRowsForm &Form) {
  return Launch.Arguments.size() == Form.Parameters &&
         all_of(Form.Lengths,
                [&](const RowLength &L) {
                  return Launch.Arguments[L.Parameter].Value.size() == L.Bytes;
                }) &&
         hasShortRows(Form, Launch.Shape.DynamicSharedBytes,
                      [&](unsigned Number) {
                        return Launch.Arguments[Number].Value.data();
                      });
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
    else if (const auto &Short = Request->second.Short;
             Short && areShort(Launch, *Short))
      Launch.Kernel = shortRowsName(Launch.Kernel, *Short);
  }
  return Description;
}

ModuleDescription fuzz::onOneSM(ModuleDescription Description) {
  for (emulator::ModuleLaunch &Launch : Description.Launches)
    Launch.Shape.SMs = 1;
  return Description;
}
