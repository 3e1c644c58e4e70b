// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races: two threads touch the same bytes, one of them writes, and nothing
// orders the two.
//
// What orders them, by clocks that only grow:
//   * threads of one block: a barrier of the block between the two accesses;
//   * lanes of one warp: also a __syncwarp of both between them;
//   * any threads: an atomic or volatile access by each side's block after the
//     first access (a lock, a flag, a counter of finished blocks). This is
//     lenient: that the two met at the same variable is not asked.
// An asynchronous copy writes when it is issued and again when its thread waits
// for it. So what is reported is a race in the CUDA memory model; some are
// missed. For each 4 bytes the last write and the last two reads by different
// threads are remembered. Lanes of one store that write the same value to one
// place are not reported. Reads of buffers that the kernel does not write are
// not remembered: a write to one through a pointer found in memory is checked
// only against what comes after it.

#include "Launch.h"
#include "Observers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <map>
#include <unordered_map>

using namespace sluice::emulator;

namespace {

/// Warps of a launch are numbered from 1 as their blocks start.
struct Touch {
  uint32_t Warp = 0; ///< 0: none
  uint32_t Time = 0;
  uint32_t Place : 23;
  uint32_t Lane : 5;
  uint32_t Bytes : 4; ///< Mask within the 4.

  Touch() : Place(0), Lane(0), Bytes(0) {}

  bool sameThread(const Touch &Other) const {
    return Warp == Other.Warp && Lane == Other.Lane;
  }
};

struct Cell {
  Touch Write, Read, OtherRead;
  uint32_t Value = 0;
  bool ValueKnown = false;
};

constexpr uint64_t PageCells = 1024;
struct Page {
  Cell Cells[PageCells];
};

struct BlockClock {
  uint64_t Number = 0;    ///< In its grid.
  uint32_t FirstWarp = 0; ///< Number of its warp 0.
  uint32_t Barrier = 0;   ///< Time of the last barrier.
  uint32_t Atomic = 0;    ///< Time of the last atomic or volatile access.
  /// For each thread, the time of its last warp-wide meeting.
  std::vector<uint32_t> Synced;
  std::vector<Cell> Shared;
};

class RaceChecker : public Observer {
public:
  RaceChecker() = default;

  void launch(const LaunchFacts &L) override {
    Shape = L.Shape;
    ReadOnly = L.ReadOnly.vec();
    forget();
  }
  void launchEnded() override { forget(); }
  void blockStarted(uint64_t Block, unsigned Threads) override {
    auto &B = Blocks[Block];
    B = std::make_unique<BlockClock>();
    unsigned Warps = (Threads + WarpLanes - 1) / WarpLanes;
    B->Number = Block;
    B->FirstWarp = BlockOfWarp.size();
    B->Barrier = ++Now;
    B->Synced.assign(size_t(Warps) * WarpLanes, 0);
    BlockOfWarp.insert(BlockOfWarp.end(), Warps, B.get());
  }
  void blockEnded(uint64_t Block) override {
    BlockClock &B = *Blocks[Block];
    B.Shared = {};
    B.Synced = {};
  }
  void barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) override {
    BlockClock &B = *Blocks[Block];
    ++Now;
    if (Warp == ~0u) {
      B.Barrier = Now;
      return;
    }
    for (unsigned L = 0; L < WarpLanes; ++L)
      if (Lanes >> L & 1)
        B.Synced[Warp * WarpLanes + L] = Now;
  }
  void access(const MemoryAccess &A, WarpThreads Who) override;
  void copyLanded(const MemoryAccess &A) override;

private:
  void forget() {
    Pages.clear();
    Blocks.clear();
    BlockOfWarp.assign(1, nullptr);
    for (CachedPage &C : Cache)
      C = CachedPage();
    Now = 0;
  }
  Cell &globalCell(uint64_t Granule) {
    uint64_t Number = Granule / PageCells;
    CachedPage &C = Cache[Number % std::size(Cache)];
    if (!C.Cells || C.Number != Number) {
      std::unique_ptr<Page> &P = Pages[Number];
      if (!P)
        P = std::make_unique<Page>();
      C = {Number, P->Cells};
    }
    return C.Cells[Granule % PageCells];
  }
  static Cell &sharedCell(BlockClock &B, uint64_t Granule) {
    if (Granule >= BeyondShared) {
      static thread_local Cell Beyond;
      return Beyond = Cell();
    }
    if (Granule >= B.Shared.size())
      B.Shared.resize(std::max<size_t>(2 * B.Shared.size(), Granule + 1));
    return B.Shared[Granule];
  }
  BlockClock &blockOf(const MemoryAccess &A) {
    BlockClock *B = BlockOfWarp.back();
    return B && B->Number == A.Place.Block ? *B : *Blocks[A.Place.Block];
  }
  bool isReadOnly(const MemoryAccess &A);
  bool ordered(const Touch &T, const Touch &Me, const BlockClock &B) const;
  void read(Cell &X, const Touch &Me, const MemoryAccess &A, WarpThreads Who,
            const BlockClock &B);
  void write(Cell &X, const Touch &Me, std::optional<uint32_t> Value,
             const MemoryAccess &A, WarpThreads Who, const BlockClock &B);
  void report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
              const Touch &Other, bool OtherWrites);
  uint32_t placeNumber(const WarpPlace &P) {
    if (P.File == LastFile && P.Line == LastLine)
      return LastPlace;
    LastFile = P.File;
    LastLine = P.Line;
    auto [It, New] = PlaceNumbers.try_emplace({P.File, P.Line}, Places.size());
    if (New)
      Places.push_back(*P.File
                           ? std::string(P.File) + ":" + std::to_string(P.Line)
                           : "an unknown line");
    return LastPlace = It->second;
  }

  LaunchShape Shape;
  std::vector<AddressRange> ReadOnly;
  uint32_t Now =
      0; ///< Wraps after 4 G accesses of warps: then some are missed.
  std::unordered_map<uint64_t, std::unique_ptr<BlockClock>> Blocks;
  std::vector<BlockClock *> BlockOfWarp;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  struct CachedPage {
    uint64_t Number = 0;
    Cell *Cells = nullptr;
  } Cache[256];
  std::map<std::pair<const char *, unsigned>, uint32_t> PlaceNumbers;
  std::vector<std::string> Places;
  const char *LastFile = nullptr;
  unsigned LastLine = 0;
  uint32_t LastPlace = 0;
};

} // namespace

bool RaceChecker::ordered(const Touch &T, const Touch &Me,
                          const BlockClock &B) const {
  if (!T.Warp || T.sameThread(Me))
    return true;
  const BlockClock &Other = *BlockOfWarp[T.Warp];
  if (&Other != &B)
    return Other.Atomic > T.Time && B.Atomic > T.Time;
  if (T.Time < B.Barrier || B.Atomic > T.Time)
    return true;
  if (T.Warp != Me.Warp)
    return false;
  const uint32_t *Synced = &B.Synced[size_t(T.Warp - B.FirstWarp) * WarpLanes];
  return Synced[T.Lane] > T.Time && Synced[Me.Lane] > T.Time;
}

void RaceChecker::report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
                         const Touch &Other, bool OtherWrites) {
  auto *C = static_cast<Context *>(const_cast<void *>(Who.Context));
  const BlockClock &Block = *BlockOfWarp[Other.Warp];
  unsigned T = (Other.Warp - Block.FirstWarp) * WarpLanes + Other.Lane;
  std::string Text = "with a ";
  Text += OtherWrites ? "write" : "read";
  Text += " by " + nameOfThread(Shape, Block.Number, T) + " at " +
          Places[Other.Place] + ", nothing orders them";
  bool Shared = A.Space[Lane] == AccessSpace::Shared;
  reportLane(C, C->Observed, Lane,
             Shared ? "race on shared memory" : "race on global memory", {Text},
             Shared ? nullptr : &A.Addresses[Lane]);
  C->Run->fail(LaunchStatus::CheckFailed);
}

// Are all lanes reading what the kernel does not write? A write ends that.
bool RaceChecker::isReadOnly(const MemoryAccess &A) {
  uint64_t First = ~uint64_t(0), Last = 0;
  for (uint32_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (A.Space[L] != AccessSpace::Global)
      return false;
    First = std::min(First, A.Addresses[L]);
    Last = std::max(Last, A.Addresses[L]);
  }
  auto Holds = [&](const AddressRange &R) { return R.holds(First, Last); };
  if (!A.IsWrite)
    return llvm::any_of(ReadOnly, Holds);
  llvm::erase_if(ReadOnly, [&](const AddressRange &R) {
    return First < R.End && Last >= R.Begin;
  });
  return false;
}

void RaceChecker::read(Cell &X, const Touch &Me, const MemoryAccess &A,
                       WarpThreads Who, const BlockClock &B) {
  if ((X.Write.Bytes & Me.Bytes) && !ordered(X.Write, Me, B))
    report(A, Who, Me.Lane, X.Write, true);
  if (!X.Read.sameThread(Me))
    X.OtherRead = X.Read;
  X.Read = Me;
}

void RaceChecker::write(Cell &X, const Touch &Me, std::optional<uint32_t> Value,
                        const MemoryAccess &A, WarpThreads Who,
                        const BlockClock &B) {
  if ((X.Write.Bytes & Me.Bytes) && !ordered(X.Write, Me, B) &&
      !(Value && X.ValueKnown && X.Value == *Value))
    report(A, Who, Me.Lane, X.Write, true);
  for (const Touch *R : {&X.Read, &X.OtherRead})
    if ((R->Bytes & Me.Bytes) && !ordered(*R, Me, B)) {
      report(A, Who, Me.Lane, *R, false);
      break;
    }
  X.Write = Me;
  X.ValueKnown = Value.has_value();
  X.Value = Value.value_or(0);
}

void RaceChecker::access(const MemoryAccess &A, WarpThreads Who) {
  if (A.IsLine)
    return; // which of the bytes are the thread's is not known
  ++Now;
  BlockClock &B = blockOf(A);
  // An atomic access orders what comes after it and is itself no race.
  if (A.IsAtomic || A.IsVolatile) {
    B.Atomic = Now;
    return;
  }
  if (!ReadOnly.empty() && isReadOnly(A))
    return;
  Touch Me;
  Me.Warp = B.FirstWarp + A.Place.Warp;
  Me.Time = Now;
  Me.Place = placeNumber(A.Place);
  for (uint32_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (A.Space[L] == AccessSpace::Local)
      continue;
    Me.Lane = L;
    uint64_t Begin = A.Addresses[L], End = Begin + A.Bytes;
    for (uint64_t G = Begin / 4; G * 4 < End; ++G) {
      unsigned From = Begin > G * 4 ? Begin - G * 4 : 0,
               To = End < G * 4 + 4 ? End - G * 4 : 4;
      Me.Bytes = (1u << To) - (1u << From);
      Cell &X =
          A.Space[L] == AccessSpace::Shared ? sharedCell(B, G) : globalCell(G);
      if (!A.IsWrite) {
        read(X, Me, A, Who, B);
        continue;
      }
      std::optional<uint32_t> Value;
      if (A.Values && A.Bytes <= 8)
        Value = uint32_t(A.Values[L] >> 8 * (G * 4 > Begin ? 4 : 0));
      write(X, Me, Value, A, Who, B);
    }
  }
}

// What came between was told as an access under way.
void RaceChecker::copyLanded(const MemoryAccess &A) {
  ++Now;
  BlockClock &B = blockOf(A);
  Touch Me;
  Me.Warp = B.FirstWarp + A.Place.Warp;
  Me.Time = Now;
  Me.Place = placeNumber(A.Place);
  Me.Bytes = 15;
  for (uint32_t M = A.Lanes; M; M &= M - 1) {
    Me.Lane = __builtin_ctz(M);
    const uint64_t Begin = A.Addresses[Me.Lane];
    for (uint64_t G = Begin / 4; G * 4 < Begin + A.Bytes; ++G) {
      Cell &X = sharedCell(B, G);
      X.Write = Me;
      X.ValueKnown = false;
    }
  }
}

std::unique_ptr<Observer> sluice::emulator::makeRaceChecker() {
  return std::make_unique<RaceChecker>();
}
