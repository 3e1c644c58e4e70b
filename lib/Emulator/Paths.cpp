// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergence: paths, calls, and the splitting and merging of a warp's contexts.

#include "Launch.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <cstring>

using namespace sluice::emulator;

Context::~Context() {
  std::free(Frames);
  std::free(Local);
}

static unsigned levelBase(const Context *C) {
  return C->Calls.empty() ? 0 : C->Calls.back().PathsBelow;
}

static void updateFrontier(Context *C) {
  C->Frontier =
      C->Paths.size() > levelBase(C) ? C->Paths.back().Order : NoFrontier;
}

void sluice::emulator::addPath(Context *C, const Instruction *Head,
                               uint32_t Mask) {
  unsigned Base = levelBase(C);
  auto At = C->Paths.end();
  while (At != C->Paths.begin() + Base && (At - 1)->Order < Head->Order)
    --At;
  if (At != C->Paths.begin() + Base && (At - 1)->Order == Head->Order)
    (At - 1)->Mask |= Mask;
  else
    C->Paths.insert(At, Path{Head, Head->Order, Mask});
  updateFrontier(C);
}

// Times it may wait before the other paths of its warp get a context of their
// own: what it waits for may be among them.
static constexpr uint32_t SplitAfter = 8;

const Instruction *sluice::emulator::arbitrate(Context *C,
                                               const Instruction *Head) {
  if (C->LaneInstructions >= C->Budget) {
    C->PC = Head;
    if (C->Waits >= WaitLimit) {
      C->State = RunState::Waiting;
      if (++C->Spins % SplitAfter == 0 && !C->Paths.empty())
        splitOthers(C);
    } else
      C->State = RunState::Ready;
    C->Waits = 0;
    return nullptr;
  }
  Path Top = C->Paths.back();
  C->Paths.pop_back();
  if (Top.Order == Head->Order) {
    C->setMask(C->Mask | Top.Mask);
    updateFrontier(C);
    return Head;
  }
  addPath(C, Head, C->Mask);
  C->setMask(Top.Mask);
  return Top.PC;
}

// The caller's frame.
static char *returnToCaller(Context *C, const CallRecord &Call) {
  C->FramesTop = C->Frame;
  C->Frame = Call.CallerFrame;
  C->Running = Call.Caller;
  C->LocalBase = Call.CallerLocal;
  C->Sites = C->By->Sites.data() + Call.Caller->FirstSite;
  return C->Frames + C->Frame;
}

const Instruction *sluice::emulator::nextPath(Context *C, char *&R) {
  for (;;) {
    if (C->Paths.size() > levelBase(C)) {
      Path Top = C->Paths.pop_back_val();
      C->setMask(Top.Mask);
      updateFrontier(C);
      return Top.PC;
    }
    if (C->Calls.empty()) {
      C->setMask(0);
      C->State = RunState::Done;
      return nullptr;
    }
    // Nobody is left in this call: the others are in its caller.
    CallRecord Call = C->Calls.pop_back_val();
    R = returnToCaller(C, Call);
  }
}

const Instruction *sluice::emulator::exitLanes(Context *C, char *&R) {
  C->Warp->Live &= ~C->Mask;
  C->Block->Live -= C->Active;
  return nextPath(C, R);
}

// --- Calls ------------------------------------------------------------------

// 512 KiB of local memory for each thread is what a GPU grants at most by
// default; deeper recursion is reported.
static constexpr uint64_t MaxLocalBytes = uint64_t(512) * 1024;

static void growFrames(Context *C, uint32_t Bytes) {
  if (Bytes <= C->FramesBytes)
    return;
  uint32_t Size = std::max(Bytes, C->FramesBytes * 2);
  Size = (Size + 4095) & ~4095u;
  char *New = static_cast<char *>(std::aligned_alloc(64, Size));
  if (C->FramesTop)
    std::memcpy(New, C->Frames, C->FramesTop);
  std::free(C->Frames);
  C->Frames = New;
  C->FramesBytes = Size;
}

static void growLocal(Context *C, uint64_t Bytes) {
  if (Bytes <= C->LocalBytes)
    return;
  uint64_t Size = std::max<uint64_t>(Bytes, C->LocalBytes * 2);
  Size = (Size + 63) & ~uint64_t(63);
  void *New = std::realloc(C->Local, Size * WarpLanes);
  if (!New)
    llvm::report_bad_alloc_error("no memory for the threads' locals");
  C->Local = static_cast<char *>(New);
  std::memset(C->Local + C->LocalBytes * WarpLanes, 0,
              (Size - C->LocalBytes) * WarpLanes);
  C->LocalBytes = Size;
}

static void openFrame(Context *C, const Function &F, uint32_t At,
                      uint32_t LocalBase) {
  growFrames(C, At + F.FrameBytes);
  C->Frame = At;
  C->FramesTop = At + F.FrameBytes;
  C->Running = &F;
  C->LocalBase = LocalBase;
  C->Sites = C->By->Sites.data() + F.FirstSite;
  char *R = C->Frames + At;
  std::memcpy(R, F.Constants.data(), F.ConstantBytes);
  growLocal(C, LocalBase + F.LocalBytes);
  uint64_t Base = LocalBase;
  std::memcpy(R + F.LocalBase.Offset, &Base, 8);
}

void sluice::emulator::startKernel(Context *C, const Function &Kernel,
                                   uint64_t Parameters) {
  openFrame(C, Kernel, 0, 0);
  char *R = C->Frames;
  for (size_t I = 0; I < Kernel.Parameters.size(); ++I) {
    uint64_t At = Parameters + Kernel.ParameterOffsets[I];
    if (Kernel.ParameterByValue[I]) {
      std::memcpy(R + Kernel.Parameters[I][0].Offset, &At, 8);
      continue;
    }
    const char *Host = hostPointer<const char>(At);
    for (Slot S : Kernel.Parameters[I]) {
      uint64_t Word = 0;
      std::memcpy(&Word, Host, S.isMask() ? 1 : S.Bytes);
      Host += S.isMask() ? 1 : S.Bytes;
      if (S.isMask())
        Word = Word & 1 ? ~uint32_t(0) : 0;
      std::memcpy(R + S.Offset, &Word, 8);
    }
  }
  C->PC = &Kernel.Code.front();
}

const Instruction *
sluice::emulator::enterCall(Context *C, const Instruction *PC, char *&R) {
  auto *Site = static_cast<const CallSite *>(PC->Extra);
  const Function *Callee = Site->Callee;
  if (!Callee) {
    // Lanes with other targets come back to this call when these are through:
    // as long as some are left, the call is made for one target after another.
    unsigned First = __builtin_ctz(C->Mask);
    uint64_t Target = readLane(R, Site->Pointer, First);
    uint64_t Index = (Target - FunctionBase) / 16;
    const auto &All = C->Run->E.Code->ByAddress;
    if (Target < FunctionBase || Index >= All.size() || !All[Index]) {
      reportLane(C, PC, First, "call of something that is no function", {},
                 &Target);
      C->Run->stop(LaunchStatus::Trap);
      return exitLanes(C, R);
    }
    Callee = All[Index];
    for (uint32_t M = C->Mask; M; M &= M - 1)
      if (unsigned L = __builtin_ctz(M);
          readLane(R, Site->Pointer, L) != Target) {
        C->CallLater |= uint32_t(1) << L;
      }
    if (C->CallLater)
      C->setMask(C->Mask & ~C->CallLater);
  }
  uint32_t CallerFrame = C->Frame;
  uint32_t LocalBase = C->LocalBase + C->Running->LocalBytes;
  if (LocalBase + Callee->LocalBytes > MaxLocalBytes ||
      C->Calls.size() > 20000) {
    reportLane(C, PC, __builtin_ctz(C->Mask), "stack overflow", {});
    C->Run->stop(LaunchStatus::IllegalAddress);
    return exitLanes(C, R);
  }
  C->Calls.push_back({PC, C->Running, CallerFrame, C->LocalBase,
                      uint32_t(C->Paths.size()), C->CallLater});
  C->CallLater = 0;
  openFrame(C, *Callee, C->FramesTop, LocalBase);
  updateFrontier(C);
  const char *Caller = C->Frames + CallerFrame;
  R = C->Frames + C->Frame;
  size_t Argument = 0;
  for (const auto &Parameter : Callee->Parameters)
    for (Slot To : Parameter) {
      if (Argument == Site->Arguments.size())
        break;
      Slot From = Site->Arguments[Argument++];
      if (To.isMask())
        std::memcpy(R + To.Offset, Caller + From.Offset, 4);
      else if (!From.Uniform && !To.Uniform)
        std::memcpy(R + To.Offset, Caller + From.Offset,
                    size_t(To.Bytes) * WarpLanes);
      else
        for (unsigned L = 0; L < WarpLanes; ++L)
          writeLane(R, To, L, readLane(Caller, From, L));
    }
  return &Callee->Code.front();
}

const Instruction *sluice::emulator::leaveCall(Context *C, char *&R) {
  CallRecord Call = C->Calls.pop_back_val();
  auto *Site = static_cast<const CallSite *>(Call.CallPC->Extra);
  const Function *Callee = C->Running;
  const char *From = C->Frames + C->Frame;
  R = returnToCaller(C, Call);
  for (size_t I = 0; I < Site->Results.size() && I < Callee->Result.size(); ++I)
    for (uint32_t M = C->Mask; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      writeLane(R, Site->Results[I], L, readLane(From, Callee->Result[I], L));
    }
  updateFrontier(C);
  if (uint32_t Later = Call.CallLater) {
    // The other targets' turn; those that have been called wait in CallDone.
    uint32_t Done = C->Mask;
    C->setMask(Later & C->Warp->Live);
    C->CallDone |= Done;
    return Call.CallPC;
  }
  C->setMask(C->Mask | (C->CallDone & C->Warp->Live));
  C->CallDone = 0;
  return Call.CallPC + 1;
}

// --- Contexts ----------------------------------------------------------------

Context *sluice::emulator::newContext(Worker &W, BlockState &B,
                                      WarpState &Warp) {
  std::unique_ptr<Context> C;
  if (W.FreeContexts.empty())
    C = std::make_unique<Context>();
  else {
    C = std::move(W.FreeContexts.back());
    W.FreeContexts.pop_back();
  }
  C->setMask(0);
  C->Frontier = NoFrontier;
  C->PendingMask = C->Waits = C->Spins = 0;
  C->CallLater = C->CallDone = 0;
  C->LaneInstructions = C->Budget = C->Counted = 0;
  C->State = RunState::Ready;
  C->Frame = C->FramesTop = 0;
  C->Paths.clear();
  C->Calls.clear();
  C->Block = &B;
  C->Warp = &Warp;
  C->By = &W;
  C->Shared = B.Shared.data();
  C->SharedBytes = B.Shared.size();
  Warp.Contexts.push_back(C.get());
  B.Order.push_back(C.get());
  B.Contexts.push_back(std::move(C));
  return B.Contexts.back().get();
}

void sluice::emulator::splitOthers(Context *C) {
  if (C->Paths.empty())
    return;
  Context *N = newContext(*C->By, *C->Block, *C->Warp);
  N->Run = C->Run;
  growFrames(N, C->FramesTop);
  std::memcpy(N->Frames, C->Frames, C->FramesTop);
  growLocal(N, C->LocalBytes);
  if (C->LocalBytes)
    std::memcpy(N->Local, C->Local, C->LocalBytes * WarpLanes);
  N->Frame = C->Frame;
  N->FramesTop = C->FramesTop;
  N->Running = C->Running;
  N->LocalBase = C->LocalBase;
  N->Calls = C->Calls;
  N->Paths = C->Paths;
  N->Sites = C->Sites;
  C->Paths.clear();
  for (CallRecord &Call : C->Calls)
    Call.PathsBelow = 0;
  C->Frontier = NoFrontier;
  char *R = N->Frames + N->Frame;
  N->PC = nextPath(N, R);
}

// Contexts are one again if they stand at the same instruction with the same
// uniform values; what is not the same by then (a loop counter, when one went
// round more often) keeps them apart.
void sluice::emulator::mergeContexts(WarpState &Warp) {
  for (size_t I = 0; I < Warp.Contexts.size(); ++I)
    for (size_t J = I + 1; J < Warp.Contexts.size();) {
      Context *X = Warp.Contexts[I], *Y = Warp.Contexts[J];
      bool Same = X->State == RunState::Ready && Y->State == RunState::Ready &&
                  X->PC == Y->PC && X->Calls.empty() && Y->Calls.empty() &&
                  X->Paths.empty() && Y->Paths.empty() && X->Mask && Y->Mask;
      const Function *F = X->Running;
      // Uniform slots end where the first varying one begins.
      if (Same && std::memcmp(X->Frames, Y->Frames, F->UniformBytes) == 0) {
        auto Merge = [&](uint32_t Offset, size_t Bytes) {
          for (uint32_t M = Y->Mask; M; M &= M - 1) {
            unsigned L = __builtin_ctz(M);
            std::memcpy(X->Frames + Offset + L * Bytes,
                        Y->Frames + Offset + L * Bytes, Bytes);
          }
        };
        for (auto [Offset, Bytes] : F->VaryingSlots)
          Merge(Offset, Bytes);
        for (uint32_t M = Y->Mask; M; M &= M - 1)
          for (uint64_t At = 0; At < Y->LocalBytes && At < X->LocalBytes;
               At += 8)
            std::memcpy(localAddress(X->Local, At, __builtin_ctz(M)),
                        localAddress(Y->Local, At, __builtin_ctz(M)), 8);
        X->setMask(X->Mask | Y->Mask);
        X->LaneInstructions += Y->LaneInstructions;
        Y->LaneInstructions = 0;
        Y->setMask(0);
        Y->State = RunState::Done;
        Warp.Contexts.erase(Warp.Contexts.begin() + J);
        continue;
      }
      ++J;
    }
}
