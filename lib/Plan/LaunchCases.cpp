// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch whose block is not known stands for all blocks of one dimension and
// whole warps that it could have. Each gets an occupancy of its own; what
// cannot be launched is no case.

#include "LaunchCases.h"
#include "sluice/Plan/LaunchTable.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace sluice;
using llvm::formatv;

std::string sluice::launchName(const LaunchConfig &Launch) {
  if (Launch.FromProfile)
    return formatv("the profile's launch of {0} blocks of {1} threads",
                   Launch.Grid.total().value_or(0),
                   Launch.Block.total().value_or(0));
  return Launch.Place.isKnown() ? "the launch at " + Launch.Place.str()
                                : "the given launch";
}

bool sluice::isPredictedForL1(const KernelFacts &Kernel,
                              const ThrottleOptions &Options) {
  return !Options.L1KiB ||
         uint64_t(*Options.L1KiB) * 1024 == Kernel.PredictedL1Bytes;
}

RegisterFact sluice::assumedRegisters(const KernelFacts &Kernel,
                                      const GPUModel &GPU) {
  if (Kernel.MaxThreadsPerBlock && *Kernel.MaxThreadsPerBlock > 0 &&
      Kernel.MinBlocksPerSM && *Kernel.MinBlocksPerSM > 0) {
    // ptxas may use all that the bounds leave, in units of eight a thread.
    unsigned Most = GPU.Registers /
                    (*Kernel.MaxThreadsPerBlock * *Kernel.MinBlocksPerSM) / 8 *
                    8;
    if (Most > 0)
      return {std::min(Most, GPU.MaxRegistersPerThread), "launch bounds"};
  }
  return {32, "assumed"};
}

namespace {

class CaseBuilder {
public:
  explicit CaseBuilder(const ResourceLedger &Ledger)
      : Kernel(Ledger.kernel()), GPU(Ledger.gpu()), Ledger(Ledger) {}
  LaunchCase caseOf(const LaunchConfig &Launch) const;

private:
  LaunchState stateOf(const LaunchConfig &Launch) const;
  std::vector<LaunchState> candidatesOf(const LaunchConfig &Launch) const;

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const ResourceLedger &Ledger;
};

} // namespace

/// \p Launch must have a known block.
LaunchState CaseBuilder::stateOf(const LaunchConfig &Launch) const {
  LaunchState State;
  State.Launch = Launch;
  if (!Launch.DynamicSharedBytes) {
    State.Unknown = launchName(Launch) + " has dynamic shared memory of a size "
                                         "that is not known at compile time";
    return State;
  }
  auto Held = Ledger.heldAt(Launch);
  if (!Held) {
    State.Unknown =
        launchName(Launch) + ": " + llvm::toString(Held.takeError());
    return State;
  }
  State.Held = *Held;
  if (State.Held.BlocksPerSM == 0)
    State.Unknown =
        launchName(Launch) + " does not fit on an SM of " + GPU.Name.str();
  return State;
}

/// One-dimensional blocks of whole warps that the unknown sizes could be.
std::vector<LaunchState>
CaseBuilder::candidatesOf(const LaunchConfig &Launch) const {
  std::vector<LaunchState> Candidates;
  unsigned MaxThreads = LaunchTable::MaxWarps * GPU.WarpSize;
  if (Kernel.MaxThreadsPerBlock && *Kernel.MaxThreadsPerBlock > 0)
    MaxThreads = std::min(MaxThreads, *Kernel.MaxThreadsPerBlock);
  const auto &Known = Launch.Block.Sizes;
  for (uint64_t X = GPU.WarpSize; X <= MaxThreads; X += GPU.WarpSize) {
    if (Known[0].value_or(X) != X || Known[1].value_or(1) != 1 ||
        Known[2].value_or(1) != 1)
      continue;
    LaunchConfig Candidate = Launch;
    Candidate.Block = LaunchDim::known(X);
    LaunchState State = stateOf(Candidate);
    if (State.Unknown.empty()) // else it cannot be launched with it
      Candidates.push_back(std::move(State));
  }
  return Candidates;
}

LaunchCase CaseBuilder::caseOf(const LaunchConfig &Launch) const {
  LaunchCase Case;
  Case.Launch = Launch;
  Case.AnyBlock = !Launch.Block.total();
  if (!Case.AnyBlock) {
    Case.States = {stateOf(Launch)};
    return Case;
  }
  std::string Name =
      Kernel.Launches.empty() ? "any launch" : launchName(Launch);
  if (!Launch.DynamicSharedBytes) {
    Case.Unknown = Name + " has a block size and dynamic shared memory that "
                          "are not known at compile time";
    return Case;
  }
  Case.States = candidatesOf(Launch);
  if (Case.States.empty())
    Case.Unknown = Name + " has a block size that is not known at compile time "
                          "and cannot be one dimension of whole warps";
  return Case;
}

std::vector<LaunchCase> sluice::launchCases(const ResourceLedger &Ledger) {
  const CaseBuilder Builder(Ledger);
  const KernelFacts &Kernel = Ledger.kernel();
  std::vector<LaunchCase> Cases;
  Cases.reserve(Kernel.Launches.size() + 1);
  for (const LaunchConfig &Launch : Kernel.Launches)
    Cases.push_back(Builder.caseOf(Launch));
  // Launched from another file: any grid, any block of one dimension.
  if (Kernel.Launches.empty() && !Kernel.UsesDynamicShared) {
    LaunchConfig Any;
    Any.DynamicSharedBytes = 0;
    Cases.push_back(Builder.caseOf(Any));
  }
  return Cases;
}
