// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order: two threads of a block touch the same bytes of shared memory, one of
// them writes, and no chain of barriers, releases and acquires leads from the
// one access to the other. On a GPU the second may then see what was there
// before the first. Where Races.cpp asks whether the block has made any atomic
// access since, this asks for the chain: it finds the forgotten `.acquire`,
// `.release` and fence.
//
// The chain is the PTX memory model's causality order, kept as vector clocks
// (Fidge, Mattern; FastTrack, Flanagan and Freund, PLDI 2009; fences as in
// C11):
//
//   Time[w]    of each warp: grows whenever a lane of it releases
//   Seen[t]    for each thread of the block, the time up to which thread t has
//              its accesses behind it
//   Fenced[t]  Seen[t] at t's last fence: what its relaxed stores release
//   Pending[t] what t has read of relaxed loads: what its next fence acquires
//   Released   for each word, what its last release published; an atomic
//              operation that reads it adds to that, a store replaces it
//
// A barrier of all threads ends an epoch: what came before is ordered, and all
// clocks begin again. Volatile accesses are relaxed. Scopes are not asked: all
// are as wide as the block at least.
//
// Not seen: order that leads through threads of other blocks (told as missing),
// and which phase of an mbarrier an arrival belongs to (an arrival of the next
// phase counts too). Accesses of lanes in one instruction are Races.cpp's.

#include "Launch.h"
#include "Observers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <unordered_map>

using namespace sluice::emulator;

namespace {

/// For each thread of a block a time; all 0 if it is of another epoch.
class Clock {
public:
  uint32_t at(unsigned Thread, uint32_t Epoch) const {
    return Epoch == Of && Thread < Times.size() ? Times[Thread] : 0;
  }
  void set(unsigned Thread, uint32_t Time, uint32_t Epoch, unsigned Threads) {
    begin(Epoch, Threads);
    Times[Thread] = std::max(Times[Thread], Time);
  }
  void join(const Clock &Other, uint32_t Epoch) {
    if (Other.Of != Epoch || Other.Times.empty())
      return;
    begin(Epoch, Other.Times.size());
    for (size_t I = 0; I < Times.size(); ++I)
      Times[I] = std::max(Times[I], Other.Times[I]);
  }
  void clear() { Times.clear(); }

private:
  void begin(uint32_t Epoch, size_t Threads) {
    if (Of == Epoch && Times.size() == Threads)
      return;
    Of = Epoch;
    Times.assign(Threads, 0);
  }
  uint32_t Of = 0;
  std::vector<uint32_t> Times;
};

/// Lanes of one warp that touched the same bytes in one instruction.
struct Touch {
  uint32_t Warp, Lanes, Time, Epoch, Place;
  uint64_t Moment; ///< Which instruction of all.
  uint8_t Bytes;   ///< Mask within the 4 of a cell.
  bool IsAtomic;
};

struct Cell {
  llvm::SmallVector<Touch, 1> Writes, Reads;
};

struct BlockOrder {
  uint64_t Number;
  unsigned Threads;
  uint32_t Epoch = 1;
  std::vector<uint32_t> Time; ///< Of each warp.
  std::vector<Clock> Seen, Fenced, Pending;
  std::unordered_map<uint64_t, Clock> Released;
  std::vector<Cell> Shared;
  struct Barrier {
    Clock Came;
    llvm::SmallVector<std::pair<unsigned, uint32_t>, 8> Waiting;
    unsigned Arrived = 0; ///< Lanes that did not wait.
    unsigned Lanes = 0;   ///< That wait.
  } Barriers[16];

  BlockOrder(uint64_t Number, unsigned Threads)
      : Number(Number), Threads(Threads), Time((Threads + 31) / 32, 1),
        Seen(Threads), Fenced(Threads), Pending(Threads) {}

  /// What thread \p T of warp \p W publishes now; then its time goes on.
  Clock published(unsigned T, unsigned W) const {
    Clock All = Seen[T];
    All.set(T, Time[W], Epoch, Threads);
    return All;
  }
  /// Has anybody published that thread \p T has come to \p Upto?
  bool isReleased(unsigned T, uint32_t Upto) const {
    return llvm::any_of(Released, [&](const auto &Word) {
      return Word.second.at(T, Epoch) >= Upto;
    });
  }
};

class OrderChecker : public Observer {
public:
  void launch(const LaunchFacts &L) override {
    Shape = L.Shape;
    Blocks.clear();
  }
  void launchEnded() override { Blocks.clear(); }
  void blockStarted(uint64_t Block, unsigned Threads) override {
    Blocks[Block] = std::make_unique<BlockOrder>(Block, Threads);
  }
  void blockEnded(uint64_t Block) override { Blocks.erase(Block); }
  void access(const MemoryAccess &A, WarpThreads Who) override;
  void copyLanded(const MemoryAccess &A) override { write(A, nullptr); }
  void fence(const WarpPlace &P, uint32_t Lanes) override;
  void barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) override;
  void cameToBarrier(const WarpPlace &P, uint32_t Lanes, unsigned Id,
                     bool Waits) override;
  void barrierOver(uint64_t Block, unsigned Id) override;
  std::string lastWriter(uint64_t Block, uint64_t Offset) const override;

private:
  template <typename DoT> static void forLanes(uint32_t Lanes, DoT Do) {
    for (uint32_t M = Lanes; M; M &= M - 1)
      Do(unsigned(__builtin_ctz(M)));
  }
  void acquire(const MemoryAccess &A);
  void release(const MemoryAccess &A);
  void write(const MemoryAccess &A, const WarpThreads *Who);
  void touch(const MemoryAccess &A, const WarpThreads *Who, bool Writes);
  static bool isOrdered(const BlockOrder &B, const Touch &T, unsigned Thread);
  void report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
              const BlockOrder &B, const Touch &T, bool OtherWrites);
  static unsigned unorderedLane(const BlockOrder &B, const Touch &T,
                                unsigned Thread);
  uint32_t placeNumber(const WarpPlace &P) {
    auto [It, New] = PlaceNumbers.try_emplace({P.File, P.Line}, Places.size());
    if (New)
      Places.push_back(*P.File
                           ? std::string(P.File) + ":" + std::to_string(P.Line)
                           : "an unknown line");
    return It->second;
  }

  LaunchShape Shape;
  uint64_t Moment = 0;
  std::unordered_map<uint64_t, std::unique_ptr<BlockOrder>> Blocks;
  std::map<std::pair<const char *, unsigned>, uint32_t> PlaceNumbers;
  std::vector<std::string> Places;
};

} // namespace

// A word's key among all that threads may meet at.
static uint64_t keyOf(const MemoryAccess &A, unsigned Lane) {
  return A.Addresses[Lane] * 2 + (A.Space[Lane] == AccessSpace::Shared);
}

// What an atomic or volatile access learns of the word that it reads.
void OrderChecker::acquire(const MemoryAccess &A) {
  BlockOrder &B = *Blocks[A.Place.Block];
  if (A.IsWrite && !A.IsReadWrite)
    return;
  forLanes(A.Lanes, [&](unsigned L) {
    const unsigned T = A.Place.Warp * WarpLanes + L;
    auto It = B.Released.find(keyOf(A, L));
    if (It != B.Released.end())
      (A.Acquires ? B.Seen : B.Pending)[T].join(It->second, B.Epoch);
  });
}

// What it leaves there for others.
void OrderChecker::release(const MemoryAccess &A) {
  BlockOrder &B = *Blocks[A.Place.Block];
  if (!A.IsWrite)
    return;
  const unsigned W = A.Place.Warp;
  forLanes(A.Lanes, [&](unsigned L) {
    const unsigned T = W * WarpLanes + L;
    Clock &Word = B.Released[keyOf(A, L)];
    if (!A.IsReadWrite)
      Word.clear();
    Word.join(A.Releases ? B.published(T, W) : B.Fenced[T], B.Epoch);
  });
  if (A.Releases)
    ++B.Time[W];
}

void OrderChecker::fence(const WarpPlace &P, uint32_t Lanes) {
  BlockOrder &B = *Blocks[P.Block];
  forLanes(Lanes, [&](unsigned L) {
    const unsigned T = P.Warp * WarpLanes + L;
    B.Seen[T].join(B.Pending[T], B.Epoch);
    B.Fenced[T] = B.published(T, P.Warp);
  });
  ++B.Time[P.Warp];
}

// Lanes of a warp have met; barriers of the block are told by barrierOver().
void OrderChecker::barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) {
  if (Warp == ~0u)
    return;
  BlockOrder &B = *Blocks[Block];
  Clock All;
  forLanes(Lanes, [&](unsigned L) {
    const unsigned T = Warp * WarpLanes + L;
    All.join(B.Seen[T], B.Epoch);
    All.set(T, B.Time[Warp], B.Epoch, B.Threads);
  });
  forLanes(Lanes, [&](unsigned L) {
    const unsigned T = Warp * WarpLanes + L;
    B.Seen[T].join(All, B.Epoch);
  });
  ++B.Time[Warp];
}

void OrderChecker::cameToBarrier(const WarpPlace &P, uint32_t Lanes,
                                 unsigned Id, bool Waits) {
  BlockOrder &B = *Blocks[P.Block];
  BlockOrder::Barrier &X = B.Barriers[Id];
  forLanes(Lanes, [&](unsigned L) {
    const unsigned T = P.Warp * WarpLanes + L;
    X.Came.join(B.Seen[T], B.Epoch);
    X.Came.set(T, B.Time[P.Warp], B.Epoch, B.Threads);
  });
  ++B.Time[P.Warp];
  const unsigned Count = __builtin_popcount(Lanes);
  if (!Waits) {
    X.Arrived += Count;
    return;
  }
  X.Waiting.push_back({P.Warp, Lanes});
  X.Lanes += Count;
}

void OrderChecker::barrierOver(uint64_t Block, unsigned Id) {
  BlockOrder &B = *Blocks[Block];
  BlockOrder::Barrier &X = B.Barriers[Id];
  if (X.Lanes == B.Threads) {
    ++B.Epoch; // all is behind all
    B.Released.clear();
  } else {
    for (auto [Warp, Lanes] : X.Waiting)
      forLanes(Lanes, [&, Warp = Warp](unsigned L) {
        B.Seen[Warp * WarpLanes + L].join(X.Came, B.Epoch);
      });
  }
  X = BlockOrder::Barrier();
}

// A lane of those of \p T that thread \p Thread does not have behind it, or 32.
unsigned OrderChecker::unorderedLane(const BlockOrder &B, const Touch &T,
                                     unsigned Thread) {
  if (T.Epoch != B.Epoch)
    return WarpLanes;
  for (uint32_t M = T.Lanes; M; M &= M - 1) {
    const unsigned L = __builtin_ctz(M), Other = T.Warp * WarpLanes + L;
    if (Other != Thread && B.Seen[Thread].at(Other, B.Epoch) < T.Time)
      return L;
  }
  return WarpLanes;
}

bool OrderChecker::isOrdered(const BlockOrder &B, const Touch &T,
                             unsigned Thread) {
  return unorderedLane(B, T, Thread) == WarpLanes;
}

void OrderChecker::report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
                          const BlockOrder &B, const Touch &T,
                          bool OtherWrites) {
  auto *C = static_cast<Context *>(const_cast<void *>(Who.Context));
  const unsigned Me = A.Place.Warp * WarpLanes + Lane;
  const unsigned Other = T.Warp * WarpLanes + unorderedLane(B, T, Me);
  const std::string Name = nameOfThread(Shape, B.Number, Other);
  const char *Did = OtherWrites ? "wrote" : "read";
  std::vector<std::string> Lines = {Name + " " + Did + " it at " +
                                    Places[T.Place]};
  if (B.isReleased(Other, T.Time))
    Lines.push_back("that was released since, but not acquired here: is an "
                    ".acquire, a fence or a barrier missing?");
  else
    Lines.push_back("nothing has released that since: is a .release, a fence, "
                    "a barrier or a __syncwarp() missing there?");
  reportLane(C, C->Observed, Lane,
             A.IsWrite ? "unordered write to shared memory"
                       : "unordered read of shared memory",
             Lines);
  C->Run->fail(LaunchStatus::CheckFailed);
}

void OrderChecker::touch(const MemoryAccess &A, const WarpThreads *Who,
                         bool Writes) {
  BlockOrder &B = *Blocks[A.Place.Block];
  const unsigned W = A.Place.Warp;
  Touch Mine{W,
             0,
             B.Time[W],
             B.Epoch,
             placeNumber(A.Place),
             Moment,
             0,
             A.IsAtomic || A.IsVolatile};
  forLanes(A.Lanes, [&](unsigned L) {
    if (A.Space[L] != AccessSpace::Shared)
      return;
    const unsigned Me = W * WarpLanes + L;
    const uint64_t Begin = A.Addresses[L], End = Begin + A.Bytes;
    if (Begin >= BeyondShared)
      return;
    Mine.Lanes = uint32_t(1) << L;
    for (uint64_t Word = Begin / 4; Word * 4 < End; ++Word) {
      const unsigned From = Begin > Word * 4 ? Begin - Word * 4 : 0,
                     To = End < Word * 4 + 4 ? End - Word * 4 : 4;
      Mine.Bytes = (1u << To) - (1u << From);
      if (Word >= B.Shared.size())
        B.Shared.resize(std::max<size_t>(2 * B.Shared.size(), Word + 1));
      Cell &X = B.Shared[Word];
      auto Conflicts = [&](const Touch &T) {
        return (T.Bytes & Mine.Bytes) && T.Moment != Moment &&
               !(T.IsAtomic && Mine.IsAtomic) && !isOrdered(B, T, Me);
      };
      bool IsTold = !Who;
      auto Look = [&](llvm::ArrayRef<Touch> Others, bool OtherWrites) {
        for (const Touch &T : Others)
          if (!IsTold && Conflicts(T)) {
            report(A, *Who, L, B, T, OtherWrites);
            IsTold = true;
          }
      };
      Look(X.Writes, true);
      if (Writes)
        Look(X.Reads, false);
      // What is behind this access is behind all that this one is behind.
      auto IsCovered = [&](const Touch &T) {
        return T.Epoch != B.Epoch ||
               ((T.Bytes & ~Mine.Bytes) == 0 && T.Moment != Moment &&
                isOrdered(B, T, Me));
      };
      llvm::erase_if(X.Reads, IsCovered);
      if (Writes)
        llvm::erase_if(X.Writes, IsCovered);
      auto &List = Writes ? X.Writes : X.Reads;
      if (!List.empty() && List.back().Moment == Moment &&
          List.back().Bytes == Mine.Bytes)
        List.back().Lanes |= Mine.Lanes;
      else
        List.push_back(Mine);
    }
  });
}

void OrderChecker::write(const MemoryAccess &A, const WarpThreads *Who) {
  ++Moment;
  touch(A, Who, true);
}

void OrderChecker::access(const MemoryAccess &A, WarpThreads Who) {
  if (A.IsLine)
    return; // which of the bytes are the thread's is not known
  ++Moment;
  const bool IsStrong = A.IsAtomic || A.IsVolatile;
  if (IsStrong)
    acquire(A);
  touch(A, &Who, A.IsWrite);
  if (IsStrong)
    release(A);
}

std::string OrderChecker::lastWriter(uint64_t Block, uint64_t Offset) const {
  auto It = Blocks.find(Block);
  if (It == Blocks.end())
    return "";
  const BlockOrder &B = *It->second;
  if (Offset / 4 >= B.Shared.size() || B.Shared[Offset / 4].Writes.empty())
    return "nobody has written to it";
  const Touch &T = B.Shared[Offset / 4].Writes.back();
  return nameOfThread(Shape, Block,
                      T.Warp * WarpLanes + __builtin_ctz(T.Lanes)) +
         " (warp " + std::to_string(T.Warp) + ") wrote to it last, at " +
         Places[T.Place];
}

std::unique_ptr<Observer> sluice::emulator::makeOrderChecker() {
  return std::make_unique<OrderChecker>();
}
