// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/CodeMix.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <vector>

using namespace llvm;
using namespace sluice;

namespace {

/// One warp that issues in order, with loads that take no time: they are what
/// the MS is for.
class LoneWarp {
public:
  explicit LoneWarp(ArrayRef<WarpInstruction> Program)
      : Program(Program), Done(Program.size()), IsUnderWay(Program.size()) {}

  void run() {
    for (size_t I = 0; I < Program.size(); ++I)
      issue(I);
    if (HasLoads)
      ++Waits; // for the last ones, as their values are stored
  }
  double Cycles = 0, Waits = 0;

private:
  void issue(size_t I) {
    double At = Cycles;
    for (unsigned N : Program[I].Needs) {
      At = std::max(At, Done[N]);
      if (IsUnderWay[N])
        wait();
    }
    Cycles = At + 1;
    Done[I] = At + (Program[I].IsGlobal ? 1 : Program[I].ResultCycles);
    if (Program[I].IsGlobal) {
      IsUnderWay[I] = HasLoads = true;
      UnderWay.push_back(I);
    }
  }
  void wait() {
    ++Waits;
    for (size_t Load : UnderWay)
      IsUnderWay[Load] = false;
    UnderWay.clear();
    HasLoads = false;
  }

  ArrayRef<WarpInstruction> Program;
  std::vector<double> Done;
  std::vector<bool> IsUnderWay;
  std::vector<size_t> UnderWay;
  bool HasLoads = false;
};

} // namespace

CodeMix sluice::codeMix(ArrayRef<WarpInstruction> Program,
                        const GPUModel &GPU) {
  CodeMix Mix;
  Mix.Lanes = GPU.SubPartitions;
  if (Program.empty())
    return Mix;
  LoneWarp Warp(Program);
  Warp.run();
  Mix.Instructions = double(Program.size());
  Mix.Loads = double(
      count_if(Program, [](const WarpInstruction &I) { return I.IsGlobal; }));
  Mix.Waits = Warp.Waits;
  Mix.Parallelism = Mix.Instructions * memoryModel(GPU).ArithmeticCycles /
                    std::max(Warp.Cycles, 1.0);
  std::array<double, NumIssueUnits> Busy = {};
  for (const WarpInstruction &I : Program)
    Busy[unsigned(I.Unit)] += I.UnitCycles;
  const double Most = *std::max_element(Busy.begin(), Busy.end());
  if (Most > Mix.Instructions)
    Mix.Lanes *= Mix.Instructions / Most;
  return Mix;
}
