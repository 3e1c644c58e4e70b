// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between the lanes of a warp (shuffles, votes, match, reductions,
// __syncwarp) and the barriers of a block. Lanes that a member mask names and
// that are elsewhere are waited for; those that have exited are not.

#include "Launch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace sluice::emulator;

static uint32_t bit(unsigned L) { return uint32_t(1) << L; }

static bool isShuffle(WarpOpKind K) {
  return K >= WarpOpKind::ShflIdx && K <= WarpOpKind::ShflBfly;
}

// PTX ISA, shfl.sync: the source lane of lane \p L, and whether it is in range.
static std::pair<unsigned, bool> sourceLane(WarpOpKind K, unsigned L,
                                            uint32_t B, uint32_t C) {
  unsigned Segment = C >> 8 & 31, Clamp = C & 31;
  B &= 31;
  int Max = int((L & Segment) | (Clamp & ~Segment & 31)),
      Min = int(L & Segment);
  int J;
  bool InRange;
  switch (K) {
  case WarpOpKind::ShflUp:
    J = int(L) - int(B);
    InRange = J >= Max;
    break;
  case WarpOpKind::ShflDown:
    J = int(L + B);
    InRange = J <= Max;
    break;
  case WarpOpKind::ShflBfly:
    J = int(L ^ B);
    InRange = J <= Max;
    break;
  default:
    J = Min | int(B & ~Segment & 31);
    InRange = J <= Max;
  }
  return {InRange ? unsigned(J) : L, InRange};
}

namespace {
/// The lanes of one exchange, whichever contexts they are in.
struct Exchange {
  uint32_t Lanes = 0;
  uint32_t Mask[WarpLanes];
  uint64_t Value[WarpLanes];
  uint32_t Lane[WarpLanes], Clamp[WarpLanes];
  uint64_t Result[WarpLanes];
  uint32_t Predicate = 0;
};
} // namespace

/// \p Word, of the lanes so far, with that of one more.
static uint32_t reduced(WarpOpKind K, uint32_t Word, uint32_t V) {
  auto AsFloat = [](uint32_t W) {
    float F;
    std::memcpy(&F, &W, 4);
    return F;
  };
  auto IsNaN = [&](uint32_t W) { return std::isnan(AsFloat(W)); };
  switch (K) {
  case WarpOpKind::ReduxAdd:
    return Word + V;
  case WarpOpKind::ReduxMin:
    return std::min(int32_t(Word), int32_t(V));
  case WarpOpKind::ReduxMax:
    return std::max(int32_t(Word), int32_t(V));
  case WarpOpKind::ReduxUMin:
    return std::min(Word, V);
  case WarpOpKind::ReduxUMax:
    return std::max(Word, V);
  case WarpOpKind::ReduxAnd:
    return Word & V;
  case WarpOpKind::ReduxOr:
    return Word | V;
  case WarpOpKind::ReduxXor:
    return Word ^ V;
  case WarpOpKind::ReduxFMin:
    return AsFloat(V) < AsFloat(Word) || IsNaN(Word) ? V : Word;
  case WarpOpKind::ReduxFMax:
    return AsFloat(V) > AsFloat(Word) || IsNaN(Word) ? V : Word;
  default:
    return Word;
  }
}

static void compute(WarpOpKind K, Exchange &X) {
  for (uint32_t M = X.Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    uint32_t Members = X.Mask[L] & X.Lanes;
    if (isShuffle(K)) {
      auto [From, InRange] = sourceLane(K, L, X.Lane[L], X.Clamp[L]);
      X.Result[L] = X.Lanes & bit(From) ? X.Value[From] : X.Value[L];
      if (InRange)
        X.Predicate |= bit(L);
      continue;
    }
    uint32_t Ballot = 0, Equal = 0;
    uint32_t Word = uint32_t(X.Value[__builtin_ctz(Members | bit(L))]);
    bool First = true;
    for (uint32_t N = Members; N; N &= N - 1) {
      unsigned J = __builtin_ctz(N);
      uint32_t V = uint32_t(X.Value[J]);
      Ballot |= X.Value[J] & 1 ? bit(J) : 0;
      Equal |= X.Value[J] == X.Value[L] ? bit(J) : 0;
      if (First) {
        Word = V;
        First = false;
        continue;
      }
      Word = reduced(K, Word, V);
    }
    switch (K) {
    case WarpOpKind::VoteAll:
      X.Result[L] = Ballot == Members;
      break;
    case WarpOpKind::VoteAny:
      X.Result[L] = Ballot != 0;
      break;
    case WarpOpKind::VoteUni:
      X.Result[L] = Ballot == 0 || Ballot == Members;
      break;
    case WarpOpKind::VoteBallot:
      X.Result[L] = Ballot;
      break;
    case WarpOpKind::MatchAny:
      X.Result[L] = Equal;
      break;
    case WarpOpKind::MatchAll:
      X.Result[L] = Equal == Members ? Members : 0;
      if (Equal == Members)
        X.Predicate |= bit(L);
      break;
    case WarpOpKind::Elect: {
      unsigned Leader = __builtin_ctz(Members | bit(L));
      X.Result[L] = Leader;
      if (Leader == L)
        X.Predicate |= bit(L);
      break;
    }
    default:
      X.Result[L] = Word;
      break;
    }
  }
}

static void fromContext(Exchange &X, const Context *C, uint32_t Lanes) {
  X.Lanes |= Lanes;
  for (uint32_t M = Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    X.Mask[L] = C->ExchangeMask[L];
    X.Value[L] = C->ExchangeValue[L];
    X.Lane[L] = C->ExchangeLane[L];
    X.Clamp[L] = C->ExchangeClamp[L];
  }
}

// Writes the results of a context's lanes into its frame.
static void writeResults(const WarpOp &Op, const Exchange &X, uint32_t Lanes,
                         char *R) {
  for (auto [I, S] : llvm::enumerate(Op.Results)) {
    bool Predicate = I == 1;
    for (uint32_t M = Lanes; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      writeLane(R, S, L, Predicate ? X.Predicate >> L & 1 : X.Result[L]);
    }
    // A uniform i1 is all ones or none.
    if (S.isMask() && S.Uniform && Lanes) {
      uint64_t V = Predicate ? X.Predicate >> __builtin_ctz(Lanes) & 1
                             : X.Result[__builtin_ctz(Lanes)];
      uint32_t W = V & 1 ? ~0u : 0;
      std::memcpy(R + S.Offset, &W, 4);
    }
  }
}

static uint32_t guarded(const char *R, const WarpOp &Op, uint32_t Mask) {
  if (!Op.HasGuard)
    return Mask;
  uint32_t G;
  std::memcpy(&G, R + Op.Guard.Offset, 4);
  return Mask & (Op.GuardNegated ? ~G : G);
}

static void observeSync(Context *C, uint32_t Lanes) {
  for (Observer *O : C->Run->E.Observers)
    O->barrier(C->Block->Linear, C->Warp->Index, Lanes);
}

Outcome sluice::emulator::warpOperation(Context *C, const Instruction *PC,
                                        char *R) {
  const auto &Op = *static_cast<const WarpOp *>(PC->Extra);
  uint32_t Lanes = guarded(R, Op, C->Mask), Need = 0;
  if (!Lanes)
    return Outcome::GoOn;
  for (uint32_t M = Lanes; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    C->ExchangeMask[L] = Op.HasMask ? readLane(R, Op.Mask, L) : C->Mask;
    Need |= C->ExchangeMask[L];
    if (Op.Kind != WarpOpKind::Sync && Op.Kind != WarpOpKind::Elect)
      C->ExchangeValue[L] = readLane(R, Op.Value, L);
    if (isShuffle(Op.Kind)) {
      C->ExchangeLane[L] = readLane(R, Op.Lane, L);
      C->ExchangeClamp[L] = readLane(R, Op.Clamp, L);
    }
  }
  Need &= C->Warp->Live;
  if (!(Need & ~Lanes)) {
    if (Op.Kind == WarpOpKind::Sync) {
      observeSync(C, Lanes);
      return Outcome::GoOn;
    }
    Exchange X;
    fromContext(X, C, Lanes);
    compute(Op.Kind, X);
    writeResults(Op, X, Lanes, R);
    return Outcome::GoOn;
  }
  // Some are elsewhere: on other paths of this context, or in another.
  splitOthers(C);
  C->State = RunState::AtWarpSync;
  C->PC = PC;
  C->Exchange = &Op;
  C->ExchangeNeed = Need;
  C->ExchangeLanes = Lanes;
  return Outcome::Stop;
}

bool sluice::emulator::releaseWarp(WarpState &Warp) {
  bool Any = false;
  for (bool Again = true; Again;) {
    Again = false;
    for (size_t I = 0; I < Warp.Contexts.size(); ++I) {
      Context *C = Warp.Contexts[I];
      if (C->State != RunState::AtWarpSync)
        continue;
      // Everyone whom this context names, and whom those name, must be here.
      uint32_t Have = 0, Want = C->ExchangeNeed | C->ExchangeLanes;
      llvm::SmallVector<Context *, 4> Group;
      for (bool Grown = true; Grown;) {
        Grown = false;
        for (Context *D : Warp.Contexts)
          if (D->State == RunState::AtWarpSync &&
              D->Exchange->Kind == C->Exchange->Kind &&
              (D->ExchangeLanes & Want) && !llvm::is_contained(Group, D)) {
            Group.push_back(D);
            Have |= D->ExchangeLanes;
            Want |= D->ExchangeNeed;
            Grown = true;
          }
      }
      if (Want & Warp.Live & ~Have)
        continue;
      Exchange X;
      for (Context *D : Group)
        fromContext(X, D, D->ExchangeLanes);
      if (C->Exchange->Kind == WarpOpKind::Sync)
        observeSync(C, X.Lanes);
      else
        compute(C->Exchange->Kind, X);
      for (Context *D : Group) {
        if (D->Exchange->Kind != WarpOpKind::Sync)
          writeResults(*D->Exchange, X, D->ExchangeLanes, D->Frames + D->Frame);
        D->State = RunState::Ready;
        D->PC = D->PC + 1;
      }
      Any = Again = true;
      mergeContexts(Warp);
      break;
    }
  }
  return Any;
}

// --- Barriers ----------------------------------------------------------------

Outcome sluice::emulator::barrierOperation(Context *C, const Instruction *PC,
                                           char *R) {
  const auto &Op = *static_cast<const BarrierOp *>(PC->Extra);
  BlockState &B = *C->Block;
  unsigned First = __builtin_ctz(C->Mask);
  uint32_t Id = Op.Cluster ? 0 : uint32_t(readLane(R, Op.Id, First)) & 15;
  BarrierState &S = B.Barriers[Id];
  const CodePlace &Here = placeOf(*C, PC);
  if (S.Arrived && S.FirstAligned && Op.Aligned && !S.DivergenceReported &&
      (S.First->Line != Here.Line || S.First->File != Here.File)) {
    S.DivergenceReported = true;
    reportLane(C, PC, First, "barrier divergence",
               {"other threads wait at " + S.First->str()});
    C->Run->fail(LaunchStatus::CheckFailed);
  }
  if (!S.Arrived) {
    S.First = &Here;
    S.FirstAligned = Op.Aligned && !Op.HasCount;
    S.Expected = 0;
  }
  if (Op.HasCount)
    S.Expected = readLane(R, Op.Count, First);
  S.Arrived += C->Active;
  // A count speaks of whole warps.
  if (Op.HasCount && C->Warp->Existing != ~0u)
    S.Arrived += WarpLanes - __builtin_popcount(C->Warp->Existing);
  const bool Waits = Op.Kind != BarrierKind::Arrive;
  for (Observer *O : C->Run->E.Observers)
    O->cameToBarrier({B.Linear, C->Warp->Index, Here.File.c_str(), Here.Line},
                     C->Mask, Id, Waits);
  if (!Waits)
    return Outcome::GoOn;
  splitOthers(C);
  C->BarrierPredicate = 0;
  if (Op.Kind != BarrierKind::Sync)
    for (uint32_t M = C->Mask; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      if (readLane(R, Op.Predicate, L) & 1)
        C->BarrierPredicate |= bit(L);
    }
  C->Barrier = &Op;
  C->BarrierId = Id;
  C->PC = PC;
  C->State = RunState::AtBarrier;
  return Outcome::Stop;
}

bool sluice::emulator::releaseBarriers(BlockState &B) {
  bool Any = false;
  for (unsigned Id = 0; Id < 16; ++Id) {
    BarrierState &S = B.Barriers[Id];
    if (!S.Arrived)
      continue;
    if (S.Arrived < (S.Expected ? S.Expected : B.Live))
      continue;
    unsigned True = 0, Threads = 0;
    for (Context *C : B.Order)
      if (C->State == RunState::AtBarrier && C->BarrierId == Id) {
        True += __builtin_popcount(C->BarrierPredicate);
        Threads += C->Active;
      }
    if (!Threads) { // all who would wait have exited
      S = BarrierState();
      continue;
    }
    for (Context *C : B.Order) {
      if (C->State != RunState::AtBarrier || C->BarrierId != Id)
        continue;
      const BarrierOp &Op = *C->Barrier;
      uint64_t Result = Op.Kind == BarrierKind::And  ? True == Threads
                        : Op.Kind == BarrierKind::Or ? True != 0
                                                     : True;
      char *R = C->Frames + C->Frame;
      for (Slot Into : Op.Results) {
        for (uint32_t M = C->Mask; M; M &= M - 1)
          writeLane(R, Into, __builtin_ctz(M), Result);
        if (Into.isMask()) {
          uint32_t W = Result ? ~0u : 0;
          if (Into.Uniform)
            std::memcpy(R + Into.Offset, &W, 4);
        }
      }
      C->State = RunState::Ready;
      C->PC = C->PC + 1;
      C->Spins = 0;
    }
    S = BarrierState();
    for (WarpState &W : B.Warps)
      if (W.Contexts.size() > 1)
        mergeContexts(W);
    if (!B.Order.empty())
      for (Observer *O : B.Order.front()->Run->E.Observers) {
        O->barrier(B.Linear, ~0u, ~0u);
        O->barrierOver(B.Linear, Id);
      }
    Any = true;
  }
  return Any;
}
