// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores take blocks by one counter. A block that only waits goes to the end of
// its core's queue and lets another start; where nothing but waiting has been
// done for long, it is reported as a hang.

#include "Launch.h"
#include "AsyncCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <thread>

using namespace sluice::emulator;

Observer::~Observer() = default;

void LaunchRun::fail(LaunchStatus Why) {
  int None = int(LaunchStatus::Success);
  if (!Status.compare_exchange_strong(None, int(Why)) &&
      None == int(LaunchStatus::CheckFailed) &&
      Why != LaunchStatus::CheckFailed)
    Status = int(Why); // what hardware would have seen counts for more
}

void LaunchRun::stop(LaunchStatus Why) {
  fail(Why);
  Stop = true;
}

// The order in which blocks start: as they are numbered, or shuffled.
static uint64_t permuted(uint64_t I, uint64_t Count, uint64_t Seed) {
  if (!Seed || Count < 2)
    return I;
  // A stride that has no divisor in common with the count visits all.
  uint64_t Stride = (Seed * 0x9E3779B97F4A7C15u >> 20) % Count;
  auto Common = [&](uint64_t A, uint64_t B) {
    while (B)
      std::swap(A %= B, B);
    return A;
  };
  while (Stride == 0 || Common(Stride, Count) != 1)
    ++Stride;
  return (Seed + I * (Stride % Count)) % Count;
}

std::unique_ptr<BlockState> LaunchRun::startBlock(Worker &W, uint64_t Number) {
  std::unique_ptr<BlockState> B;
  if (W.FreeBlocks.empty())
    B = std::make_unique<BlockState>();
  else {
    B = std::move(W.FreeBlocks.back());
    W.FreeBlocks.pop_back();
  }
  const LaunchShape &Shape = E.Shape;
  B->Linear = Number;
  B->Index.X = Number % Shape.Grid.X;
  B->Index.Y = Number / Shape.Grid.X % Shape.Grid.Y;
  B->Index.Z = Number / Shape.Grid.X / Shape.Grid.Y;
  unsigned Threads = Shape.Block.count();
  B->Live = Threads;
  for (BarrierState &S : B->Barriers)
    S = BarrierState();
  uint64_t Bytes = ReservedSharedBytes + E.SharedBytes;
  B->Shared.resize(Bytes);
  B->SharedWritten = nullptr;
  if (E.Options->CheckMemory && E.SharedBytes) {
    B->SharedBits.assign((Bytes + 7) / 8, 0);
    std::memset(B->SharedBits.data(), 0xff, ReservedSharedBytes / 8);
    B->SharedWritten = B->SharedBits.data();
    B->SharedUnwritten = E.SharedBytes;
  }
  B->Copies.reset();
  B->WatchShared = B->SharedWritten != nullptr;
  unsigned Warps = (Threads + WarpLanes - 1) / WarpLanes;
  if (B->Warps.size() != Warps) {
    B->Warps.clear();
    B->Warps.resize(Warps);
    for (unsigned I = 0; I < Warps; ++I) {
      WarpState &Warp = B->Warps[I];
      Warp.Index = I;
      unsigned Lanes = std::min(Threads - I * WarpLanes, WarpLanes);
      Warp.Existing = Lanes == WarpLanes ? ~0u : (1u << Lanes) - 1;
      for (unsigned L = 0; L < WarpLanes; ++L) {
        unsigned T = I * WarpLanes + L;
        Warp.Tid[0][L] = T % Shape.Block.X;
        Warp.Tid[1][L] = T / Shape.Block.X % Shape.Block.Y;
        Warp.Tid[2][L] = T / Shape.Block.X / Shape.Block.Y;
      }
    }
  }
  for (WarpState &Warp : B->Warps) {
    Warp.Live = Warp.Existing;
    Context *C = newContext(W, *B, Warp);
    C->Run = this;
    C->setMask(Warp.Existing);
    startKernel(C, *E.Kernel, E.Parameters);
  }
  if (uint64_t Seed = E.Options->ScheduleSeed) {
    std::mt19937_64 Random(Seed * 1000003 + Number);
    std::shuffle(B->Order.begin(), B->Order.end(), Random);
  }
  B->Observed = llvm::any_of(
      E.Observers, [&](const Observer *O) { return O->wants(Number); });
  for (Observer *O : E.Observers)
    O->blockStarted(Number, Threads);
  return B;
}

void LaunchRun::finishBlock(Worker &W, std::unique_ptr<BlockState> B) {
  for (Observer *O : E.Observers)
    O->blockEnded(B->Linear);
  for (std::unique_ptr<Context> &C : B->Contexts) {
    W.LaneInstructions += C->LaneInstructions;
    W.FreeContexts.push_back(std::move(C));
  }
  B->Contexts.clear();
  B->Order.clear();
  for (WarpState &Warp : B->Warps)
    Warp.Contexts.clear();
  W.FreeBlocks.push_back(std::move(B));
  ++BlocksDone;
  // Those that are left out of a sample are done as they are passed over.
  Bar->update(std::min<uint64_t>(NextBlock, E.Shape.Grid.count()));
}

void sluice::emulator::noteWait(Context *C) {
  if (++C->Waits >= WaitLimit)
    C->Budget = C->LaneInstructions; // the next block asks the scheduler
}

void sluice::emulator::noteWait(Context *C, const Instruction *PC, Space Where,
                                uint32_t Mask, const uint64_t *Addresses) {
  noteWait(C);
  if (!Mask)
    return;
  C->Looked = PC;
  C->LookedIn = Where;
  C->LookedAtMBarrier = false;
  C->LookedAt = Addresses[__builtin_ctz(Mask)];
}

// Lane-instructions between two looks at whether the launch was stopped.
static constexpr uint64_t Quantum = 1 << 24;

LaunchRun::Turn LaunchRun::runBlock(BlockState &B) {
  while (B.Live) {
    bool Progress = false, Waiting = false;
    for (size_t I = 0; I < B.Order.size(); ++I) {
      Context *C = B.Order[I];
      if (C->State != RunState::Ready && C->State != RunState::Waiting)
        continue;
      C->State = RunState::Ready;
      C->Budget = C->LaneInstructions + Quantum;
      if (stopping()) {
        C->State = RunState::Done;
        B.Live = 0;
        break;
      }
      C->PC->Run(C->PC, C->Frames + C->Frame, C);
      if (C->State == RunState::Waiting)
        Waiting = true;
      else
        Progress = true;
      if (uint64_t Limit = E.Options->InstructionLimit; Limit && !stopping()) {
        Spent += C->LaneInstructions - C->Counted;
        C->Counted = C->LaneInstructions;
        if (Spent > Limit) {
          if (C->Mask)
            reportLane(C, C->PC, __builtin_ctz(C->Mask),
                       "instruction limit reached", {});
          stop(LaunchStatus::Hang);
        }
      }
      if (C->Warp->Contexts.size() > 1)
        Progress |= releaseWarp(*C->Warp);
    }
    Progress |= releaseBarriers(B);
    if (stopping())
      return Turn::Finished;
    if (Progress || !B.Live)
      continue;
    if (Waiting)
      return Turn::Stuck;
    reportDeadlock(B);
    return Turn::Finished;
  }
  return Turn::Finished;
}

// What a warp that spins looked at last, and who might have changed it.
static std::vector<std::string> whatIsWaitedFor(const Context &C) {
  if (C.State != RunState::Waiting || !C.Looked)
    return {};
  uint64_t At = C.LookedAt;
  const bool IsShared =
      C.LookedIn == Space::Shared || At - SharedWindow < PrivateWindowBytes;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << "  it looks at " << (IsShared ? "shared" : "global") << " memory at "
     << llvm::format_hex(At, 1) << ", at " << placeOf(C, C.Looked).str();
  std::vector<std::string> Lines = {Text};
  if (!IsShared)
    return Lines;
  At &= PrivateWindowBytes - 1;
  if (C.LookedAtMBarrier && At + 8 <= C.Block->Shared.size()) {
    uint64_t Word;
    std::memcpy(&Word, &C.Block->Shared[At], 8);
    Lines.push_back("  " + waitOfMBarrier(Word));
  }
  for (const Observer *O : C.Run->E.Observers)
    if (std::string Who = O->lastWriter(C.Block->Linear, At); !Who.empty())
      Lines.push_back("  " + Who);
  return Lines;
}

void LaunchRun::reportDeadlock(BlockState &B) {
  std::vector<std::string> Lines;
  Context *First = nullptr;
  for (WarpState &Warp : B.Warps)
    for (Context *C : Warp.Contexts) {
      if (C->State == RunState::Done || !C->Mask)
        continue;
      if (!First)
        First = C;
      std::string Line;
      llvm::raw_string_ostream OS(Line);
      OS << "warp " << Warp.Index << ": lanes " << llvm::format_hex(C->Mask, 10)
         << (C->State == RunState::Waiting ? " run at " : " wait at ")
         << placeOf(*C, C->PC).str();
      if (C->State == RunState::AtWarpSync)
        OS << " for lanes "
           << llvm::format_hex(C->ExchangeNeed & ~C->ExchangeLanes, 10);
      else if (C->State == RunState::AtBarrier)
        OS << " for a barrier";
      Lines.push_back(Line);
      llvm::append_range(Lines, whatIsWaitedFor(*C));
    }
  if (First)
    reportLane(First, First->PC, __builtin_ctz(First->Mask), "deadlock", Lines);
  stop(LaunchStatus::Hang);
}

// Turns in which every resident block only waited before that is called a hang:
// much longer than any lock or flag takes.
static constexpr uint64_t HangTurns = 20000;

void LaunchRun::work(Worker &W) {
  const uint64_t Count = E.Shape.Grid.count();
  const unsigned Workers = std::max(1u, NumWorkers);
  std::deque<std::unique_ptr<BlockState>> Resident;
  const uint64_t Most = E.Shape.Cooperative
                            ? Count
                            : std::max<uint64_t>(1, E.BlocksResident / Workers);
  auto StartNext = [&] {
    uint64_t Block;
    do {
      uint64_t I = NextBlock++;
      if (I >= Count)
        return false;
      Block = permuted(I, Count, E.Options->ScheduleSeed);
    } while (E.Options->OnlySample &&
             llvm::any_of(E.Observers,
                          [&](Observer *O) { return O->skips(Block); }));
    Resident.push_back(startBlock(W, Block));
    return true;
  };
  uint64_t Stuck = 0, DoneBefore = 0;
  while (!stopping()) {
    if (Resident.empty() && !StartNext())
      break;
    std::unique_ptr<BlockState> B = std::move(Resident.front());
    Resident.pop_front();
    if (runBlock(*B) == Turn::Finished) {
      finishBlock(W, std::move(B));
      continue;
    }
    // It waits, perhaps for a block that has not started.
    Resident.push_back(std::move(B));
    bool Started = Resident.size() < Most && StartNext();
    if (Started)
      std::rotate(Resident.rbegin(), Resident.rbegin() + 1, Resident.rend());
    uint64_t Done = BlocksDone;
    if (Started || Done != DoneBefore)
      Stuck = 0;
    DoneBefore = Done;
    if (++Stuck > HangTurns * Resident.size()) {
      reportDeadlock(*Resident.front());
      break;
    }
    // To the worker that has the block waited for. A worker alone would only lose
    // its turns to other processes, and a hang takes thousands of them.
    if (Resident.size() == 1 && Workers > 1)
      std::this_thread::yield();
  }
  while (!Resident.empty()) {
    finishBlock(W, std::move(Resident.front()));
    Resident.pop_front();
  }
  Total += W.LaneInstructions;
}

LaunchStatus LaunchRun::run() {
  const uint64_t Count = E.Shape.Grid.count();
  NumWorkers = E.Options->Threads
                   ? E.Options->Threads
                   : std::max(1u, std::thread::hardware_concurrency());
  if (llvm::any_of(E.Observers, [](Observer *O) { return !O->threadSafe(); }) ||
      E.Options->ScheduleSeed)
    NumWorkers = 1;
  NumWorkers = std::min<uint64_t>(NumWorkers, Count);
  uint32_t Sites = 0;
  for (const auto &Entry : E.Code->Functions)
    Sites = std::max(Sites, Entry.second->FirstSite + Entry.second->NumSites);
  for (Observer *O : E.Observers)
    O->launch({*E.Facts, E.Shape, E.ReadOnly, E.Code->Sites,
               E.Code->HasReadOnlyLoads});
  std::vector<std::unique_ptr<Worker>> Workers;
  for (unsigned I = 0; I < NumWorkers; ++I) {
    Workers.push_back(std::make_unique<Worker>());
    Workers.back()->Index = I;
    Workers.back()->Sites.resize(Sites + 1);
  }
  Progress Shown(llvm::demangle(E.Facts->Name), Count, "blocks");
  Bar = &Shown;
  std::vector<std::thread> Threads;
  for (unsigned I = 1; I < NumWorkers; ++I)
    Threads.emplace_back([&, I] { work(*Workers[I]); });
  work(*Workers[0]);
  for (std::thread &T : Threads)
    T.join();
  for (Observer *O : E.Observers)
    O->launchEnded();
  return LaunchStatus(Status.load());
}
