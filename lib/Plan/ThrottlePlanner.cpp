// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each launch: occupancy and the L1 it leaves (Eq. 1 to 4), then for each
// loop the footprint (Eq. 8) and the smallest N that makes it fit (Eq. 9), and
// the rules for where turns could not pay. A loop gets the N that suits every
// launch, the innermost loop of a nest first.

#include "sluice/Plan/ThrottlePlanner.h"
#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstdlib>

using namespace sluice;
using llvm::formatv;

namespace {

/// What one launch says of one loop.
struct Decision {
  unsigned WarpGroups = 1;
  std::string Why;
  uint64_t FootprintBytes = 0;
  /// By the profile's predictions: of the chosen N, and of none.
  uint64_t Nanoseconds = 0, UnthrottledNanoseconds = 0;
};

/// A launch with what an SM then holds.
struct LaunchState {
  const LaunchConfig *Launch = nullptr;
  Occupancy Held;
  std::string Unknown; ///< Why there is no occupancy; empty when there is.
};

class ThrottlePlanner {
public:
  ThrottlePlanner(const KernelFacts &Kernel, const GPUModel &GPU,
                  const RegisterFact &Registers, const ThrottleOptions &Options,
                  const ThrottleThresholds &Thresholds)
      : Kernel(Kernel), GPU(GPU), Registers(Registers), Options(Options),
        Thresholds(Thresholds) {}

  KernelPlan plan();

private:
  LaunchState stateOf(const LaunchConfig &Launch) const;
  LaunchPlan launchPlan(const LaunchState &State) const;
  LoopPlan planLoop(unsigned LoopIndex) const;
  Decision decide(unsigned LoopIndex, const LaunchState &State,
                  const LoopFootprint &Footprint) const;
  unsigned batch(const LoopFacts &Loop) const;
  unsigned fittingGroups(const LaunchState &State,
                         const LoopFootprint &Footprint) const;
  std::string cannotPay(unsigned LoopIndex, const LaunchState &State,
                        const LoopFootprint &Footprint, uint64_t Bytes) const;
  std::string cannotPayAsMeasured(unsigned LoopIndex, const LaunchState &State,
                                  const LoopFootprint &Footprint,
                                  uint64_t Bytes, unsigned WarpGroups) const;
  LoopPlan planForced(unsigned LoopIndex, LoopPlan Plan) const;
  Decision decideAsPredicted(const LoopFacts &Loop,
                             const std::string &Size) const;
  void setWarpGroups(unsigned LoopIndex, unsigned N, LoopPlan &Plan) const;
  void heedRegion(unsigned LoopIndex, LoopPlan &Plan) const;
  void describeAccesses(const LoopFootprint &Footprint, LoopPlan &Plan) const;
  void settleNests(KernelPlan &Plan) const;
  void settleRegions(KernelPlan &Plan) const;
  uint64_t bytesOf(uint64_t LinesPerBlock, const LaunchState &State) const {
    return LinesPerBlock * State.Held.BlocksPerSM * GPU.LineBytes;
  }

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const RegisterFact &Registers;
  const ThrottleOptions &Options;
  const ThrottleThresholds &Thresholds;
  std::vector<LaunchState> States;
};

std::string launchName(const LaunchConfig &Launch) {
  if (Launch.FromProfile)
    return formatv("the profile's launch of {0} blocks of {1} threads",
                   Launch.Grid.total().value_or(0),
                   Launch.Block.total().value_or(0));
  return Launch.Place.isKnown() ? "the launch at " + Launch.Place.str()
                                : "the given launch";
}

} // namespace

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

LaunchState ThrottlePlanner::stateOf(const LaunchConfig &Launch) const {
  LaunchState State;
  State.Launch = &Launch;
  auto Threads = Launch.Block.total();
  if (!Threads) {
    State.Unknown = launchName(Launch) +
                    " has a block size that is not known at compile time";
    return State;
  }
  if (!Launch.Grid.total()) {
    State.Unknown =
        launchName(Launch) +
        " has a grid that is not known at compile time and may not fill the "
        "chip";
    return State;
  }
  if (!Launch.DynamicSharedBytes) {
    State.Unknown = launchName(Launch) + " has dynamic shared memory of a size "
                                         "that is not known at compile time";
    return State;
  }
  BlockResources Block;
  Block.ThreadsPerBlock = unsigned(std::min<uint64_t>(*Threads, ~uint32_t(0)));
  Block.RegistersPerThread = Registers.Count;
  Block.StaticSharedBytes = Kernel.StaticSharedBytes;
  Block.DynamicSharedBytes = *Launch.DynamicSharedBytes;
  auto Held = computeOccupancy(GPU, Block, Launch.Grid.total(), Options.SMs);
  if (!Held) {
    State.Unknown =
        launchName(Launch) + ": " + llvm::toString(Held.takeError());
    return State;
  }
  State.Held = *Held;
  if (Options.L1KiB)
    State.Held.L1Bytes = uint64_t(*Options.L1KiB) * 1024;
  if (State.Held.BlocksPerSM == 0)
    State.Unknown =
        launchName(Launch) + " does not fit on an SM of " + GPU.Name.str();
  return State;
}

/// Iterations whose loads are under way together: what fits the unroller, where
/// no store of one iteration comes between (see ThrottleThresholds).
unsigned ThrottlePlanner::batch(const LoopFacts &Loop) const {
  if (Loop.WritesMemory)
    return 1;
  if (Loop.UnrollHint)
    return *Loop.UnrollHint;
  unsigned Batch = Thresholds.MaxUnroll;
  while (Batch > 1 &&
         Batch * Loop.Instructions > Thresholds.UnrolledInstructions)
    Batch /= 2;
  return Batch;
}

/// Sectors a warp fills the L1 with in one iteration. A sector that stays
/// serves the access's walk until it leaves the sector's bytes; one that does
/// not stay serves the iterations of one batch.
static double fillsPerIteration(const LoopFootprint &Footprint,
                                unsigned SectorBytes, bool Stays,
                                unsigned Batch) {
  double Fills = 0;
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (A.Access->IsStore)
      continue;
    double New = 1; // of its sectors, in each iteration
    if (A.IterationStride) {
      double Walk = double(std::abs(*A.IterationStride)) / SectorBytes;
      New = std::min(1.0, Stays ? Walk : std::max(Walk, 1.0 / Batch));
    }
    Fills += New * A.SectorsPerWarp;
  }
  return Fills;
}

/// Did a profile see such a launch, and all of the loop's loads in it? Then
/// their reuse distances say what stays in the L1.
static bool isMeasured(const LoopFootprint &Footprint,
                       const LaunchState &State) {
  return State.Launch->Measured &&
         llvm::all_of(Footprint.Accesses, [](const AccessFootprint &A) {
           return A.Access->IsStore ||
                  (A.Access->Measured &&
                   shareWithin(A.Access->Measured->Reuse, 0));
         });
}

/// Are all lines and strides those that the code tells?
static bool isRegular(const LoopFootprint &Footprint) {
  return llvm::all_of(Footprint.Accesses, [](const AccessFootprint &A) {
    return !A.Assumed && !A.Measured && A.IterationStride;
  });
}

/// Sectors a warp fills an L1 of \p Lines lines with in one iteration, by the
/// measured distances. Turns of N groups bring a line's uses N times nearer to
/// one another: then it is as if the L1 had N times the lines. First touches
/// miss in any case, and so does each new sector of a line.
static double measuredFills(const LoopFootprint &Footprint,
                            const LoopFacts &Loop, const GPUModel &GPU,
                            double Lines) {
  constexpr double All = 1e18;
  double Fills = 0;
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (A.Access->IsStore)
      continue;
    const AccessMeasurement &M = *A.Access->Measured;
    double Again = *shareWithin(M.Reuse, All);
    double First = A.IterationStride
                       ? double(std::abs(*A.IterationStride)) / GPU.SectorBytes
                       : (1 - Again) * GPU.LineBytes / GPU.SectorBytes;
    double Lost = Again - *shareWithin(M.Reuse, Lines);
    Fills += std::min(1.0, std::max(First, 1 - Again) + Lost) *
             double(M.Sectors) / double(Loop.Measured.Iterations);
  }
  return Fills;
}

/// cannotPay for a loop that isMeasured. How the compiler loads several
/// iterations together is in the distances, so it needs no estimate.
std::string ThrottlePlanner::cannotPayAsMeasured(unsigned LoopIndex,
                                                 const LaunchState &State,
                                                 const LoopFootprint &Footprint,
                                                 uint64_t Bytes,
                                                 unsigned WarpGroups) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  double Overflow = double(Bytes) / double(State.Held.L1Bytes);
  if (Overflow < Thresholds.MinOverflow)
    return formatv("is {0:F2} times the L1 of {1} B, and below {2:F2} turns do "
                   "not pay",
                   Overflow, State.Held.L1Bytes, Thresholds.MinOverflow);
  if (auto Trip = tripCount(Loop, *State.Launch);
      Trip && *Trip < Thresholds.MinTripCount)
    return formatv("lasts {0} iterations, and below {1} turns do not pay",
                   *Trip, Thresholds.MinTripCount);
  double L1Lines = double(State.Held.L1Bytes) / GPU.LineBytes;
  double Now = measuredFills(Footprint, Loop, GPU, L1Lines);
  double Then = measuredFills(Footprint, Loop, GPU, L1Lines * WarpGroups);
  if (Now < Thresholds.MinFillRatio * Then)
    return formatv("fills {0:F1} sectors a warp and iteration, and {1:F1} with "
                   "N={2}, by the measured reuse distances: too little to save",
                   Now, Then, WarpGroups);
  if (double(Loop.Instructions) > Thresholds.MaxInstructionsPerFill * Now)
    return formatv("fills {0:F1} sectors for {1} instructions, so arithmetic "
                   "binds",
                   Now, Loop.Instructions);
  return "";
}

/// Eq. 9: the smallest N with which the footprint fits; 0: none.
unsigned ThrottlePlanner::fittingGroups(const LaunchState &State,
                                        const LoopFootprint &Footprint) const {
  for (unsigned N = 2; N / 2 < Footprint.WarpsPerBlock; N *= 2)
    if (bytesOf(Footprint.linesPerBlock(N), State) <= State.Held.L1Bytes)
      return N;
  return 0;
}

/// "; measured 19.3 lines a warp for the load at a.cu:25:14 and 2 more".
static std::string measuredNote(const LoopFootprint &Footprint) {
  const AccessFootprint *Most = nullptr;
  unsigned Count = 0;
  auto Lines = [](const AccessFootprint &A) {
    return A.Access->Measured->linesPerRequest();
  };
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (!A.Measured)
      continue;
    ++Count;
    if (!Most || Lines(A) > Lines(*Most))
      Most = &A;
  }
  std::string Note;
  if (Most)
    Note = formatv("; measured {0:F1} lines a warp for the {1} at {2}",
                   Lines(*Most), Most->Access->IsStore ? "store" : "load",
                   Most->Access->Id.str());
  if (Count > 1)
    Note += formatv(" and {0} more", Count - 1);
  if (Footprint.RareAccesses != 0)
    Note += formatv("; {0} that ran in less than {1} % of the iterations not "
                    "counted",
                    Footprint.RareAccesses, int(100 * MinShare));
  return Note;
}

/// Why taking turns could not pay although the footprint is beyond the L1;
/// empty when it could.
std::string ThrottlePlanner::cannotPay(unsigned LoopIndex,
                                       const LaunchState &State,
                                       const LoopFootprint &Footprint,
                                       uint64_t Bytes) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  unsigned Batch = batch(Loop);
  std::string Kind =
      Batch > 1
          ? formatv(" for a loop that loads {0} iterations together", Batch)
                .str()
          : std::string();

  double Overflow = double(Bytes) / double(State.Held.L1Bytes);
  double MinOverflow =
      Batch > 1 ? Thresholds.MinOverflowBatched : Thresholds.MinOverflow;
  if (Overflow < MinOverflow)
    return formatv("is {0:F2} times the L1 of {1} B, and below {2:F2} turns do "
                   "not pay{3}",
                   Overflow, State.Held.L1Bytes, MinOverflow, Kind);

  unsigned MinTrip =
      Batch > 1 ? Thresholds.MinTripCountBatched : Thresholds.MinTripCount;
  if (auto Trip = tripCount(Loop, *State.Launch); Trip && *Trip < MinTrip)
    return formatv("lasts {0} iterations, and below {1} turns do not pay{2}",
                   *Trip, MinTrip, Kind);

  double Fitting =
      fillsPerIteration(Footprint, GPU.SectorBytes, /*Stays=*/true, Batch);
  double Thrashing =
      fillsPerIteration(Footprint, GPU.SectorBytes, /*Stays=*/false, Batch);
  if (Thrashing < Thresholds.MinFillRatio * Fitting)
    return formatv("fills {0:F1} sectors a warp and iteration, and {1:F1} if "
                   "all stayed in the L1: too little to save",
                   Thrashing, Fitting);
  if (double(Loop.Instructions) > Thresholds.MaxInstructionsPerFill * Thrashing)
    return formatv("fills {0:F1} sectors for {1} instructions, so arithmetic "
                   "binds",
                   Thrashing, Loop.Instructions);
  return "";
}

/// A profile of this launch has the times that the cost model predicts for each
/// N: the best of them, if it gains enough.
Decision ThrottlePlanner::decideAsPredicted(const LoopFacts &Loop,
                                            const std::string &Size) const {
  const std::vector<TurnsPrediction> &Turns = Loop.Measured.Turns;
  const TurnsPrediction &Plain = Turns.front(), *Best = &Plain;
  std::string Times;
  for (const TurnsPrediction &T : Turns) {
    // Of about equal times that of the smaller N, which costs fewer barriers.
    if (double(T.Nanoseconds) * Thresholds.PredictedTie <
        double(Best->Nanoseconds))
      Best = &T;
    Times += formatv("{0}N={1} {2:F3} ms", Times.empty() ? "" : ", ",
                     T.WarpGroups, double(T.Nanoseconds) / 1e6);
  }
  Decision D;
  D.UnthrottledNanoseconds = Plain.Nanoseconds;
  const bool Pays = double(Best->Nanoseconds) * Thresholds.MinPredictedGain <
                    double(Plain.Nanoseconds);
  const TurnsPrediction &Chosen = Pays ? *Best : Plain;
  D.WarpGroups = Chosen.WarpGroups;
  D.Nanoseconds = Chosen.Nanoseconds;
  D.Why = formatv("{0}; predicted from the profile: {1}{2}", Size, Times,
                  Pays ? "" : "; turns do not pay");
  return D;
}

Decision ThrottlePlanner::decide(unsigned LoopIndex, const LaunchState &State,
                                 const LoopFootprint &Footprint) const {
  Decision D;
  uint64_t Bytes = bytesOf(Footprint.linesPerBlock(1), State);
  D.FootprintBytes = Bytes;
  std::string Size =
      formatv("footprint {0}{1} B ({2} blocks of {3} lines{4})",
              Footprint.UnknownDistance ? "of at most " : "", Bytes,
              State.Held.BlocksPerSM, Footprint.linesPerBlock(1),
              measuredNote(Footprint));
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  if (State.Launch->Measured && !Loop.Measured.Turns.empty() &&
      !Options.L1KiB) {
    D = decideAsPredicted(Loop, Size);
    D.FootprintBytes = Bytes;
    return D;
  }
  if (!Footprint.HasReuse) {
    D.Why =
        "no load is known to touch its cache line again in the next iteration";
    return D;
  }
  if (Bytes <= State.Held.L1Bytes) {
    D.Why = formatv("{0} fits the L1 of {1} B", Size, State.Held.L1Bytes);
    return D;
  }
  if (const AccessPattern *Access = Footprint.UnknownDistance) {
    D.FootprintBytes = 0;
    D.Why =
        formatv("the footprint is unknown: the distance between the "
                "threads of a warp is not known at compile time for the {0}",
                Access->IsStore ? "store" : "load");
    if (Access->Id.Place.isKnown())
      D.Why += " at " + Access->Id.str();
    return D;
  }
  unsigned N = fittingGroups(State, Footprint);
  // What a regular loop does can be computed, and at the edge of the L1 a run
  // can go either way (ataxRows takes 0.65 or 2.1 ms): for it a measurement
  // speaks only where turns would not be taken.
  std::string Why;
  bool HasMeasured = N != 0 && isMeasured(Footprint, State);
  if (!HasMeasured || isRegular(Footprint))
    Why = cannotPay(LoopIndex, State, Footprint, Bytes);
  if (HasMeasured && (!isRegular(Footprint) || !Why.empty()))
    Why = cannotPayAsMeasured(LoopIndex, State, Footprint, Bytes, N);
  if (!Why.empty()) {
    D.Why = Size + " " + Why;
    return D;
  }
  if (N == 0) {
    D.Why = formatv("{0} is beyond the L1 of {1} B and does not fit even when "
                    "one warp of each block runs at a time (thread-block "
                    "throttling is not in this version)",
                    Size, State.Held.L1Bytes);
    return D;
  }
  unsigned Running = State.Held.WarpsPerSM / N;
  if (Running < Thresholds.MinRunningWarps) {
    D.Why = formatv("{0} is beyond the L1 of {1} B; N={2} would make it fit "
                    "but leave {3} warps running on an SM, too few to hide "
                    "latency",
                    Size, State.Held.L1Bytes, N, Running);
    return D;
  }
  D.WarpGroups = N;
  D.Why = formatv("{0} is beyond the L1 of {1} B; with N={2} it is {3} B", Size,
                  State.Held.L1Bytes, N,
                  bytesOf(Footprint.linesPerBlock(N), State));
  return D;
}

void ThrottlePlanner::describeAccesses(const LoopFootprint &Footprint,
                                       LoopPlan &Plan) const {
  Plan.Accesses.clear();
  for (const AccessFootprint &A : Footprint.Accesses) {
    AccessPlan P;
    P.Id = A.Access->Id;
    P.Kind = A.Access->IsStore ? "store" : "load";
    P.Bytes = A.Access->Bytes;
    P.Address = A.Access->Address.str();
    P.LinesPerWarp = A.LinesPerWarp;
    P.SectorsPerWarp = A.SectorsPerWarp;
    P.LinesPerBlock = A.LinesPerBlock;
    if (A.Measured)
      P.MeasuredLinesPerWarp =
          formatv("{0:F1}", A.Access->Measured->linesPerRequest());
    P.IterationStride =
        A.IterationStride ? std::to_string(*A.IterationStride) : "?";
    Plan.Accesses.push_back(std::move(P));
  }
}

LoopPlan ThrottlePlanner::planLoop(unsigned LoopIndex) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  LoopPlan Plan;
  Plan.Id = Loop.Id;
  if (Kernel.Off) {
    Plan.Why = "the source switches Sluice off for this kernel";
    return Plan;
  }
  if (States.empty() && !Options.ForcedWarpGroups) {
    Plan.Why = "no launch of this kernel is in this file; give one with "
               "launch=KERNEL:GRID:BLOCK[:SMEM]";
    return Plan;
  }

  if (Options.ForcedWarpGroups)
    return planForced(LoopIndex, std::move(Plan));

  unsigned Suits = 0; // the N that suits the launches so far
  std::string Against;
  for (const LaunchState &State : States) {
    LoopFootprint Footprint =
        computeLoopFootprint(Kernel, LoopIndex, *State.Launch, GPU);
    Decision D;
    if (!State.Unknown.empty()) {
      D.Why = State.Unknown;
    } else if (!Footprint.Unknown.empty()) {
      D.Why = "the footprint is unknown: " + Footprint.Unknown;
    } else if (Footprint.Accesses.empty()) {
      D.Why = "no global load in it";
    } else {
      D = decide(LoopIndex, State, Footprint);
    }
    if (D.FootprintBytes >= Plan.FootprintBytes) {
      Plan.FootprintBytes = D.FootprintBytes;
      describeAccesses(Footprint, Plan);
    }
    if (D.WarpGroups > Suits)
      Plan.Why = D.Why;
    if (D.Nanoseconds) {
      Plan.PredictedNanoseconds = D.Nanoseconds;
      Plan.UnthrottledNanoseconds = D.UnthrottledNanoseconds;
    }
    if (D.WarpGroups == 1 && Against.empty())
      Against = States.size() == 1 || !State.Unknown.empty()
                    ? D.Why
                    : launchName(*State.Launch) + ": " + D.Why;
    Suits = std::max(Suits, D.WarpGroups);
  }
  if (!Against.empty())
    Plan.Why = Against;
  setWarpGroups(LoopIndex, Against.empty() ? std::max(1u, Suits) : 1, Plan);
  heedRegion(LoopIndex, Plan);
  return Plan;
}

/// `throttle=N`: the user's N for every loop with reuse, whatever the model
/// says. The turn-taking reads the block size at run time, so no launch need be
/// known; reuse (Eq. 6) is tested with any block.
LoopPlan ThrottlePlanner::planForced(unsigned LoopIndex, LoopPlan Plan) const {
  LaunchConfig Launch;
  if (!Kernel.Launches.empty())
    Launch = Kernel.Launches.front();
  if (!Launch.Block.total())
    Launch.Block = LaunchDim::known(256);
  LoopFootprint Footprint =
      computeLoopFootprint(Kernel, LoopIndex, Launch, GPU);
  describeAccesses(Footprint, Plan);
  if (!Footprint.HasReuse) {
    Plan.Why =
        "no load is known to touch its cache line again in the next iteration";
    return Plan;
  }
  if (!States.empty() && States.front().Unknown.empty() &&
      !Footprint.UnknownDistance)
    Plan.FootprintBytes = bytesOf(Footprint.linesPerBlock(1), States.front());
  setWarpGroups(LoopIndex,
                std::min(*Options.ForcedWarpGroups,
                         std::max(1u, Footprint.WarpsPerBlock)),
                Plan);
  Plan.Why = formatv("N={0} was asked for", Plan.WarpGroups);
  heedRegion(LoopIndex, Plan);
  return Plan;
}

/// Sets N and the footprint that is left with it.
void ThrottlePlanner::setWarpGroups(unsigned LoopIndex, unsigned N,
                                    LoopPlan &Plan) const {
  Plan.WarpGroups = N;
  Plan.ThrottledFootprintBytes = Plan.FootprintBytes;
  if (N == 1 || Plan.FootprintBytes == 0)
    return;
  Plan.ThrottledFootprintBytes = 0;
  for (const LaunchState &State : States) {
    if (!State.Unknown.empty())
      continue;
    LoopFootprint Footprint =
        computeLoopFootprint(Kernel, LoopIndex, *State.Launch, GPU);
    Plan.ThrottledFootprintBytes =
        std::max(Plan.ThrottledFootprintBytes,
                 bytesOf(Footprint.linesPerBlock(N), State));
  }
}

/// A wish for turns ends where the region cannot take them.
void ThrottlePlanner::heedRegion(unsigned LoopIndex, LoopPlan &Plan) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  if (Plan.WarpGroups == 1 || Loop.Region.Refusal.empty())
    return;
  Plan.Why = formatv("N={0} is wanted ({1}), but the region at {2} {3}",
                     Plan.WarpGroups, Plan.Why, Loop.Region.Place.str(),
                     Loop.Region.Refusal);
  if (Loop.Region.RefusalPlace.isKnown())
    Plan.Why += " at " + Loop.Region.RefusalPlace.str();
  setWarpGroups(LoopIndex, 1, Plan);
}

/// A loop around a throttled loop is not throttled as well.
void ThrottlePlanner::settleNests(KernelPlan &Plan) const {
  for (unsigned Inner = Kernel.Loops.size(); Inner-- > 0;) {
    if (Plan.Loops[Inner].WarpGroups == 1)
      continue;
    for (auto Outer = Kernel.Loops[Inner].Parent; Outer;
         Outer = Kernel.Loops[*Outer].Parent)
      if (Plan.Loops[*Outer].WarpGroups != 1) {
        setWarpGroups(*Outer, 1, Plan.Loops[*Outer]);
        Plan.Loops[*Outer].Why = "its inner loop at " +
                                 Plan.Loops[Inner].Id.str() +
                                 " is throttled instead";
      }
  }
}

/// Loops that can only be throttled together get one N, the largest.
void ThrottlePlanner::settleRegions(KernelPlan &Plan) const {
  for (unsigned A = 0; A < Plan.Loops.size(); ++A)
    for (unsigned B = 0; B < Plan.Loops.size(); ++B)
      if (Plan.Loops[A].WarpGroups > 1 && Plan.Loops[B].WarpGroups > 1 &&
          Kernel.Loops[A].Region.Index == Kernel.Loops[B].Region.Index &&
          Plan.Loops[A].WarpGroups < Plan.Loops[B].WarpGroups) {
        setWarpGroups(A, Plan.Loops[B].WarpGroups, Plan.Loops[A]);
        Plan.Loops[A].Why +=
            formatv("; throttled together with the loop at {0}, N={1}",
                    Plan.Loops[B].Id.str(), Plan.Loops[B].WarpGroups);
      }
}

LaunchPlan ThrottlePlanner::launchPlan(const LaunchState &State) const {
  LaunchPlan P;
  P.Grid = State.Launch->Grid;
  P.Block = State.Launch->Block;
  P.DynamicSharedBytes = State.Launch->DynamicSharedBytes;
  P.Place = State.Launch->Place;
  P.FromProfile = State.Launch->FromProfile;
  P.BlocksPerSM = State.Held.BlocksPerSM;
  P.L1Bytes = State.Held.L1Bytes;
  return P;
}

KernelPlan ThrottlePlanner::plan() {
  KernelPlan Plan;
  Plan.Name = Kernel.Name;
  Plan.DisplayName = Kernel.DisplayName;
  Plan.Registers = Registers.Count;
  Plan.RegistersFrom = Registers.From;
  for (const LaunchConfig &Launch : Kernel.Launches) {
    States.push_back(stateOf(Launch));
    Plan.Launches.push_back(launchPlan(States.back()));
  }
  for (unsigned L = 0; L < Kernel.Loops.size(); ++L)
    Plan.Loops.push_back(planLoop(L));
  settleNests(Plan);
  settleRegions(Plan);
  return Plan;
}

KernelPlan sluice::planThrottling(const KernelFacts &Kernel,
                                  const GPUModel &GPU,
                                  const RegisterFact &Registers,
                                  const ThrottleOptions &Options,
                                  const ThrottleThresholds &Thresholds) {
  return ThrottlePlanner(Kernel, GPU, Registers, Options, Thresholds).plan();
}
