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
// So what is reported is a race in the CUDA memory model; some are missed. For
// each 4 bytes the last write and the last two reads by different threads are
// remembered. Lanes of one store that write the same value to one place are not
// reported.

#include "Launch.h"
#include "Observers.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <map>
#include <unordered_map>

using namespace sluice::emulator;

namespace {

struct Touch {
  uint64_t Time = 0; ///< 0: none
  uint64_t Block = 0;
  uint16_t Thread = 0; ///< Warp * 32 + lane.
  uint8_t Bytes = 0;   ///< Mask within the 4.
  uint32_t Place = 0;
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

struct WarpClock {
  uint64_t Synced[WarpLanes] = {};
};

struct BlockClock {
  Dim3 Index;
  uint64_t Barrier = 0; ///< Time of the last barrier.
  uint64_t Atomic = 0;  ///< Time of the last atomic or volatile access.
  std::vector<WarpClock> Warps;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Shared;
};

class RaceChecker : public Observer {
public:
  RaceChecker() = default;

  void launch(const KernelFacts &, const LaunchShape &Shape) override {
    this->Shape = Shape;
    Global.clear();
    Clocks.clear();
    LastPage = nullptr;
  }
  void blockStarted(uint64_t Block, unsigned Threads) override {
    BlockClock &B = Clocks[Block];
    B.Barrier = ++Now;
    B.Warps.resize((Threads + WarpLanes - 1) / WarpLanes);
  }
  void blockEnded(uint64_t Block) override {
    auto It = Clocks.find(Block);
    if (It == Clocks.end())
      return;
    It->second.Shared.clear();
    It->second.Warps.clear();
  }
  void launchEnded() override {
    Global.clear();
    Clocks.clear();
    LastPage = nullptr;
  }
  void barrier(uint64_t Block, unsigned Warp, uint32_t Lanes) override {
    BlockClock &B = Clocks[Block];
    ++Now;
    if (Warp == ~0u) {
      B.Barrier = Now;
      return;
    }
    if (Warp < B.Warps.size())
      for (unsigned L = 0; L < WarpLanes; ++L)
        if (Lanes >> L & 1)
          B.Warps[Warp].Synced[L] = Now;
  }
  void access(const MemoryAccess &A, WarpThreads Who) override;

private:
  Cell &cell(std::unordered_map<uint64_t, std::unique_ptr<Page>> &Pages,
             uint64_t Granule) {
    std::unique_ptr<Page> &P = Pages[Granule / PageCells];
    if (!P)
      P = std::make_unique<Page>();
    return P->Cells[Granule % PageCells];
  }
  bool ordered(const Touch &T, uint64_t Block, const BlockClock &B,
               unsigned Thread);
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
  uint64_t Now = 0;
  std::unordered_map<uint64_t, BlockClock> Clocks;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Global;
  Page *LastPage = nullptr;
  uint64_t LastPageNumber = 0;
  std::map<std::pair<const char *, unsigned>, uint32_t> PlaceNumbers;
  std::vector<std::string> Places;
  const char *LastFile = nullptr;
  unsigned LastLine = 0;
  uint32_t LastPlace = 0;
};

} // namespace

bool RaceChecker::ordered(const Touch &T, uint64_t Block, const BlockClock &B,
                          unsigned Thread) {
  if (!T.Time)
    return true;
  if (T.Block == Block) {
    if (T.Thread == Thread || T.Time < B.Barrier)
      return true;
    if (T.Thread / WarpLanes == Thread / WarpLanes) {
      const WarpClock &W = B.Warps[Thread / WarpLanes];
      if (W.Synced[T.Thread % WarpLanes] > T.Time &&
          W.Synced[Thread % WarpLanes] > T.Time)
        return true;
    }
    return B.Atomic > T.Time;
  }
  auto Other = Clocks.find(T.Block);
  return Other != Clocks.end() && Other->second.Atomic > T.Time &&
         B.Atomic > T.Time;
}

void RaceChecker::report(const MemoryAccess &A, WarpThreads Who, unsigned Lane,
                         const Touch &Other, bool OtherWrites) {
  auto *C = static_cast<Context *>(const_cast<void *>(Who.Context));
  const Dim3 &Size = Shape.Block;
  unsigned T = Other.Thread;
  std::string Text = "with a ";
  Text += OtherWrites ? "write" : "read";
  Text += " by thread (" + std::to_string(T % Size.X) + "," +
          std::to_string(T / Size.X % Size.Y) + "," +
          std::to_string(T / Size.X / Size.Y) + ") of block (" +
          std::to_string(Other.Block % Shape.Grid.X) + "," +
          std::to_string(Other.Block / Shape.Grid.X % Shape.Grid.Y) + "," +
          std::to_string(Other.Block / Shape.Grid.X / Shape.Grid.Y) + ") at " +
          Places[Other.Place] + ", nothing orders them";
  bool Shared = A.Space[Lane] == AccessSpace::Shared;
  reportLane(C, C->Observed, Lane,
             Shared ? "race on shared memory" : "race on global memory", {Text},
             Shared ? nullptr : &A.Addresses[Lane]);
  C->Run->fail(LaunchStatus::CheckFailed);
}

void RaceChecker::access(const MemoryAccess &A, WarpThreads Who) {
  BlockClock &B = Clocks[A.Place.Block];
  ++Now;
  // An atomic access orders what comes after it and is itself no race.
  if (A.IsAtomic || A.IsVolatile) {
    B.Atomic = Now;
    return;
  }
  uint32_t Place = placeNumber(A.Place);
  for (uint32_t M = A.Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (A.Space[L] == AccessSpace::Local)
      continue;
    bool Shared = A.Space[L] == AccessSpace::Shared;
    unsigned Thread = A.Place.Warp * WarpLanes + L;
    uint64_t Begin = A.Addresses[L], End = Begin + A.Bytes;
    for (uint64_t G = Begin / 4; G * 4 < End; ++G) {
      uint8_t Bytes = 0;
      for (unsigned I = 0; I < 4; ++I)
        if (G * 4 + I >= Begin && G * 4 + I < End)
          Bytes |= 1 << I;
      Cell *Found;
      if (Shared)
        Found = &cell(B.Shared, G);
      else {
        if (!LastPage || LastPageNumber != G / PageCells) {
          cell(Global, G);
          LastPageNumber = G / PageCells;
          LastPage = Global[LastPageNumber].get();
        }
        Found = &LastPage->Cells[G % PageCells];
      }
      Cell &X = *Found;
      Touch Me;
      Me.Time = Now;
      Me.Block = A.Place.Block;
      Me.Thread = Thread;
      Me.Bytes = Bytes;
      Me.Place = Place;
      if (!A.IsWrite) {
        if ((X.Write.Bytes & Bytes) && !ordered(X.Write, Me.Block, B, Thread))
          report(A, Who, L, X.Write, true);
        if (X.Read.Thread != Thread || X.Read.Block != Me.Block)
          X.OtherRead = X.Read;
        X.Read = Me;
        continue;
      }
      bool ValueKnown = A.Values && A.Bytes <= 8;
      uint32_t Value =
          ValueKnown ? uint32_t(A.Values[L] >> 8 * (G * 4 > Begin ? 4 : 0)) : 0;
      if ((X.Write.Bytes & Bytes) && !ordered(X.Write, Me.Block, B, Thread)) {
        bool Same = ValueKnown && X.ValueKnown && X.Value == Value;
        if (!Same)
          report(A, Who, L, X.Write, true);
      }
      for (const Touch *R : {&X.Read, &X.OtherRead})
        if ((R->Bytes & Bytes) && !ordered(*R, Me.Block, B, Thread)) {
          report(A, Who, L, *R, false);
          break;
        }
      X.Write = Me;
      X.Value = Value;
      X.ValueKnown = ValueKnown;
    }
  }
}

std::unique_ptr<Observer> sluice::emulator::makeRaceChecker() {
  return std::make_unique<RaceChecker>();
}
