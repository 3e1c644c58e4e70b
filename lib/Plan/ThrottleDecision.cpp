// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The footprint against the L1 (Eq. 8), the smallest N that makes it fit
// (Eq. 9), and the rules for where turns could not pay.
//
// Long because the rules are one decision: each asks what the ones before it
// have found, and apart they would be hard to follow.

#include "ThrottleDecision.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdlib>

using namespace sluice;
using llvm::formatv;

/// Iterations whose loads are under way together: what fits the unroller, where
/// no store of one iteration comes between (see ThrottleThresholds).
unsigned ThrottleDecider::batch(const LoopFacts &Loop,
                                uint64_t Instructions) const {
  if (Loop.WritesMemory)
    return 1;
  if (Loop.UnrollHint)
    return *Loop.UnrollHint;
  unsigned Batch = Thresholds.MaxUnroll;
  while (Batch > 1 && Batch * Instructions > Thresholds.UnrolledInstructions)
    Batch /= 2;
  return Batch;
}

/// Iterations of inner loops in one of the loop's, of the access with the most.
static uint64_t innerIterations(const LoopFootprint &Footprint) {
  uint64_t Most = 1;
  for (const AccessFootprint &A : Footprint.Accesses)
    Most = std::max(Most, A.InnerIterations);
  return Most;
}

/// Fetches of \p FetchBytes that a warp makes in one iteration: sectors from
/// the L2, or what comes from DRAM at a time. One that stays serves the
/// access's walk until it leaves these bytes; one that does not stay serves the
/// iterations of one batch.
static double fetchesPerIteration(const LoopFootprint &Footprint,
                                  unsigned FetchBytes, bool Stays,
                                  unsigned Batch) {
  double Fills = 0;
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (A.Access->IsStore)
      continue;
    double New = 1; // of its sectors, in each iteration
    if (A.IterationStride) {
      double Walk = double(std::abs(*A.IterationStride)) / FetchBytes;
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
  return State.Launch.Measured &&
         llvm::all_of(Footprint.Accesses, [](const AccessFootprint &A) {
           return A.Access->IsStore ||
                  (A.Access->Measured &&
                   shareWithin(A.Access->Measured->Reuse, 0));
         });
}

bool sluice::isRegular(const LoopFootprint &Footprint) {
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
std::string ThrottleDecider::cannotPayAsMeasured(unsigned LoopIndex,
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
  if (auto Trip = tripCount(Loop, State.Launch);
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
unsigned ThrottleDecider::fittingGroups(const LaunchState &State,
                                        const LoopFootprint &Footprint) const {
  for (unsigned N = 2; N / 2 < Footprint.WarpsPerBlock; N *= 2)
    if (bytesOf(Footprint.linesPerBlock(N), State) <= State.Held.L1Bytes)
      return N;
  return 0;
}

/// Where no N fits nor would one block: the largest N, if it leaves little more
/// than the L1; 0: it does not. Warps of one turn run apart, so that lines of
/// which several times too many are in use stay in part.
unsigned
ThrottleDecider::nearlyFittingGroups(const LaunchState &State,
                                     const LoopFootprint &Footprint) const {
  unsigned N = 2;
  while (N < Footprint.WarpsPerBlock)
    N *= 2;
  const auto L1 = double(State.Held.L1Bytes);
  const auto All = double(bytesOf(Footprint.linesPerBlock(1), State));
  const auto Left = double(bytesOf(Footprint.linesPerBlock(N), State));
  const bool BlockFits =
      All / State.Held.BlocksPerSM <= Thresholds.MinOverflow * L1;
  // Lines that warps share do not become fewer by turns.
  return isRegular(Footprint) && !BlockFits &&
                 Left <= Thresholds.MaxOverflowWithTurns * L1 &&
                 All >= Thresholds.MinReduction * N * Left
             ? N
             : 0;
}

/// "the load at a.cu:25:14"; "a load in it" where the place is not known.
static std::string nameOf(const AccessPattern &Access) {
  const char *Kind = Access.IsStore ? "store" : "load";
  return Access.Id.Place.isKnown()
             ? formatv("the {0} at {1}", Kind, Access.Id.str()).str()
             : formatv("a {0} in it", Kind).str();
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
    Note = formatv("; measured {0:F1} lines a warp for {1}", Lines(*Most),
                   nameOf(*Most->Access));
  if (Count > 1)
    Note += formatv(" and {0} more", Count - 1);
  if (Footprint.RareAccesses != 0)
    Note += formatv("; {0} that ran in less than {1} % of the iterations not "
                    "counted",
                    Footprint.RareAccesses, int(100 * MinShare));
  return Note;
}

/// Are all loads that have reuse of 8 bytes a lane or more? Fewer of their
/// iterations are under way together, as registers are what they are.
static bool isWide(const LoopFootprint &Footprint) {
  return llvm::all_of(Footprint.Accesses, [](const AccessFootprint &A) {
    return !A.HasReuse || A.LinesPerWarp <= 1 || A.Access->Bytes >= 8;
  });
}

/// Why taking turns could not pay although the footprint is beyond the L1;
/// empty when it could.
std::string ThrottleDecider::cannotPay(unsigned LoopIndex,
                                       const LaunchState &State,
                                       const LoopFootprint &Footprint,
                                       uint64_t Bytes) const {
  const LoopFacts &Loop = Kernel.Loops[LoopIndex];
  // An iteration of an outer loop is as much work as those of the inner ones.
  const uint64_t Inner = innerIterations(Footprint);
  const uint64_t Instructions = Inner * Loop.Instructions;
  unsigned Batch = batch(Loop, Instructions);
  std::string Kind =
      Batch > 1
          ? formatv(" for a loop that loads {0} iterations together", Batch)
                .str()
          : std::string();

  double Overflow = double(Bytes) / double(State.Held.L1Bytes);
  double MinOverflow = Batch > 1 && !isWide(Footprint)
                           ? Thresholds.MinOverflowBatched
                           : Thresholds.MinOverflow;
  if (Overflow < MinOverflow)
    return formatv("is {0:F2} times the L1 of {1} B, and below {2:F2} turns do "
                   "not pay{3}",
                   Overflow, State.Held.L1Bytes, MinOverflow, Kind);

  unsigned MinTrip =
      Batch > 1 ? Thresholds.MinTripCountBatched : Thresholds.MinTripCount;
  if (auto Trip = tripCount(Loop, State.Launch);
      Trip && *Trip * Inner < MinTrip)
    return formatv("lasts {0} iterations, and below {1} turns do not pay{2}",
                   *Trip * Inner, MinTrip, Kind);

  auto Fetches = [&](unsigned FetchBytes, bool Stays) {
    return fetchesPerIteration(Footprint, FetchBytes, Stays, Batch);
  };
  auto CanSave = [&](unsigned FetchBytes) {
    return Fetches(FetchBytes, /*Stays=*/false) >=
           Thresholds.MinFillRatio * Fetches(FetchBytes, /*Stays=*/true);
  };
  const double Thrashing = Fetches(GPU.SectorBytes, /*Stays=*/false);
  // What has left the L1 has left the L2 too if all SMs' lines are more.
  const MemoryModel Memory = memoryModel(GPU);
  const bool FromDRAM = double(Bytes) * Options.SMs >
                        Thresholds.MinShareOfL2 * double(Memory.L2Bytes);
  if (!CanSave(GPU.SectorBytes) &&
      !(FromDRAM && CanSave(Memory.DRAMFetchBytes)))
    return formatv("fills {0:F1} sectors a warp and iteration, and {1:F1} if "
                   "all stayed in the L1: too little to save",
                   Thrashing, Fetches(GPU.SectorBytes, /*Stays=*/true));
  if (double(Instructions) > Thresholds.MaxInstructionsPerFill * Thrashing)
    return formatv("fills {0:F1} sectors for {1} instructions, so arithmetic "
                   "binds",
                   Thrashing, Instructions);
  return "";
}

/// \p M with the name of the parameter.
static ArgumentMinimum namedMinimum(const KernelFacts &Kernel,
                                    ArgumentMinimum M) {
  if (M.Argument < Kernel.Parameters.size())
    M.Name = Kernel.Parameters[M.Argument].Name;
  return M;
}

/// \p AtMost: where it is so only if distances are large.
std::string ThrottleDecider::describeSize(const LaunchState &State,
                                          const LoopFootprint &Footprint,
                                          bool AtMost) const {
  return formatv("footprint {0}{1} B ({2} blocks of {3} lines{4})",
                 AtMost ? "of at most " : "",
                 bytesOf(Footprint.linesPerBlock(1), State),
                 State.Held.BlocksPerSM, Footprint.linesPerBlock(1),
                 measuredNote(Footprint));
}

static bool isAtMost(const LoopFootprint &Footprint) {
  return Footprint.UnknownDistance || !Footprint.OnlyIf.empty();
}

/// The least form that divides what differs between threads, in \p Form, and
/// has no value at \p Launch; none where there is no such.
static std::optional<AddressForm> divisorIn(const AddressForm &Form,
                                            const LaunchConfig &Launch) {
  for (const AddressForm::Term &T : Form.terms())
    for (const Atom &F : T.Factors) {
      if (!F.Operation)
        continue;
      const auto &[Op, A, B, Name] = *F.Operation;
      for (const AddressForm *Operand : {&A, &B})
        if (auto Inner = divisorIn(*Operand, Launch))
          return Inner;
      const bool Divides = llvm::is_contained(
          {AddressOp::UDiv, AddressOp::SDiv, AddressOp::URem, AddressOp::SRem},
          Op);
      if (Divides && A.any([](Variable V) { return V.isThreadVarying(); }) &&
          B.any([&](Variable V) {
            return V.isUnknown() || (V.Kind == Variable::Argument &&
                                     (V.Index >= Launch.Arguments.size() ||
                                      !Launch.Arguments[V.Index]));
          }))
        return B;
    }
  return std::nullopt;
}

/// ", whose index is divided by 'width', ...", where that is so.
static std::string divisionNote(const KernelFacts &Kernel,
                                const LaunchConfig &Launch,
                                const AccessPattern &Access) {
  constexpr unsigned MaxSearched = 256; // a large one is of many divisions
  if (Access.Address.size() > MaxSearched)
    return "";
  auto Divisor = divisorIn(Access.Address, Launch);
  if (!Divisor)
    return "";
  std::string Name = "a value";
  for (unsigned P = 0; P < Kernel.Parameters.size(); ++P)
    if (*Divisor == AddressForm::variable({Variable::Argument, P}))
      Name = "'" + Kernel.Parameters[P].Name + "'";
  return ", whose index is divided by " + Name +
         " that is known only at run time";
}

/// Why the footprint is not known where it might be smaller than what was
/// counted, and the kernel cannot find out; empty: it is known, or it can.
std::string
ThrottleDecider::unknownDistance(const LaunchConfig &Launch,
                                 const LoopFootprint &Footprint) const {
  const AccessPattern *Access = Footprint.UnknownDistance;
  std::string Note;
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (Access)
      break;
    for (const ArgumentMinimum &M : A.OnlyIf)
      if (std::string Why = whyNoTest(Kernel, M); !Why.empty()) {
        Access = A.Access;
        Note = formatv("; it would be with {0}, but {1}",
                       namedMinimum(Kernel, M).str(), Why);
      }
  }
  if (!Access)
    return "";
  return formatv("the footprint is unknown: the distance between the threads "
                 "of a warp is not known at compile time for {0}{1}",
                 nameOf(*Access),
                 (isTooLarge(Kernel, *Access)
                      ? ", whose address is too large to follow"
                      : divisionNote(Kernel, Launch, *Access)) +
                     Note);
}

/// Of a footprint that fits: that it might not, where rows of threads begin at
/// what memory says, each in lines of its own. Empty: there are no such rows,
/// or it fits all the same.
std::string
ThrottleDecider::unsharedRows(const LaunchState &State,
                              const LoopFootprint &Footprint) const {
  const AccessFootprint *Rows = nullptr;
  uint64_t Most = Footprint.linesPerBlock(1);
  for (const AccessFootprint &A : Footprint.Accesses) {
    if (A.MostLinesPerBlock <= A.LinesPerBlock)
      continue;
    Most += A.MostLinesPerBlock - A.LinesPerBlock;
    if (!Rows || A.MostLinesPerBlock > Rows->MostLinesPerBlock)
      Rows = &A;
  }
  if (!Rows)
    return "";
  if (bytesOf(Most, State) <= State.Held.L1Bytes)
    return formatv("footprint of at most {0} B ({1} blocks of {2} lines{3}) "
                   "fits the L1 of {4} B",
                   bytesOf(Most, State), State.Held.BlocksPerSM, Most,
                   measuredNote(Footprint), State.Held.L1Bytes);
  return formatv(
      "the footprint is unknown, {0} to {1} B for an L1 of {2} B: how far "
      "apart the threads' rows begin is read from memory for {3}, and a "
      "profile would tell (sluice profile)",
      bytesOf(Footprint.linesPerBlock(1), State), bytesOf(Most, State),
      State.Held.L1Bytes, nameOf(*Rows->Access));
}

/// A profile of this launch has the times that the cost model predicts for each
/// N: the best of them, if it gains enough.
Decision
ThrottleDecider::decideAsPredicted(unsigned LoopIndex, const LaunchState &State,
                                   const LoopFootprint &Footprint) const {
  const std::vector<TurnsPrediction> &Turns =
      Kernel.Loops[LoopIndex].Measured.Turns;
  const TurnsPrediction &Plain = Turns.front(), *Best = &Plain;
  std::string Times;
  for (const TurnsPrediction &T : Turns) {
    // Of about equal times that of the smaller N, which costs fewer barriers,
    // if its lines fit; else the smaller footprint is the surer.
    const bool Fits = bytesOf(Footprint.linesPerBlock(Best->WarpGroups),
                              State) <= State.Held.L1Bytes;
    if (double(T.Nanoseconds) * (Fits ? Thresholds.PredictedTie : 1.0) <
        double(Best->Nanoseconds))
      Best = &T;
    Times += formatv("{0}N={1} {2:F3} ms", Times.empty() ? "" : ", ",
                     T.WarpGroups, double(T.Nanoseconds) / 1e6);
  }
  Decision D;
  D.FootprintBytes = bytesOf(Footprint.linesPerBlock(1), State);
  D.UnthrottledNanoseconds = Plain.Nanoseconds;
  const bool Pays = double(Best->Nanoseconds) * Thresholds.MinPredictedGain <
                    double(Plain.Nanoseconds);
  const TurnsPrediction &Chosen = Pays ? *Best : Plain;
  D.Thrashes = Pays;
  D.WarpGroups = Chosen.WarpGroups;
  D.Nanoseconds = Chosen.Nanoseconds;
  D.Why = formatv("{0}; predicted from the profile: {1}{2}",
                  describeSize(State, Footprint, isAtMost(Footprint)), Times,
                  Pays ? "" : "; turns do not pay");
  return D;
}

Decision ThrottleDecider::decide(unsigned LoopIndex, const LaunchState &State,
                                 const LoopFootprint &Footprint) const {
  const std::vector<TurnsPrediction> &Turns =
      Kernel.Loops[LoopIndex].Measured.Turns;
  Decision ByRule = decideByRule(LoopIndex, State, Footprint);
  if (!State.Launch.Measured || Turns.empty() ||
      !isPredictedForL1(Kernel, Options))
    return ByRule;
  Decision D = decideAsPredicted(LoopIndex, State, Footprint);
  if (D.WarpGroups > 1)
    return D;
  // Where the prediction sees a small gain in what the rule wants, both agree.
  for (const TurnsPrediction &T : Turns)
    if (T.WarpGroups == ByRule.WarpGroups &&
        double(T.Nanoseconds) * Thresholds.PredictedTie <
            double(D.UnthrottledNanoseconds)) {
      ByRule.Nanoseconds = T.Nanoseconds;
      ByRule.UnthrottledNanoseconds = D.UnthrottledNanoseconds;
      ByRule.Why += formatv("; predicted from the profile: {0:F3} ms, and "
                            "{1:F3} ms without",
                            double(T.Nanoseconds) / 1e6,
                            double(D.UnthrottledNanoseconds) / 1e6);
      return ByRule;
    }
  return D;
}

Decision ThrottleDecider::decideByRule(unsigned LoopIndex,
                                       const LaunchState &State,
                                       const LoopFootprint &Footprint) const {
  Decision D;
  uint64_t Bytes = bytesOf(Footprint.linesPerBlock(1), State);
  D.FootprintBytes = Bytes;
  std::string Size = describeSize(State, Footprint, isAtMost(Footprint));
  if (!Footprint.HasReuse) {
    D.Why =
        "no load is known to touch its cache line again in the next iteration";
    return D;
  }
  if (Bytes <= State.Held.L1Bytes) {
    D.Why = unsharedRows(State, Footprint);
    if (D.Why.empty())
      D.Why = formatv("{0} fits the L1 of {1} B", Size, State.Held.L1Bytes);
    return D;
  }
  if (D.Why = unknownDistance(State.Launch, Footprint); !D.Why.empty()) {
    D.FootprintBytes = 0;
    return D;
  }
  // How often the lines of an unknown address are used again, nobody knows.
  uint64_t Assumed = 0;
  for (const AccessFootprint &A : Footprint.Accesses)
    Assumed += A.Assumed ? A.LinesPerBlock : 0;
  if (Assumed != 0 && bytesOf(Footprint.linesPerBlock(1) - Assumed, State) <=
                          State.Held.L1Bytes) {
    D.Why = formatv("{0} is beyond the L1 of {1} B only with {2} lines of "
                    "accesses whose addresses are read from memory; a profile "
                    "would tell more",
                    Size, State.Held.L1Bytes, Assumed);
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
  // Blocks are limited at the launch, where arguments are not tested.
  D.Thrashes = Footprint.OnlyIf.empty();
  const bool Fits = N != 0;
  if (!Fits)
    N = nearlyFittingGroups(State, Footprint);
  if (N == 0) {
    D.Why = formatv("{0} is beyond the L1 of {1} B and does not fit even when "
                    "one warp of each block runs at a time",
                    Size, State.Held.L1Bytes);
    return D;
  }
  unsigned Running = State.Held.BlocksPerSM *
                     unsigned(llvm::divideCeil(Footprint.WarpsPerBlock, N));
  if (Running < Thresholds.MinRunningWarps) {
    D.Why = formatv("{0} is beyond the L1 of {1} B; N={2} would make it fit "
                    "but leave {3} warps running on an SM, too few to hide "
                    "latency",
                    Size, State.Held.L1Bytes, N, Running);
    return D;
  }
  D.WarpGroups = N;
  for (const ArgumentMinimum &M : Footprint.OnlyIf)
    D.OnlyIf.push_back(namedMinimum(Kernel, M));
  Size = describeSize(State, Footprint, /*AtMost=*/false); // where they hold
  D.Why =
      formatv("{0} is beyond the L1 of {1} B; with N={2} it is {3} B{4}", Size,
              State.Held.L1Bytes, N, bytesOf(Footprint.linesPerBlock(N), State),
              Fits ? "" : ", of which a part stays");
  return D;
}
