// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured (benchmarks/results): chunks below a line's 128 bytes leave a third
// of DRAM's bandwidth unused whatever copies them, and longer ones gain little.
// So what is left to choose is how many warps have buffers at a time.

#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Plan/PlanningContext.h"
#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "sluice/Target/BlockClaim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace sluice;

/// What a thread moves on in an iteration, over what a line has, up to which
/// its row is worth copying: a request of a warp then takes as many look-ups of
/// the L1, one a cycle, as it has lanes, and gets so little of each line that
/// DRAM waits for the look-ups.
static constexpr unsigned LeastUsesOfALine = 8;

/// Iterations of an entry: as the code says, else as a profile saw them, in the
/// mean.
static std::optional<uint64_t> tripCount(const LoopFacts &Loop) {
  return Loop.TripCount ? Loop.TripCount : Loop.Measured.tripCount();
}

/// Why the stream would gain nothing if a row has fewer than \p LeastBytes;
/// empty: it would.
static std::string whyNot(const StageableStream &S, const LoopFacts &Loop,
                          const GPUModel &GPU, uint64_t LeastBytes) {
  if (uint64_t(S.Step) * LeastUsesOfALine > GPU.LineBytes)
    return "a thread uses too little of a line";
  if (S.LaneDistance && uint64_t(std::abs(*S.LaneDistance)) < GPU.LineBytes)
    return "neighbouring threads share lines";
  if (auto Trip = tripCount(Loop);
      Trip && *Trip * uint64_t(S.Step) < LeastBytes)
    return Loop.TripCount ? "its rows are too short"
                          : "its rows are too short when it runs";
  return "";
}

/// Threads that an SM surely holds: of the launch that has the fewest.
static uint64_t threadsOnSM(const KernelPlan &Plan) {
  uint64_t Fewest = 0;
  for (const LaunchPlan &Launch : Plan.Launches) {
    const uint64_t Threads =
        Launch.Block.total().value_or(1) * std::max(1u, Launch.BlocksPerSM);
    Fewest = Fewest ? std::min(Fewest, Threads) : Threads;
  }
  return std::max<uint64_t>(Fewest, 1);
}

/// Warps of the largest block that is launched; a block's most, where that is
/// not known.
static unsigned warpsOfBlock(const KernelPlan &Plan, const GPUModel &GPU) {
  unsigned Most = 0;
  for (const LaunchPlan &Launch : Plan.Launches) {
    std::optional<uint64_t> Threads = Launch.Block.total();
    Most = std::max(Most, Threads ? unsigned(divideCeil(*Threads, GPU.WarpSize))
                                  : MaxWarpsPerBlock);
  }
  return Most ? Most : MaxWarpsPerBlock;
}

/// Has each block that is launched fewer threads than a warp?
static bool areBlocksSmall(const KernelPlan &Plan, const GPUModel &GPU) {
  return !Plan.Launches.empty() &&
         all_of(Plan.Launches, [&](const LaunchPlan &Launch) {
           return Launch.Block.total().value_or(GPU.WarpSize) < GPU.WarpSize;
         });
}

/// Does \p Address depend on where the thread is in dimension \p D (1: y)?
static bool variesIn(unsigned D, const AddressForm &Address) {
  return Address.any(
      [&](Variable V) { return V == Variable{Variable::Tid, D}; });
}

/// Does the kernel have several threads in dimension \p D (1: y) of a block? As
/// its launches say, or as its code looks where these do not.
static bool hasThreadsIn(unsigned D, const LoopFacts &Loop,
                         const KernelFacts &Kernel) {
  const auto Varies = [&](const AccessPattern &A) {
    return variesIn(D, A.Address);
  };
  if (Kernel.Launches.empty())
    return any_of(Loop.Accesses, Varies);
  return any_of(Kernel.Launches, [&](const LaunchConfig &L) {
    return L.Block.Sizes[D] ? *L.Block.Sizes[D] > 1
                            : any_of(Loop.Accesses, Varies);
  });
}

/// Are lines of the stream's rows copied by several warps of a block? So it is
/// where the rows depend on x alone in blocks with y, and where rows meet in a
/// line. Then the L1 gives it to the second: syrk takes 4.06 ms and not 6.81.
/// Where it is not so, the copies would throw other data out of the L1:
/// atax_square takes 1.79 ms and not 1.71
/// (benchmarks/results/2026-11-h100-software-l1/through-l1.md).
static bool sharesLines(const StageableStream &S, const LoopFacts &Loop,
                        const KernelFacts &Kernel, const GPUModel &GPU) {
  if (!S.LaneDistance || *S.LaneDistance % GPU.LineBytes != 0)
    return true;
  return any_of(ArrayRef({1U, 2U}), [&](unsigned D) {
    return hasThreadsIn(D, Loop, Kernel) && !variesIn(D, S.Start);
  });
}

static StringRef whatIsDone(ArrayRef<StageableStream> Streams) {
  const auto IsStore = [](const StageableStream &S) { return S.IsStore; };
  return none_of(Streams, IsStore)  ? "reads"
         : all_of(Streams, IsStore) ? "writes"
                                    : "reads and writes";
}

/// What is read and written in one expression is two streams of one place.
static std::vector<StagedStream> placesOf(ArrayRef<StageableStream> Streams) {
  std::vector<StagedStream> Places;
  for (const StageableStream &S : Streams) {
    const CodeId Place = S.Id.ofAllCopies();
    if (none_of(Places,
                [&](const StagedStream &Known) { return Known.Id == Place; }))
      Places.push_back({Place});
  }
  return Places;
}

namespace {

class StagingPlanner {
public:
  StagingPlanner(const KernelFacts &Kernel, const GPUModel &GPU,
                 const SoftwareL1Settings &Settings, KernelPlan &Plan)
      : Kernel(Kernel), GPU(GPU), Settings(Settings), Plan(Plan),
        ChunkBytes(Settings.ChunkBytes ? Settings.ChunkBytes : GPU.LineBytes),
        Ledger(Kernel, GPU, Plan.Registers, GPU.DefaultSMs, std::nullopt) {}
  void run();

private:
  std::string refusal(const LoopFacts &Facts) const;
  bool isPredicted(const LoopFacts &Facts) const;
  std::string describePrediction(const LoopFacts &Facts) const;
  bool stage(const LoopFacts &Facts, LoopPlan &Loop);
  void widen(const LoopFacts &Facts, LoopPlan &Loop);

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const SoftwareL1Settings &Settings;
  KernelPlan &Plan;
  const unsigned ChunkBytes;
  ResourceLedger Ledger;
  Taking Taken;         ///< By all loops.
  std::string NoMemory; ///< Why no shared memory can be had.
  std::map<uint64_t, uint64_t> WarpsBySlot; ///< That have buffers.
  uint64_t Lost = 0; ///< Bytes of it, at most, to the assembler's aligning.
};

} // namespace

/// The fastest that \p Kernel is predicted to be otherwise: as it is, or with
/// turns, in the launches of \p Staged.
static uint64_t withoutRows(const KernelFacts &Kernel,
                            const StagedPrediction &Staged) {
  double Least = 1;
  for (const LoopFacts &Loop : Kernel.Loops)
    for (const TurnsPrediction &T : Loop.Measured.Turns)
      Least =
          std::min(Least, double(T.Nanoseconds) /
                              double(std::max<uint64_t>(
                                  1, Loop.Measured.Turns.front().Nanoseconds)));
  return uint64_t(Least * double(Staged.Without));
}

/// Is there a time of all launches that are planned for?
bool StagingPlanner::isPredicted(const LoopFacts &Facts) const {
  return Facts.Measured.Staged && !Settings.StageAll &&
         all_of(Kernel.Launches,
                [](const LaunchConfig &L) { return L.Measured; });
}

std::string StagingPlanner::describePrediction(const LoopFacts &Facts) const {
  const StagedPrediction &P = *Facts.Measured.Staged;
  const uint64_t Other = withoutRows(Kernel, P);
  std::string Text =
      formatv("predicted from the profile: {0:F3} ms, without {1:F3} ms",
              double(P.Nanoseconds) / 1e6, double(P.Without) / 1e6);
  if (Other < P.Without)
    Text += formatv(", with turns {0:F3} ms", double(Other) / 1e6);
  return Text;
}

/// Is how long a row is known neither when compiling nor from a profile, and
/// does it depend on a variable of \p Kind?
static bool hasLengthOf(Variable::KindTy Kind, const LoopFacts &Loop) {
  return !tripCount(Loop) &&
         Loop.TripForm.any([&](Variable V) { return V.Kind == Kind; });
}

/// Does each thread read from memory how long its row is? So it is of sparse
/// matrices and lists, most of whose rows are short: buffers and registers for
/// chunks then only keep other threads from the SM.
static bool hasReadLength(const LoopFacts &Loop) {
  return hasLengthOf(Variable::Loaded, Loop);
}

/// Is a row shorter, or longer, in each iteration of a loop around? Where it is
/// long it is in the L1 from the one before, mostly (n queens' conflicts, rows
/// of 100: 0.37).
static bool hasVaryingLength(const LoopFacts &Loop) {
  return hasLengthOf(Variable::Iterator, Loop);
}

/// Does the SM take longer to compute what the loop only writes than to look up
/// its lines, one a cycle? No thread waits for a store, so the lines cost
/// nothing.
static bool hidesStores(ArrayRef<StageableStream> Streams,
                        const LoopFacts &Loop, const GPUModel &GPU) {
  return all_of(Streams, [](const StageableStream &S) { return S.IsStore; }) &&
         Loop.IssueCycles >= GPU.SubPartitions * GPU.WarpSize * Streams.size();
}

/// Does another loop read an array that \p Loop only writes? Lines that threads
/// have written are in their L1; those that a warp copies are not (a search in
/// trees that begins with a row of zeros: 0.6).
static bool isReadLater(const LoopFacts &Loop, const KernelFacts &Kernel) {
  auto IsSameArray = [](const AddressForm &A, const AddressForm &B) {
    return A.any([&](Variable V) {
      return V.Kind == Variable::Argument && A.coefficient(V) == 1 &&
             B.coefficient(V) == 1;
    });
  };
  return all_of(Loop.Stageable, [&](const StageableStream &S) {
    return S.IsStore && any_of(Kernel.Loops, [&](const LoopFacts &Other) {
             return &Other != &Loop &&
                    any_of(Other.Accesses, [&](const AccessPattern &A) {
                      return !A.IsStore && IsSameArray(S.Start, A.Address);
                    });
           });
  });
}

std::string StagingPlanner::refusal(const LoopFacts &Facts) const {
  if (Facts.Stageable.empty())
    return Facts.StagingRefusal;
  if (!NoMemory.empty() || Settings.StageAll)
    return NoMemory;
  if (!Facts.StagingRefusal.empty())
    return Facts.StagingRefusal;
  for (const StageableStream &S : Facts.Stageable)
    if (std::string Why =
            whyNot(S, Facts, GPU, uint64_t(LeastChunks) * GPU.LineBytes);
        !Why.empty())
      return Why;
  if (hidesStores(Facts.Stageable, Facts, GPU))
    return "the loop computes for longer than its stores take";
  if (isReadLater(Facts, Kernel))
    return "it only writes what another loop reads, and finds in the L1";
  if (hasVaryingLength(Facts))
    return "a loop around it makes its rows shorter, or longer";
  // An SM holds 32 of them: few warps, which wait for each chunk, and few
  // lines, which the L1 holds (a swarm's kernel with blocks of 20: 0.57).
  if (areBlocksSmall(Plan, GPU) && !isPredicted(Facts))
    return "its blocks have fewer threads than a warp";
  if (hasReadLength(Facts))
    return "each thread reads from memory how long its row is, and a profile "
           "would tell (sluice profile)";
  if (isPredicted(Facts) &&
      double(Facts.Measured.Staged->Nanoseconds) *
              ThrottleThresholds().MinPredictedGain >
          double(withoutRows(Kernel, *Facts.Measured.Staged)))
    return "it would gain too little (" + describePrediction(Facts) + ")";
  return "";
}

/// For rows that would gain by shared memory and cannot have it. Turns stay: a
/// thread's lines still come through the L1.
void StagingPlanner::widen(const LoopFacts &Facts, LoopPlan &Loop) {
  if (!Settings.WidenAll) {
    std::string Why = Facts.WideningRefusal;
    for (const StageableStream &S : Facts.Widenable)
      if (Why.empty())
        Why = whyNot(S, Facts, GPU, uint64_t(LeastChunks) * CopyUnit);
    // A list of neighbours is mostly short: most of it is before and behind
    // whole blocks, and waits there for each element, and then for what that
    // says. (A row that says nothing of other places gained: row_types 1.27.)
    const bool IsList = hasReadLength(Facts) && Facts.Widenable.size() == 1 &&
                        count_if(Facts.Accesses, [](const AccessPattern &A) {
                          return A.isIndirect();
                        }) > 1;
    if (!Why.empty() || hasVaryingLength(Facts) || IsList ||
        hidesStores(Facts.Widenable, Facts, GPU))
      return;
  }
  Loop.Widened = placesOf(Facts.Widenable);
  const size_t Rows = Facts.Widenable.size();
  Loop.WidenedWhy = formatv("each thread has {0} of its own",
                            Rows == 1 ? std::string("a row")
                                      : std::to_string(Rows) + " rows");
}

bool StagingPlanner::stage(const LoopFacts &Facts, LoopPlan &Loop) {
  std::string Why = refusal(Facts);
  const uint64_t Rows = count_if(
      Facts.Stageable, [](const StageableStream &S) { return !S.IsWithin; });
  const uint64_t OfWarp = stagingBytesOfWarp(Rows, ChunkBytes, GPU.WarpSize);
  const uint64_t Free = Ledger.freeSharedBytes(/*Blocks=*/1);
  // A warp has one slot for all loops: it is in one at a time.
  const auto Known = WarpsBySlot.find(OfWarp);
  const uint64_t Warps =
      Known != WarpsBySlot.end()
          ? Known->second
          : warpsWithBuffers(Free - std::min(Free, Lost), OfWarp,
                             warpsOfBlock(Plan, GPU));
  if (Why.empty() && Warps == 0)
    Why = "their chunks are beyond the shared memory";
  // A row that is read again is in the L1 still unless all threads' rows are
  // more than it holds.
  uint64_t MovesOfRows = 0;
  for (const StageableStream &S : Facts.Stageable)
    MovesOfRows += S.IsReadAgain && !S.IsWithin ? S.Step : 0;
  if (MovesOfRows && !Settings.StageAll && !isPredicted(Facts))
    Loop.StagedFrom =
        divideCeil(GPU.l1Bytes(0), threadsOnSM(Plan) * MovesOfRows);
  if (auto Trip = tripCount(Facts);
      Why.empty() && Trip && *Trip < Loop.StagedFrom)
    Why = "a loop around it finds the rows in the L1 again";
  if (!Why.empty()) {
    Loop.StagedFrom = 0;
    Loop.StagedWhy = "rows of its threads are not staged: " + Why;
    return false;
  }
  Loop.StagedWarps = unsigned(Warps);
  Loop.ChunkBytes = ChunkBytes;
  Loop.ThroughL1 = any_of(Facts.Stageable, [&](const StageableStream &S) {
    return sharesLines(S, Facts, Kernel, GPU);
  });
  Loop.Staged = placesOf(Facts.Stageable);
  Loop.StagedWhy =
      formatv("each lane {0} {1} of its own, {2} buffers of {3} B at a time",
              whatIsDone(Facts.Stageable),
              Rows == 1 ? std::string("a row") : std::to_string(Rows) + " rows",
              Loop.StagedWarps == 1
                  ? std::string("one warp of a block has")
                  : std::to_string(Loop.StagedWarps) + " warps of a block have",
              stagingBytesOfLane(Rows, ChunkBytes) * GPU.WarpSize);
  if (isPredicted(Facts))
    Loop.StagedWhy += "; " + describePrediction(Facts);
  if (Loop.WarpGroups > 1) {
    Loop.Why = formatv("its rows are staged in shared memory in place of N={0} "
                       "({1})",
                       Loop.WarpGroups, Loop.Why);
    Loop.WarpGroups = 1;
    Loop.ByLaunch.clear();
    Loop.OnlyIf.clear();
    Loop.ThrottledFootprintBytes = Loop.FootprintBytes;
  }
  if (WarpsBySlot.emplace(OfWarp, Warps).second)
    Taken.StaticSharedBytes += OfWarp * Loop.StagedWarps;
  Ledger.weigh(Taken, /*Tie=*/1); // nobody else declares any
  return true;
}

void StagingPlanner::run() {
  // Declared shared memory adds to each launch's own, so that has to be known,
  // and blocks that must all be resident may not be so any more.
  std::optional<uint64_t> Own = Ledger.sharedBytes(NoMemory);
  if (Own && Kernel.UsesDynamicShared)
    NoMemory = "the kernel uses dynamic shared memory";
  Taken.Technique = softwareL1Technique().name();
  Lost = Own.value_or(0) ? 1024 : 0;
  listLoops(Kernel, Plan);
  bool Stages = false;
  for (auto [Facts, Loop] : zip_equal(Kernel.Loops, Plan.Loops)) {
    const bool HasRows =
        !Facts.Stageable.empty() || !Facts.StagingRefusal.empty();
    const bool IsStaged = !Settings.WidenAll && HasRows && stage(Facts, Loop);
    Stages |= IsStaged;
    if (!IsStaged && !Settings.StageAll && !Facts.Widenable.empty())
      widen(Facts, Loop);
    else if (Settings.WidenAll && !Facts.WideningRefusal.empty())
      Loop.WidenedWhy =
          "its rows are not kept in registers: " + Facts.WideningRefusal;
  }
  if (!Stages)
    return;
  // These were for lines that do not go through the L1 any more.
  blocksTechnique().forget(Plan);
  carveoutTechnique().forget(Plan);
}

void sluice::planStaging(const KernelFacts &Kernel, const GPUModel &GPU,
                         const SoftwareL1Settings &Settings, KernelPlan &Plan) {
  if (!Kernel.Off && !Kernel.Loops.empty())
    StagingPlanner(Kernel, GPU, Settings, Plan).run();
}
