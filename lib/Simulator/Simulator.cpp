// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time goes on from event to event: of the SM's schedulers the one that can
// issue first issues from one of its warps. An access then goes through the tag
// stage, and its lines to the L2 and DRAM as far as they miss; each of these is
// a server with a rate, so a queue is the time until it is free.
//
// Long because an SM is one state, and each step of it changes most of that.

#include "sluice/Simulator/Simulator.h"
#include "L1Cache.h"
#include "MemoryPath.h"
#include "StagedRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <memory>

using namespace sluice;
using llvm::popcount;

namespace {

constexpr uint32_t Never = ~uint32_t(0) >> 1;

/// What a warp issues to copy a chunk of one row of each lane: eight copies of
/// 16 bytes a lane, before each of them two shuffles and the address, and the
/// lanes' agreement (as compiled for sm_90).
constexpr unsigned CopyInstructions = 64;

struct Warp {
  const uint32_t *P = nullptr;
  uint32_t Loads = 0;     ///< Counted up.
  uint32_t Done[64] = {}; ///< When the last loads' values are there.
  unsigned Block = 0;     ///< Index in Resident.
  unsigned Number = 0;    ///< In the block.
  unsigned Scheduler = 0;
  unsigned Slot = 0; ///< Of the scheduler's.
  bool Exists = false;
  /// Of a throttled loop under way: barriers yet to pass before, and behind.
  unsigned Barriers = 0;
  unsigned BarriersBehind = 0;
  int Throttled = -1;
};

struct ResidentBlock {
  unsigned Warps = 0; ///< That have not ended.
  unsigned Waiting = 0;
  std::vector<unsigned> Members; ///< Of SMSimulation::Warps.
};

class SMSimulation {
public:
  SMSimulation(const LaunchTrace &T, const SimulationOptions &O)
      : Trace(T), O(O),
        L1(O.L1Bytes - std::min(O.L1Bytes, O.Memory.L1ReservedBytes)),
        Path(T, O), Schedulers(O.GPU->SubPartitions) {
    R.Sites.resize(T.Sites.Accesses.size());
    for (size_t I = 0; I < T.Sites.Accesses.size(); ++I)
      Hints.push_back(O.Hints.empty() ? T.Sites.Accesses[I].Hint : O.Hints[I]);
  }

  SimulationResult run();

private:
  struct Scheduler {
    std::vector<uint32_t> Ready; ///< Of each slot; Never if it cannot go on.
    std::vector<unsigned> Warps; ///< In each slot.
    std::vector<unsigned> Ages;  ///< Theirs.
    uint32_t Free = 0;
    unsigned Last = 0;
    uint64_t Busy = 0;
    uint32_t Next = Never; ///< When it can issue, from slot Best.
    unsigned Best = 0;
    bool IsStale = true;    ///< Next and Best are to be found anew.
    bool IsStalled = false; ///< At Next it tries an access again.
  };

  void startBlock();
  void endWarp(Warp &W, uint32_t Now);
  void step(Warp &W, uint32_t Now);
  void pick(Scheduler &S) const;
  void arrive(Warp &W, uint32_t Now);
  void release(ResidentBlock &B, uint32_t Now);
  void setReady(Warp &W, uint32_t When);
  bool access(Warp &W, uint32_t Now);
  uint32_t accessRow(Warp &W, unsigned Number, uint32_t Now);
  /// The queue before the tag stage.
  bool queueIsFull(uint32_t Now) const {
    return Tags.Free > double(Now) + O.Memory.L1QueueCycles;
  }
  /// Until the queue has room the scheduler waits, and its warp is the next
  /// again.
  void stall(Scheduler &S) const {
    S.Free = S.Next = uint32_t(Tags.Free) - O.Memory.L1QueueCycles + 1;
    S.IsStale = false;
    S.IsStalled = true;
  }
  L1Hint hintOf(const Warp &W, unsigned Site) const;
  uint32_t load(unsigned Site, L1Hint Hint, const LineAccess &A, double Start,
                double Cycles);
  void store(unsigned Site, const LineAccess &A, double Start);
  void enterLoop(Warp &W, int Loop);
  double cyclesOfTags() const;
  double cyclesOfBanks(const uint32_t *P, unsigned Bytes) const;

  const LaunchTrace &Trace;
  const SimulationOptions &O;
  L1Cache L1;
  MemoryPath Path;
  std::vector<L1Hint> Hints;
  std::vector<Scheduler> Schedulers;
  std::vector<Warp> Warps;
  std::vector<ResidentBlock> Resident;
  size_t NextBlock = 0;
  unsigned Ages = 0;
  unsigned Turn = 0;
  Server Tags;
  std::unique_ptr<StagedRows> Rows; ///< None is staged: null.
  unsigned IssueCycles = 1;         ///< Of the access under way.
  uint32_t LastDone = 0;
  LineAccess Lines; ///< Of the access under way, and where they can be.
  std::array<uint16_t, 64> Places;
  SimulationResult R;
};

} // namespace

void SMSimulation::setReady(Warp &W, uint32_t When) {
  Scheduler &S = Schedulers[W.Scheduler];
  S.Ready[W.Slot] = When;
  S.IsStale = true;
}

// Which warp a scheduler issues from next, and when.
void SMSimulation::pick(Scheduler &S) const {
  if (O.Scheduler == WarpScheduler::GreedyThenOldest &&
      S.Ready[S.Last] <= S.Free) {
    S.Next = S.Free;
    S.Best = S.Last;
    return;
  }
  uint32_t First = Never;
  for (uint32_t Ready : S.Ready)
    First = std::min(First, Ready);
  S.Next = First == Never ? Never : std::max(First, S.Free);
  if (First == Never)
    return;
  const unsigned Slots = S.Ready.size();
  if (O.Scheduler == WarpScheduler::LooseRoundRobin) {
    for (unsigned I = 1; I <= Slots; ++I) {
      unsigned Slot = (S.Last + I) % Slots;
      if (S.Ready[Slot] <= S.Next) {
        S.Best = Slot;
        return;
      }
    }
  }
  if (S.Ready[S.Last] <= S.Next) {
    S.Best = S.Last;
    return;
  }
  unsigned Oldest = ~0u;
  for (unsigned Slot = 0; Slot < Slots; ++Slot)
    if (S.Ready[Slot] <= S.Next && S.Ages[Slot] < Oldest) {
      Oldest = S.Ages[Slot];
      S.Best = Slot;
    }
}

void SMSimulation::startBlock() {
  if (NextBlock == Trace.Blocks.size())
    return;
  const BlockTrace &B = Trace.Blocks[NextBlock++];
  unsigned Index = 0;
  while (Index < Resident.size() && Resident[Index].Warps)
    ++Index;
  ResidentBlock &Place = Resident[Index];
  Place.Warps = B.Warps.size();
  Place.Waiting = 0;
  ++R.Blocks;
  for (unsigned I = 0; I < B.Warps.size(); ++I) {
    Warp &W = Warps[Place.Members[I]];
    W.P = B.Warps[I].Words.data();
    W.Loads = 0;
    std::fill(std::begin(W.Done), std::end(W.Done), 0);
    W.Number = I;
    Schedulers[W.Scheduler].Ages[W.Slot] = Ages++;
    W.Exists = true;
    W.Barriers = W.BarriersBehind = 0;
    W.Throttled = -1;
    if (Rows)
      Rows->restart(Place.Members[I]);
    setReady(W, LastDone);
  }
}

void SMSimulation::endWarp(Warp &W, uint32_t Now) {
  W.Exists = false;
  setReady(W, Never);
  LastDone = std::max(LastDone, Now);
  ResidentBlock &B = Resident[W.Block];
  if (--B.Warps == 0) {
    uint32_t Keep = LastDone;
    LastDone = Now; // when the next block starts
    startBlock();
    LastDone = Keep;
  } else if (B.Waiting == B.Warps)
    release(B, Now);
}

void SMSimulation::release(ResidentBlock &B, uint32_t Now) {
  B.Waiting = 0;
  for (unsigned I : B.Members)
    if (Warps[I].Exists)
      setReady(Warps[I], Now + O.Memory.SharedCycles);
}

// The warp waits for the others of its block.
void SMSimulation::arrive(Warp &W, uint32_t Now) {
  ResidentBlock &B = Resident[W.Block];
  setReady(W, Never);
  if (++B.Waiting == B.Warps)
    release(B, Now);
}

// As the throttling transform does it: for each of N turns, the warps of that
// group run the loop, and all meet at a barrier.
void SMSimulation::enterLoop(Warp &W, int Loop) {
  if (O.WarpGroups.empty() || W.Throttled >= 0)
    return;
  unsigned Groups = O.WarpGroups[Loop];
  if (Groups <= 1)
    return;
  unsigned Count = Resident[W.Block].Members.size();
  unsigned Group = W.Number / ((Count + Groups - 1) / Groups);
  W.Throttled = Loop;
  W.Barriers = Group;
  W.BarriersBehind = Groups - Group;
}

// Sectors come into a line.
static void addSectors(CacheLine &L, unsigned Sectors, uint32_t Arrives) {
  for (unsigned S = 0; S < 4; ++S)
    if (Sectors & 1u << S)
      L.Arrives[S] = Arrives;
  L.Valid |= uint8_t(Sectors);
}

// What the warp's load of global memory asks of the L1.
L1Hint SMSimulation::hintOf(const Warp &W, unsigned Site) const {
  const L1Hint Hint = Hints[Site];
  const bool GoesPast =
      O.CachedWarps && W.Number >= *O.CachedWarps &&
      Trace.Sites.Accesses[Site].Space == AccessSite::Global &&
      Hint != L1Hint::NoAllocate;
  return GoesPast ? L1Hint::Global : Hint;
}

// When the values of a load that begins its tag look-ups at Start are there.
uint32_t SMSimulation::load(unsigned Site, L1Hint Hint, const LineAccess &A,
                            double Start, double Cycles) {
  const bool IsCached = Hint != L1Hint::Global;
  const double CyclesPerLine = Cycles / A.Count;
  double Last = Start;
  uint64_t Hits = 0, PendingHits = 0;
  SiteTraffic &T = R.Sites[Site];
  if (T.Hits < T.Sectors - T.Sectors / 8) // else it would not be worth it
    for (unsigned I = 0; I < A.Count; ++I) {
      CacheLine *L = IsCached ? L1.find(A.Line[I], Places[I]) : nullptr;
      if (!L || A.Sectors[I] & ~L->Valid)
        Path.prefetch(A.Line[I]);
    }
  for (unsigned I = 0; I < A.Count; ++I, Start += CyclesPerLine) {
    const uint8_t Want = A.Sectors[I];
    double Ready = Start + O.Memory.L1HitCycles;
    CacheLine *L = IsCached ? L1.find(A.Line[I], Places[I]) : nullptr;
    uint8_t Missing = Want;
    if (L) {
      Missing &= ~L->Valid;
      L1.touch(*L, Places[I], Hint);
      unsigned Late = 0;
      for (unsigned S = 0; S < 4; ++S)
        Late |= unsigned(L->Arrives[S] > uint32_t(Start)) << S;
      const unsigned Have = Want & L->Valid;
      Late &= Have;
      Hits += countSectors(Have & ~Late);
      if (Late) {
        PendingHits += countSectors(Late);
        for (unsigned S = 0; S < 4; ++S)
          if (Late & 1u << S)
            Ready = std::max(Ready, double(L->Arrives[S]));
      }
    }
    if (Missing) {
      double Arrives = Path.fetch(Site, Hint, A.Line[I], Missing, Start, T);
      Ready = std::max(Ready, Arrives);
      if (IsCached && Hint != L1Hint::NoAllocate) {
        if (!L)
          L = L1.allocate(A.Line[I], Places[I], Hint);
        if (L)
          addSectors(*L, Missing, uint32_t(Arrives));
      }
    }
    Last = std::max(Last, Ready);
  }
  T.Sectors += A.NumSectors;
  T.Hits += Hits;
  T.PendingHits += PendingHits;
  return uint32_t(Last);
}

// Stores go through to the L2, and leave what they wrote in the L1.
void SMSimulation::store(unsigned Site, const LineAccess &A, double Start) {
  SiteTraffic &T = R.Sites[Site];
  T.Sectors += A.NumSectors;
  T.L2Sectors += A.NumSectors;
  Tags.Free = std::max(Tags.Free, Path.store(Site, A, Start));
  const bool IsAtomic = Trace.Sites.Accesses[Site].Kind == AccessSite::Atomic;
  for (unsigned I = 0; I < A.Count; ++I) {
    CacheLine *L = L1.find(A.Line[I], Places[I]);
    if (IsAtomic) {
      if (L)
        L->Valid &= ~A.Sectors[I];
    } else {
      if (!L)
        L = L1.allocate(A.Line[I], Places[I], L1Hint::Normal);
      else
        L1.touch(*L, Places[I], L1Hint::Normal);
      if (L)
        addSectors(*L, A.Sectors[I] & ~L->Valid, uint32_t(Start));
    }
  }
}

// A slice looks at one tag a cycle.
double SMSimulation::cyclesOfTags() const {
  unsigned OfSlice[L1Cache::Slices] = {};
  for (unsigned I = 0; I < Lines.Count; ++I)
    ++OfSlice[L1Cache::sliceOf(Places[I])];
  return *std::max_element(std::begin(OfSlice), std::end(OfSlice)) /
         O.Memory.TagLinesPerCycle;
}

// The words of a bank are read one a cycle, lines of 32 banks.
double SMSimulation::cyclesOfBanks(const uint32_t *P, unsigned Bytes) const {
  const unsigned Lanes = popcount(P[1]);
  const double Least = Lanes * Bytes / O.Memory.L1BytesPerCycle;
  if (WarpTrace::op(*P) != WarpTrace::Affine)
    return std::max(Least, 1.0);
  const uint32_t Stride = uint32_t(std::abs(int32_t(P[4]))) / 4;
  if (!Stride)
    return 1;
  // Lanes a distance of 32 / gcd apart meet in a bank.
  unsigned Apart = 32u >> std::min(5, llvm::countr_zero(Stride));
  return std::max<double>({Least, 1.0, double(Lanes) / Apart});
}

// An access of rows that are staged. If it is the first of a chunk, that is
// copied, all lanes' lines, or written.
uint32_t SMSimulation::accessRow(Warp &W, unsigned Number, uint32_t Now) {
  const MemoryModel &M = O.Memory;
  const AccessSite &Site = Trace.Sites.Accesses[Number];
  const uint32_t *P = W.P;
  W.P = skipAccess(P);
  Rows->access(size_t(&W - Warps.data()), P, Lines);
  const double Cycles =
      std::max<double>(1, popcount(P[1]) * Site.Bytes / M.L1BytesPerCycle);
  const double Start = Tags.serve(Now, Cycles + Lines.Count);
  const auto Ready = uint32_t(Start) + M.SharedCycles;
  if (!Lines.Count)
    return Ready;
  IssueCycles = CopyInstructions;
  L1Cache::placesOf(Lines, Places.data());
  if (Site.Kind != AccessSite::Store)
    return std::max(Ready, load(Number, hintOf(W, Number), Lines, Start,
                                Lines.Count));
  store(Number, Lines, Start);
  return Ready;
}

// The access W stands at. False if the queue before the tag stage is full: then
// it is tried again later.
bool SMSimulation::access(Warp &W, uint32_t Now) {
  const MemoryModel &M = O.Memory;
  if (queueIsFull(Now)) {
    stall(Schedulers[W.Scheduler]);
    return false;
  }
  const uint32_t *P = W.P;
  unsigned Number = WarpTrace::argument(*P);
  const AccessSite &Site = Trace.Sites.Accesses[Number];
  uint32_t Ready;
  IssueCycles = 1;
  if (Rows && Rows->has(Number)) {
    Ready = accessRow(W, Number, Now);
  } else if (Site.Space == AccessSite::Shared) {
    W.P = skipAccess(P);
    double Cycles =
        std::max<double>(1, popcount(P[1]) * Site.Bytes / M.L1BytesPerCycle);
    Ready = uint32_t(Tags.serve(Now, Cycles)) + M.SharedCycles;
  } else {
    if (O.Order)
      O.Order->push_back(P);
    W.P = expandAccess(P, Site.Bytes, Lines);
    L1Cache::placesOf(Lines, Places.data());
    double Cycles = std::max(
        {M.RequestCycles, cyclesOfTags(), cyclesOfBanks(P, Site.Bytes)});
    double Start = Tags.serve(Now, Cycles);
    if (Site.Kind == AccessSite::Load)
      Ready = load(Number, hintOf(W, Number), Lines, Start, Cycles);
    else {
      store(Number, Lines, Start);
      Ready = uint32_t(Start) +
              (Site.Kind == AccessSite::Atomic ? M.L2HitCycles : 0);
    }
  }
  if (Site.Kind != AccessSite::Store)
    W.Done[W.Loads++ % 64] = Ready;
  LastDone = std::max(LastDone, Ready);
  return true;
}

// Issues what W does next at Now, until time goes on for it.
void SMSimulation::step(Warp &W, uint32_t Now) {
  Scheduler &S = Schedulers[W.Scheduler];
  while (true) {
    if (W.Barriers) {
      --W.Barriers;
      arrive(W, Now);
      return;
    }
    uint32_t Word = *W.P, Argument = WarpTrace::argument(Word);
    switch (WarpTrace::op(Word)) {
    case WarpTrace::End:
      endWarp(W, Now);
      return;
    case WarpTrace::Issue: {
      ++W.P;
      S.Free = Now + Argument;
      S.Busy += Argument;
      double Took = Argument * O.Memory.ArithmeticCycles /
                    O.Memory.IndependentInstructions;
      setReady(W, Now + std::max<uint32_t>(Argument, uint32_t(Took)));
      return;
    }
    case WarpTrace::Wait: {
      ++W.P;
      uint32_t Done = Argument <= 64 && Argument <= W.Loads
                          ? W.Done[(W.Loads - Argument) % 64]
                          : 0;
      if (Done > Now) {
        setReady(W, Done);
        return;
      }
      break;
    }
    case WarpTrace::Barrier:
      ++W.P;
      arrive(W, Now);
      return;
    case WarpTrace::LoopEnter:
      ++W.P;
      enterLoop(W, Argument);
      break;
    case WarpTrace::LoopExit:
      ++W.P;
      if (W.Throttled == int(Argument)) {
        W.Throttled = -1;
        W.Barriers = W.BarriersBehind;
      }
      break;
    case WarpTrace::Iterate:
      ++W.P;
      break;
    case WarpTrace::Affine:
    case WarpTrace::Scattered:
      if (!access(W, Now))
        return;
      S.Free = Now + IssueCycles;
      S.Busy += IssueCycles;
      setReady(W, Now + 1 + IssueCycles);
      return;
    }
  }
}

SimulationResult SMSimulation::run() {
  unsigned WarpsPerBlock = (Trace.blockThreads() + 31) / 32;
  unsigned Blocks = std::max(1u, O.BlocksPerSM);
  Blocks = std::min<size_t>(Blocks, std::max<size_t>(1, Trace.Blocks.size()));
  Resident.resize(Blocks);
  for (unsigned B = 0; B < Blocks; ++B)
    for (unsigned I = 0; I < WarpsPerBlock; ++I) {
      unsigned Index = Warps.size();
      Warps.emplace_back();
      Warp &W = Warps.back();
      W.Scheduler = Index % Schedulers.size();
      Scheduler &S = Schedulers[W.Scheduler];
      W.Slot = S.Warps.size();
      W.Block = B;
      S.Ready.push_back(Never);
      S.Warps.push_back(Index);
      S.Ages.push_back(0);
      Resident[B].Members.push_back(Index);
    }
  if (!O.RowOf.empty())
    Rows = std::make_unique<StagedRows>(O.RowOf, Trace.Sites, Warps.size());
  for (unsigned B = 0; B < Blocks; ++B)
    startBlock();
  while (true) {
    // Of those that can issue at one time each goes first in turn.
    Scheduler *Next = nullptr;
    Turn = Turn + 1 < Schedulers.size() ? Turn + 1 : 0;
    for (unsigned I = 0; I < Schedulers.size(); ++I) {
      const unsigned At = Turn + I;
      Scheduler &S =
          Schedulers[At < Schedulers.size() ? At : At - Schedulers.size()];
      if (S.Ready.empty())
        continue;
      if (S.IsStale) {
        pick(S);
        S.IsStale = false;
      }
      if (S.Next < (Next ? Next->Next : Never))
        Next = &S;
    }
    if (!Next)
      break;
    if (Next->IsStalled && queueIsFull(Next->Next)) {
      stall(*Next);
      continue;
    }
    Next->IsStalled = false;
    Next->Last = Next->Best;
    Next->IsStale = true;
    step(Warps[Next->Warps[Next->Best]], Next->Next);
  }
  R.Cycles = LastDone;
  for (const Scheduler &S : Schedulers) {
    R.Instructions += S.Busy;
    R.IssueCycles = std::max(R.IssueCycles, S.Busy);
  }
  R.TagCycles = uint64_t(Tags.Busy);
  R.L2Cycles = uint64_t(Path.l2BusyCycles());
  R.DRAMCycles = uint64_t(Path.dramBusyCycles());
  R.DRAMWriteSectors = Path.writtenSectors();
  return std::move(R);
}

SimulationResult sluice::simulate(const LaunchTrace &Trace,
                                  const SimulationOptions &Options) {
  return SMSimulation(Trace, Options).run();
}

SiteTraffic SimulationResult::loads(const CodeSites &Code) const {
  SiteTraffic All;
  for (size_t I = 0; I < Sites.size(); ++I) {
    const AccessSite &S = Code.Accesses[I];
    if (S.Kind != AccessSite::Load || S.Space != AccessSite::Global)
      continue;
    All.Sectors += Sites[I].Sectors;
    All.Hits += Sites[I].Hits;
    All.PendingHits += Sites[I].PendingHits;
    All.L2Sectors += Sites[I].L2Sectors;
    All.DRAMSectors += Sites[I].DRAMSectors;
  }
  return All;
}
