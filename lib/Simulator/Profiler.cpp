// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch after launch: its counts, a simulation as it is, then one for each
// change that a planner could ask for: turns, fewer blocks, carveouts, hints.
// The launches of a kernel add up.

#include "sluice/Simulator/Profiler.h"
#include "HintSearch.h"
#include "StagedTimes.h"
#include "TraceStatistics.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/LastWave.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace sluice;

/// With fewer warps on an SM the latency of a load is seen whole.
static constexpr unsigned LeastWarps = 8;

/// \p Blocks at most, with the L1 that their claim leaves, if that is not more
/// than is to be simulated. False: no claim does that.
static bool limitBlocks(SimulationOptions &S, const LaunchTrace &Trace,
                        const ProfilerOptions &Options, unsigned Blocks) {
  if (Blocks >= S.BlocksPerSM)
    return true;
  auto Claim = claimForBlocks(
      *S.GPU, Blocks, Trace.StaticSharedBytes + Trace.DynamicSharedBytes);
  if (!Claim)
    return false;
  S.BlocksPerSM = Blocks;
  S.L1Bytes = Options.L1Bytes ? std::min(*Options.L1Bytes, Claim->L1Bytes)
                              : Claim->L1Bytes;
  return true;
}

Expected<SimulationOptions>
sluice::simulationOf(const LaunchTrace &Trace, const ProfilerOptions &Options) {
  BlockResources Block;
  Block.ThreadsPerBlock = Trace.blockThreads();
  Block.RegistersPerThread = Trace.Registers;
  Block.StaticSharedBytes = Trace.StaticSharedBytes;
  Block.DynamicSharedBytes = Trace.DynamicSharedBytes;
  auto O = computeOccupancy(*Options.GPU, Block, Trace.gridBlocks(),
                            Trace.ActiveSMs);
  if (!O)
    return O.takeError();
  SimulationOptions S;
  S.GPU = Options.GPU;
  S.Memory = memoryModel(*Options.GPU);
  S.L1Bytes = O->L1Bytes;
  S.BlocksPerSM = O->BlocksPerSM;
  S.ActiveSMs = Trace.ActiveSMs;
  if (Options.ResidentBlocks &&
      !limitBlocks(S, Trace, Options, *Options.ResidentBlocks))
    return createStringError(
        "'" + Trace.Kernel + "' cannot be kept at " +
        Twine(*Options.ResidentBlocks) +
        " blocks an SM: no claim of shared memory does it");
  if (Options.L1Bytes)
    S.L1Bytes = *Options.L1Bytes;
  S.Scheduler = Options.Scheduler;
  if (Options.Hint)
    for (const AccessSite &Site : Trace.Sites.Accesses)
      S.Hints.push_back(Site.Kind == AccessSite::Load ? *Options.Hint
                                                      : Site.Hint);
  if (Options.WarpGroups > 1)
    for (const LoopSite &Loop : Trace.Sites.Loops)
      S.WarpGroups.push_back(Loop.Parent < 0 ? Options.WarpGroups : 1);
  return S;
}

namespace {

/// The accesses of a kernel as the source has them: copies together.
struct Grouping {
  std::vector<int> GroupOf;                 ///< By site; -1: not profiled.
  std::vector<std::vector<unsigned>> Sites; ///< By group.
};

} // namespace

static StringRef kindName(AccessSite::KindTy Kind) {
  return Kind == AccessSite::Load    ? "load"
         : Kind == AccessSite::Store ? "store"
                                     : "atomic";
}

static Grouping groupSites(const CodeSites &Code,
                           const TraceStatistics &Counts) {
  Grouping G;
  G.GroupOf.assign(Code.Accesses.size(), -1);
  std::map<std::pair<std::string, int>, int> Known;
  for (auto [I, Site] : enumerate(Code.Accesses)) {
    if (Site.Space != AccessSite::Global || !Counts.Sites[I].Requests)
      continue;
    CodeId Id = Site.Id.ofAllCopies();
    auto [It, New] =
        Known.try_emplace({Id.str(), Site.Kind}, int(G.Sites.size()));
    if (New)
      G.Sites.emplace_back();
    G.GroupOf[I] = It->second;
    G.Sites[It->second].push_back(unsigned(I));
  }
  return G;
}

static void addReuse(ReuseHistogram &Into, const ReuseHistogram &From) {
  for (auto [A, B] : zip(Into.Count, From.Count))
    A += B;
  Into.Never += From.Never;
}

// The text of the kernel, and those of the other functions that accesses and
// loops of the profile stand in.
static void describeTexts(KernelProfile &K, const CodeSites &Code,
                          const TraceStatistics &Counts) {
  std::vector<bool> Used(Code.Functions.size());
  auto Use = [&](const std::vector<unsigned> &Functions) {
    for (unsigned F : Functions)
      Used[F] = true;
  };
  for (auto [Site, C] : zip(Code.Accesses, Counts.Sites))
    if (C.Requests)
      Use(Site.Functions);
  for (auto [Site, L] : zip(Code.Loops, Counts.Loops))
    if (L.Entries)
      Use(Site.Functions);
  auto Same = [](const FunctionText &A, const FunctionText &B) {
    return A.File == B.File && A.FirstLine == B.FirstLine;
  };
  if (const FunctionSite *Kernel = Code.kernel(K.Name))
    static_cast<FunctionText &>(K) = *Kernel;
  for (size_t I = 0; I < Used.size(); ++I) {
    const FunctionText &F = Code.Functions[I];
    if (Used[I] && !Same(F, K) &&
        none_of(K.Inlined, [&](const FunctionText &G) { return Same(F, G); }))
      K.Inlined.push_back(F);
  }
}

uint64_t sluice::predictedNanoseconds(const LaunchTrace &Trace,
                                      const SimulationOptions &Options,
                                      const SimulationResult &Result) {
  if (!Result.Blocks || Options.Memory.ClockGHz <= 0)
    return 0;
  const uint64_t MostBlocks =
      divideCeil(Trace.gridBlocks(), std::max(1u, Trace.ActiveSMs));
  return uint64_t(double(Result.Cycles) / double(Result.Blocks) *
                  double(MostBlocks) / Options.Memory.ClockGHz) +
         Options.Memory.LaunchNanoseconds;
}

// What the kernel would take with turns at each of its outermost loops.
void Profiler::addTurns(const LaunchTrace &Trace,
                        const SimulationOptions &Simulation,
                        const TraceStatistics &Counts, KernelProfile &K) const {
  const unsigned Warps = (Trace.blockThreads() + 31) / 32;
  // Copies of one loop of the source take turns together.
  struct Candidate {
    std::vector<unsigned> Copies;
    uint64_t Iterations = 0;
    bool CanTakeTurns = false;
    bool HasBarrier = false;
  };
  std::map<std::string, Candidate> ByPlace;
  for (auto [I, L] : enumerate(Counts.Loops)) {
    if (Trace.Sites.Loops[I].Parent >= 0 || !L.Entries)
      continue;
    CodeId Id = Trace.Sites.Loops[I].Id.ofAllCopies();
    Candidate &C = ByPlace[Id.str()];
    C.Copies.push_back(unsigned(I));
    C.Iterations += L.Iterations;
    C.CanTakeTurns |= L.Iterations > L.Entries;
    C.HasBarrier |= L.HasBarrier;
  }
  std::vector<const Candidate *> Loops;
  for (const auto &[Id, C] : ByPlace)
    if (C.CanTakeTurns && !C.HasBarrier)
      Loops.push_back(&C);
  llvm::sort(Loops, [](const Candidate *A, const Candidate *B) {
    return std::pair(B->Iterations, A->Copies.front()) <
           std::pair(A->Iterations, B->Copies.front());
  });
  if (Loops.size() > Options.MostTurnLoops)
    Loops.resize(Options.MostTurnLoops);
  // Where the kernel is fastest with turns, it may be faster with another L1.
  std::pair<LoopProfile *, size_t> Fastest = {nullptr, 0};
  uint64_t Best = K.Time.Nanoseconds;
  SimulationOptions OfFastest;
  for (const Candidate *C : Loops) {
    // The prediction stands with the copy that runs the most.
    LoopProfile *Of = nullptr;
    for (LoopProfile &L : K.Loops)
      for (unsigned Copy : C->Copies)
        if (L.Id == Trace.Sites.Loops[Copy].Id &&
            (!Of || L.Iterations > Of->Iterations))
          Of = &L;
    if (!Of || !Of->Turns.empty())
      continue;
    Of->Turns.push_back({1, K.Time.Nanoseconds});
    SimulationOptions Turns = Simulation;
    Turns.Order = nullptr;
    Turns.WarpGroups.assign(Trace.Sites.Loops.size(), 1);
    for (unsigned N = 2; N <= Warps; N *= 2) {
      for (unsigned Copy : C->Copies)
        Turns.WarpGroups[Copy] = N;
      Of->Turns.push_back(
          {N, predictedNanoseconds(Trace, Turns, simulate(Trace, Turns))});
      if (Of->Turns.back().Nanoseconds < Best) {
        Best = Of->Turns.back().Nanoseconds;
        Fastest = {Of, Of->Turns.size() - 1};
        OfFastest = Turns;
      }
    }
  }
  if (auto [Loop, Index] = Fastest; Loop)
    Loop->Turns[Index].Carveouts = withCarveouts(Trace, OfFastest, Best);
}

/// What the kernel takes with other carveouts than the driver's, first in
/// \p Nanoseconds with that. Empty: there is none.
std::vector<CarveoutPrediction>
Profiler::withCarveouts(const LaunchTrace &Trace,
                        const SimulationOptions &Simulation,
                        uint64_t Nanoseconds) const {
  if (Options.L1Bytes)
    return {};
  std::vector<CarveoutPrediction> All = {{std::nullopt, Nanoseconds}};
  for (const CarveoutStep &Step :
       carveoutsThatKeep(*Simulation.GPU, Simulation.BlocksPerSM,
                         Trace.StaticSharedBytes + Trace.DynamicSharedBytes,
                         Simulation.L1Bytes)) {
    SimulationOptions Other = Simulation;
    Other.Order = nullptr;
    Other.L1Bytes = Step.L1Bytes;
    All.push_back({Step.Percent,
                   predictedNanoseconds(Trace, Other, simulate(Trace, Other))});
  }
  if (All.size() == 1)
    All.clear();
  return All;
}

// What the kernel would take with M blocks on an SM.
void Profiler::addFewerBlocks(const LaunchTrace &Trace,
                              const SimulationOptions &Simulation,
                              KernelProfile &K) const {
  const unsigned Warps = (Trace.blockThreads() + 31) / 32;
  auto Busiest = [&](unsigned Resident) {
    return double(
        blocksOfBusiestSM(Trace.gridBlocks(), Trace.ActiveSMs, Resident));
  };
  auto Simulated = [&](const SimulationOptions &Fewer) {
    // The blocks that one SM gets are simulated, however uneven that is.
    return uint64_t(
        double(predictedNanoseconds(Trace, Fewer, simulate(Trace, Fewer))) *
        Busiest(Fewer.BlocksPerSM) / Busiest(Simulation.BlocksPerSM));
  };
  for (unsigned M : {1, 2, 3, 4, 6, 8, 12, 16, 24}) {
    SimulationOptions Fewer = Simulation;
    Fewer.Order = nullptr;
    const bool IsLess = M < Simulation.BlocksPerSM;
    if (M * Warps < LeastWarps ||
        (IsLess && !limitBlocks(Fewer, Trace, Options, M)))
      continue;
    K.FewerBlocks.push_back(
        {M, IsLess ? Simulated(Fewer) : K.Time.Nanoseconds});
  }
  K.FewerBlocks.push_back({BlocksPrediction::All, K.Time.Nanoseconds});
}

// What the kernel would take if only the first warps of a block used the L1: at
// most eight numbers, as the tuner tries.
void Profiler::addCachedWarps(const LaunchTrace &Trace,
                              const SimulationOptions &Simulation,
                              KernelProfile &K) const {
  const unsigned Warps = divideCeil(Trace.blockThreads(), 32u);
  SimulationOptions Fewer = Simulation;
  Fewer.Order = nullptr;
  for (unsigned Cached = 0; Cached < Warps; Cached += divideCeil(Warps, 8u)) {
    Fewer.CachedWarps = Cached;
    K.CachedWarps.push_back({Cached, predictedNanoseconds(
                                         Trace, Fewer, simulate(Trace, Fewer))});
  }
  K.CachedWarps.push_back({BypassPrediction::All, K.Time.Nanoseconds});
}

// What the kernel would take with other hints on its loads. A later launch has
// the sets of the first, so that their times can be added up.
void Profiler::addHints(const LaunchTrace &Trace,
                        const SimulationOptions &Simulation,
                        ArrayRef<std::vector<unsigned>> SitesOf,
                        KernelProfile &K) const {
  const HintSearch Search(Trace, Simulation, K, SitesOf);
  const KernelProfile *Before = Result.kernel(K.Name);
  if (!Before || Before->SimulatedBlocks == 0) {
    K.Hints = Search.search();
    return;
  }
  std::vector<HintsPrediction> Known;
  for (HintsPrediction Set : Before->Hints) {
    for (LoadHint &Load : Set.Loads) {
      const CodeId &Id = Before->Accesses[Load.Access].Id;
      auto Here = find_if(K.Accesses, [&](const AccessProfile &A) {
        return A.Kind == "load" && A.Id == Id;
      });
      Load.Access = unsigned(Here - K.Accesses.begin());
    }
    // A launch that does not run a load does not count for its hints.
    erase_if(Set.Loads, [&](const LoadHint &Load) {
      return Load.Access == K.Accesses.size();
    });
    Known.push_back(std::move(Set));
  }
  K.Hints = Search.repeat(Known);
}

static void addAccesses(const CodeSites &Code, const Grouping &Groups,
                        const TraceStatistics &Counts,
                        const SimulationResult &Result,
                        ArrayRef<ReuseHistogram> Reuse, KernelProfile &K) {
  for (const std::vector<unsigned> &Sites : Groups.Sites) {
    AccessProfile A;
    const AccessSite &First = Code.Accesses[Sites.front()];
    A.Id = First.Id.ofAllCopies();
    A.Kind = kindName(First.Kind).str();
    for (unsigned I : Sites) {
      AccessCounts C = Counts.Sites[I];
      const SiteTraffic &T = Result.Sites[I];
      C.Hits = T.Hits;
      C.PendingHits = T.PendingHits;
      // DRAM gives two where one is asked for.
      C.DRAMSectors = std::min(T.DRAMSectors, C.misses());
      A.Bytes = std::max<unsigned>(A.Bytes, Code.Accesses[I].Bytes);
      A.Counts += C;
      A.Copies.push_back(C);
      addReuse(A.Reuse, Reuse[I]);
    }
    if (A.Copies.size() == 1)
      A.Copies.clear();
    K.Accesses.push_back(std::move(A));
  }
}

/// Loads alone and in pairs.
static void addPairs(ArrayRef<const uint32_t *> Order, const CodeSites &Code,
                     const Grouping &Groups, uint64_t L1Bytes,
                     unsigned MostLoads, KernelProfile &K) {
  std::vector<unsigned> Loads;
  for (auto [I, A] : enumerate(K.Accesses))
    if (A.Kind == "load")
      Loads.push_back(unsigned(I));
  if (Loads.size() > MostLoads)
    return;
  PairSimulation Pairs(Order, Code, Groups.GroupOf, L1Bytes);
  for (auto [I, First] : enumerate(Loads)) {
    K.Accesses[First].SectorsAlone = K.Accesses[First].Counts.Sectors;
    K.Accesses[First].HitsAlone = Pairs.hits(int(First), int(First));
    for (unsigned Second : ArrayRef(Loads).drop_front(I + 1))
      K.Pairs.push_back({First, Second, Pairs.hits(int(First), int(Second))});
  }
}

static void addLoops(const CodeSites &Code, const TraceStatistics &Counts,
                     KernelProfile &K) {
  for (auto [L, Site] : zip(Counts.Loops, Code.Loops)) {
    if (!L.Entries)
      continue;
    const CodeId &Id = Site.Id;
    auto Known = find_if(
        K.Loops, [&](const LoopProfile &Other) { return Other.Id == Id; });
    if (Known == K.Loops.end()) {
      K.Loops.push_back(L);
      K.Loops.back().Id = Site.Id;
      continue;
    }
    // Copies of a function that was not inlined.
    Known->Entries += L.Entries;
    Known->Iterations += L.Iterations;
    Known->IterationLines += L.IterationLines;
    Known->MostIterationLines =
        std::max(Known->MostIterationLines, L.MostIterationLines);
  }
}

Error Profiler::addSimulated(const LaunchTrace &Trace, KernelProfile &K) {
  auto Simulation = simulationOf(Trace, Options);
  if (!Simulation)
    return Simulation.takeError();
  std::vector<const uint32_t *> Order;
  Simulation->Order = &Order;
  const SimulationResult Result = simulate(Trace, *Simulation);
  const TraceStatistics Counts = countTrace(Trace);
  const Grouping Groups = groupSites(Trace.Sites, Counts);
  const unsigned Sample = Order.size() > 100000 ? 16 : 1;
  const std::vector<ReuseHistogram> Reuse =
      reuseDistances(Order, Trace.Sites, Sample);

  describeTexts(K, Trace.Sites, Counts);
  K.L1Bytes = Simulation->L1Bytes;
  K.SimulatedBlocks = Result.Blocks;
  static_cast<UnitCycles &>(K.Time) = Result;
  K.Time.Nanoseconds = predictedNanoseconds(Trace, *Simulation, Result);
  addAccesses(Trace.Sites, Groups, Counts, Result, Reuse, K);
  if (Options.Pairs)
    addPairs(Order, Trace.Sites, Groups,
             Simulation->L1Bytes - std::min(Simulation->L1Bytes,
                                            Simulation->Memory.L1ReservedBytes),
             Options.MostPairedLoads, K);
  addLoops(Trace.Sites, Counts, K);
  const bool HasLoops = any_of(Counts.Loops, [](const LoopProfile &L) {
    return L.Iterations > L.Entries;
  });
  if (Options.Turns && !Options.Hint && Options.WarpGroups == 1 &&
      !Options.ResidentBlocks) {
    K.Carveouts = withCarveouts(Trace, *Simulation, K.Time.Nanoseconds);
    addHints(Trace, *Simulation, Groups.Sites, K);
    if (HasLoops) {
      addTurns(Trace, *Simulation, Counts, K);
      if (!Options.L1Bytes)
        addStagedTimes(Trace, *Simulation, Counts, K);
      addFewerBlocks(Trace, *Simulation, K);
    }
    if (HasLoops && Options.CachedWarps)
      addCachedWarps(Trace, *Simulation, K);
  }
  return Error::success();
}

Expected<PredictedTime> Profiler::add(const LaunchTrace &Trace) {
  // A profile of this launch alone, to be merged.
  Profile One;
  One.Runs = 0;
  One.Source = Result.Source;
  One.Kernels.emplace_back();
  KernelProfile &K = One.Kernels.back();
  K.Name = Trace.Kernel;
  K.Registers = Trace.Registers;
  LaunchProfile Shape;
  Shape.Grid = LaunchDim::known(Trace.Grid[0], Trace.Grid[1], Trace.Grid[2]);
  Shape.Block =
      LaunchDim::known(Trace.Block[0], Trace.Block[1], Trace.Block[2]);
  Shape.DynamicSharedBytes = Trace.DynamicSharedBytes;
  Shape.Launches = 1;
  K.Launches.push_back(Shape);
  K.Blocks = Trace.gridBlocks();
  double &OfBlock = NanosecondsOfBlock[K.Name];
  if (Trace.Blocks.empty()) {
    if (const KernelProfile *Known = Result.kernel(K.Name))
      static_cast<FunctionText &>(K) = *Known;
    K.Time.Nanoseconds = uint64_t(OfBlock * double(K.Blocks));
  } else {
    if (Error E = addSimulated(Trace, K))
      return std::move(E);
    OfBlock = double(K.Time.Nanoseconds) / double(K.Blocks);
    if (const FunctionSite *F = Trace.Sites.kernel(K.Name);
        F && Result.Source.empty())
      Result.Source = One.Source = F->Source;
  }
  if (Error E = mergeProfile(Result, One))
    return std::move(E);
  return K.Time;
}

Profile Profiler::take() {
  auto Prune = [](std::vector<CarveoutPrediction> &Carveouts) {
    if (!changesAnything(Carveouts))
      Carveouts.clear();
  };
  for (KernelProfile &K : Result.Kernels) {
    Prune(K.Carveouts);
    for (LoopProfile &L : K.Loops)
      for (TurnsPrediction &T : L.Turns)
        Prune(T.Carveouts);
  }
  return std::move(Result);
}
