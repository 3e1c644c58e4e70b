// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers: barriers that are a 64-bit word in shared memory (PTX ISA,
// "Parallel Synchronization and Communication Instructions: mbarrier"). What
// the word holds is the implementation's affair; here it is
//
//   bits  0-19  arrivals that the current phase still waits for (pending)
//   bits 20-39  arrivals of each phase (expected)
//   bits 40-60  bytes that the phase still waits for, signed (tx-count)
//   bit     61  parity of the current phase
//   bits 62-63  2: tells an mbarrier from zeros and most other words
//
// A phase ends when nothing is pending: neither arrivals nor bytes. The state
// that an arrive gives is the word before it. It may be waited for in its own
// phase and in the next, so parities tell whether its phase is over.
//
// cp.async.mbarrier.arrive arrives at once, but what it arrives for is not seen
// before somebody has waited. A block's warps run one after the other: no
// operation here is atomic on the host.

#include "AsyncCopies.h"
#include "Launch.h"
#include "Report.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace sluice::emulator;
using llvm::itostr;
using llvm::utostr;

namespace {

constexpr uint32_t MostArrivals = (1u << 20) - 1;
constexpr int64_t MostBytes = (1 << 20) - 1;
constexpr uint64_t Mark = 2;

struct MBarrier {
  uint32_t Pending, Expected;
  int64_t Bytes;
  bool Parity;

  explicit MBarrier(uint64_t Word)
      : Pending(Word & MostArrivals), Expected(Word >> 20 & MostArrivals),
        Bytes(int64_t(Word << 3) >> 43), Parity(Word >> 61 & 1) {}
  static MBarrier ofCount(uint64_t Count) {
    return MBarrier(Count | Count << 20);
  }
  static bool isOne(uint64_t Word) { return Word >> 62 == Mark; }
  uint64_t word() const {
    return Pending | uint64_t(Expected) << 20 |
           (uint64_t(Bytes) & ((1u << 21) - 1)) << 40 | uint64_t(Parity) << 61 |
           Mark << 62;
  }
  bool hasPossibleBytes() const {
    return Bytes >= -MostBytes && Bytes <= MostBytes;
  }
  bool isDone() const { return !Pending && !Bytes; }
  void endPhaseIfDone() {
    if (!isDone())
      return;
    Parity = !Parity;
    Pending = Expected;
  }
};

/// What a lane's operation does.
struct Effect {
  uint64_t Word;          ///< Afterwards.
  uint64_t Result = 0;    ///< A state, a count, or whether the phase is over.
  std::string Error = {}; ///< What is wrong, if something is.
};

} // namespace

static std::string wrongCount(const char *What, int64_t Is, int64_t Low,
                              int64_t High) {
  return std::string(What) + " of " + itostr(Is) + "; " + itostr(Low) + " to " +
         itostr(High) + " are possible";
}

static Effect arrive(const MBarrierOp &Op, MBarrier B, uint32_t V) {
  uint64_t Before = B.word();
  uint32_t Count = Op.HasValue && !Op.ExpectsBytes ? V : 1;
  if (Op.ExpectsBytes)
    B.Bytes += V;
  if (!B.hasPossibleBytes())
    return {Before, Before,
            wrongCount("a transaction count", B.Bytes, -MostBytes, MostBytes)};
  if (Count > B.Pending)
    return {Before, Before,
            "arrives " + utostr(Count) + " times where the phase waits for " +
                utostr(B.Pending) + " arrivals"};
  B.Pending -= Count;
  if (Op.Drop)
    B.Expected -= Count;
  if (Op.NoComplete && B.isDone())
    return {Before, Before, "arrives with .noComplete and ends the phase"};
  B.endPhaseIfDone();
  return {B.word(), Before};
}

static Effect effectOf(const MBarrierOp &Op, uint64_t Word, uint64_t V) {
  if (Op.Kind == MBarrierKind::Init) {
    if (V == 0 || V > MostArrivals)
      return {Word, 0,
              wrongCount("a count", static_cast<int64_t>(V), 1, MostArrivals)};
    return {MBarrier::ofCount(V).word()};
  }
  // A wait that goes wrong is over, so that its loop ends.
  if (!MBarrier::isOne(Word))
    return {Word, 1, "no mbarrier is here: mbarrier.init makes one"};
  MBarrier B(Word);
  switch (Op.Kind) {
  case MBarrierKind::Invalidate:
    return {0};
  case MBarrierKind::Wait:
    if (Op.Parity)
      return {Word, B.Parity != bool(V & 1)};
    if (!MBarrier::isOne(V))
      return {Word, 1, "waits for a state that no arrive gave"};
    return {Word, B.Parity != MBarrier(V).Parity};
  case MBarrierKind::Arrive:
    return arrive(Op, B, V);
  case MBarrierKind::ExpectBytes:
  case MBarrierKind::CompleteBytes:
    B.Bytes += Op.Kind == MBarrierKind::ExpectBytes ? int64_t(V) : -int64_t(V);
    if (!B.hasPossibleBytes())
      return {
          Word, 0,
          wrongCount("a transaction count", B.Bytes, -MostBytes, MostBytes)};
    B.endPhaseIfDone();
    return {B.word()};
  default: // AsyncArrive: one arrival more, which comes at once.
    return {Word};
  }
}

// Generic addresses become offsets in shared memory. Returns the lanes that
// point there.
static uint32_t sharedOffsets(Context *C, const Instruction *PC, uint32_t Mask,
                              uint64_t (&Addresses)[WarpLanes]) {
  uint32_t Good = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (Addresses[L] - SharedWindow < PrivateWindowBytes) {
      Addresses[L] -= SharedWindow;
      Good |= 1u << L;
      continue;
    }
    reportLane(C, PC, L, "mbarrier outside shared memory", {}, &Addresses[L]);
    C->Run->fail(LaunchStatus::IllegalAddress);
  }
  return Good;
}

// What the operation, which went well, says of asynchronous copies.
static void followCopies(Context *C, const MBarrierOp &Op, unsigned Lane,
                         uint64_t Barrier, uint64_t Before, uint64_t After) {
  if (Op.OfCopies)
    tieCopies(C, Lane, Barrier);
  if (Op.Kind == MBarrierKind::Wait)
    landTiedCopies(C, Barrier);
  else if (Op.Word.IsAtomic &&
           MBarrier(Before).Parity != MBarrier(After).Parity)
    endPhaseOfCopies(C, Barrier);
}

std::string sluice::emulator::waitOfMBarrier(uint64_t Word) {
  if (!MBarrier::isOne(Word))
    return "no mbarrier is there";
  const MBarrier B(Word);
  return "the mbarrier there waits for " + utostr(B.Pending) + " of " +
         utostr(B.Expected) + " arrivals" +
         (B.Bytes ? " and " + itostr(B.Bytes) + " bytes" : "") +
         ", in a phase of parity " + utostr(B.Parity);
}

void sluice::emulator::mbarrierOperation(Context *C, const Instruction *PC,
                                         char *R) {
  const auto &Op = *static_cast<const MBarrierOp *>(PC->Extra);
  const AccessOp &A = Op.Word;
  const bool IsWait = Op.Kind == MBarrierKind::Wait;
  uint32_t Mask = guardOf(C, R, A.HasGuard, A.GuardNegated, A.Guard);
  auto GiveResult = [&](unsigned L, uint64_t Word) {
    if (!Op.Results.empty())
      writeLane(R, Op.Results[0], L, Word);
  };
  if (Op.Kind == MBarrierKind::PendingCount) {
    for (uint32_t M = Mask; M; M &= M - 1) {
      unsigned L = __builtin_ctz(M);
      GiveResult(L, MBarrier(readLane(R, Op.Value, L)).Pending);
    }
    return;
  }
  uint64_t Addresses[WarpLanes];
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    Addresses[L] = readLane(R, A.Address, L) + A.Offset;
  }
  uint32_t Shared = Mask;
  if (A.Where != Space::Shared)
    Shared = sharedOffsets(C, PC, Mask, Addresses);
  if (IsWait)
    noteWait(C, PC, Space::Shared, Shared, Addresses);
  C->LookedAtMBarrier = IsWait;
  char *Host[WarpLanes];
  AccessRequest Q{Addresses, Shared,    Space::Shared,
                  A.Bytes,   A.IsWrite, Op.Kind != MBarrierKind::Init};
  uint32_t Good = resolveAccess(C, PC, Q, Host);
  uint32_t Did = 0; // Lanes whose access orders others or must be ordered.
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    if (!(Good >> L & 1)) {
      GiveResult(L, IsWait);
      continue;
    }
    uint64_t Word;
    std::memcpy(&Word, Host[L], 8);
    Effect E = effectOf(Op, Word, Op.HasValue ? readLane(R, Op.Value, L) : 0);
    if (!E.Error.empty()) {
      reportLane(C, PC, L, "misused mbarrier", {E.Error}, nullptr);
      C->Run->fail(LaunchStatus::CheckFailed);
    } else if (!IsWait || E.Result) {
      Did |= 1u << L;
      followCopies(C, Op, L, Addresses[L], Word, E.Word);
    }
    std::memcpy(Host[L], &E.Word, 8);
    GiveResult(L, E.Result);
  }
  if (Did)
    tellAccess(C, PC, R, A, Did);
}
