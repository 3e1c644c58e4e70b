// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations, lane by lane in the order of lanes. Blocks may run on
// several cores, so they are atomic on the host too.

#include "Launch.h"
#include "sluice/Emulator/LaneFunctions.h"
#include <cstring>

using namespace sluice::emulator;

template <class F> static F fromWord(uint64_t Word) {
  F V;
  std::memcpy(&V, &Word, sizeof V);
  return V;
}
template <class F> static uint64_t toWord(F V) {
  uint64_t Word = 0;
  std::memcpy(&Word, &V, sizeof V);
  return Word;
}

static uint64_t addFloats(const AtomicOp &Op, uint64_t A, uint64_t B) {
  static const LaneFunction *Half = findPTXFunction("add.rn.f16"),
                            *BFloat = findPTXFunction("add.rn.bf16"),
                            *Half2 = findPTXFunction("add.rn.f16x2"),
                            *BFloat2 = findPTXFunction("add.rn.bf16x2");
  uint64_t Words[3] = {A, B, 0};
  switch (Op.T) {
  case AtomicOp::Half:
    return Half->Evaluate(Words);
  case AtomicOp::BFloat:
    return BFloat->Evaluate(Words);
  case AtomicOp::Half2:
    return Half2->Evaluate(Words);
  case AtomicOp::BFloat2:
    return BFloat2->Evaluate(Words);
  default:
    if (Op.Bytes == 8)
      return toWord(fromWord<double>(A) + fromWord<double>(B));
    // atom.add.f32 flushes subnormals on global memory only in some chips'
    // documents; measured on sm_90 it does not.
    return toWord(fromWord<float>(A) + fromWord<float>(B));
  }
}

static uint64_t combine(const AtomicOp &Op, uint64_t Old, uint64_t V,
                        uint64_t Compare) {
  const unsigned Shift = 64 - 8 * Op.Bytes;
  auto Signed = [&](uint64_t W) { return int64_t(W << Shift) >> Shift; };
  switch (Op.Kind) {
  case AtomicKind::Exchange:
  case AtomicKind::Store:
    return V;
  case AtomicKind::Load:
    return Old;
  case AtomicKind::Add:
    return Old + V;
  case AtomicKind::Sub:
    return Old - V;
  case AtomicKind::And:
    return Old & V;
  case AtomicKind::Or:
    return Old | V;
  case AtomicKind::Xor:
    return Old ^ V;
  case AtomicKind::Nand:
    return ~(Old & V);
  case AtomicKind::Min:
    return Signed(V) < Signed(Old) ? V : Old;
  case AtomicKind::Max:
    return Signed(V) > Signed(Old) ? V : Old;
  case AtomicKind::UMin:
    return V < Old ? V : Old;
  case AtomicKind::UMax:
    return V > Old ? V : Old;
  case AtomicKind::FAdd:
    return addFloats(Op, Old, V);
  case AtomicKind::FSub:
    return addFloats(Op, Old, V ^ uint64_t(1) << (8 * Op.Bytes - 1));
  case AtomicKind::FMin:
  case AtomicKind::FMax: {
    double X = Op.Bytes == 8 ? fromWord<double>(Old) : fromWord<float>(Old),
           Y = Op.Bytes == 8 ? fromWord<double>(V) : fromWord<float>(V);
    bool Take = Op.Kind == AtomicKind::FMin ? Y < X : Y > X;
    return Take || X != X ? V : Old;
  }
  case AtomicKind::Inc: // PTX atom.inc: 0 above the limit
    return Old >= V ? 0 : Old + 1;
  case AtomicKind::Dec:
    return Old == 0 || Old > V ? V : Old - 1;
  case AtomicKind::CompareExchange:
    return Old == Compare ? V : Old;
  case AtomicKind::UCondSub:
    return Old >= V ? Old - V : Old;
  case AtomicKind::USubSat:
    return Old >= V ? Old - V : 0;
  }
  return Old;
}

template <class T>
static uint64_t apply(char *Host, const AtomicOp &Op, uint64_t V,
                      uint64_t Compare) {
  T *P = reinterpret_cast<T *>(Host);
  T Old = __atomic_load_n(P, __ATOMIC_SEQ_CST);
  for (;;) {
    T New = T(combine(Op, Old, V, Compare));
    if (Op.Kind == AtomicKind::Load ||
        __atomic_compare_exchange_n(P, &Old, New, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return Old;
  }
}

Outcome sluice::emulator::atomicOperation(Context *C, const Instruction *PC,
                                          char *R) {
  const auto &Op = *static_cast<const AtomicOp *>(PC->Extra);
  uint32_t Mask = guardOf(C, R, Op.HasGuard, Op.GuardNegated, Op.Guard);
  uint64_t Addresses[WarpLanes];
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    Addresses[L] = readLane(R, Op.Address, L) + Op.Offset;
  }
  noteWait(C, PC, Op.Where, Mask, Addresses);
  char *Host[WarpLanes];
  AccessRequest Q{Addresses,
                  Mask,
                  Op.Where,
                  Op.Bytes,
                  Op.Kind != AtomicKind::Load,
                  Op.Kind != AtomicKind::Store};
  uint32_t Good = resolveAccess(C, PC, Q, Host);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = __builtin_ctz(M);
    uint64_t Old = 0, Compare = 0, V = 0;
    if (Op.Kind != AtomicKind::Load)
      V = readLane(R, Op.Value, L);
    if (Op.Kind == AtomicKind::CompareExchange)
      Compare = readLane(R, Op.Compare, L);
    if (Good >> L & 1)
      Old = Op.Bytes == 8   ? apply<uint64_t>(Host[L], Op, V, Compare)
            : Op.Bytes == 4 ? apply<uint32_t>(Host[L], Op, V, Compare)
            : Op.Bytes == 2 ? apply<uint16_t>(Host[L], Op, V, Compare)
                            : apply<uint8_t>(Host[L], Op, V, Compare);
    if (!Op.Results.empty())
      writeLane(R, Op.Results[0], L, Old);
    if (Op.Results.size() > 1)
      writeLane(R, Op.Results[1], L, Old == Compare);
  }
  return Outcome::GoOn;
}
