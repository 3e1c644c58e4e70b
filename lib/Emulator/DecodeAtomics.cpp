// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations, as instructions of LLVM and as intrinsics of NVPTX.

#include "Decoder.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;
using namespace sluice::emulator;

void FunctionDecoder::emitAtomic(AtomicOp Op) {
  AccessOp Seen{};
  Seen.Bytes = Op.Bytes;
  Seen.IsReadWrite =
      Op.Kind != AtomicKind::Load && Op.Kind != AtomicKind::Store;
  Seen.IsWrite = Op.Kind != AtomicKind::Load;
  Seen.IsAtomic = true;
  Seen.Acquires = Op.Acquires;
  Seen.Releases = Op.Releases;
  Seen.HasGuard = Op.HasGuard;
  Seen.GuardNegated = Op.GuardNegated;
  Seen.Guard = Op.Guard;
  observe({Op.Address, Op.Offset, Op.Where}, std::move(Seen));
  emit(GenericOp::Atomic).Extra = keep(std::move(Op));
  Out.Code.back().Site = Out.NumSites++;
}

std::optional<AtomicKind>
sluice::emulator::atomicKindFor(StringRef Word, bool Float, bool Signed) {
  return StringSwitch<std::optional<AtomicKind>>(Word)
      .Case("add", Float ? AtomicKind::FAdd : AtomicKind::Add)
      .Case("exch", AtomicKind::Exchange)
      .Case("and", AtomicKind::And)
      .Case("or", AtomicKind::Or)
      .Case("xor", AtomicKind::Xor)
      .Case("cas", AtomicKind::CompareExchange)
      .Case("inc", AtomicKind::Inc)
      .Case("dec", AtomicKind::Dec)
      .Case("min", Float    ? AtomicKind::FMin
                   : Signed ? AtomicKind::Min
                            : AtomicKind::UMin)
      .Case("max", Float    ? AtomicKind::FMax
                   : Signed ? AtomicKind::Max
                            : AtomicKind::UMax)
      .Default(std::nullopt);
}

// CUDA's atomicAdd() and its like are relaxed, although clang writes seq_cst.
template <typename OpT> static void setOrder(OpT &Op, AtomicOrdering Order) {
  if (Order == AtomicOrdering::SequentiallyConsistent)
    return;
  Op.Acquires = isAcquireOrStronger(Order);
  Op.Releases = isReleaseOrStronger(Order);
}

static std::optional<AtomicKind> kindOf(AtomicRMWInst::BinOp Operation) {
  using B = AtomicRMWInst::BinOp;
  switch (Operation) {
  case B::Xchg:
    return AtomicKind::Exchange;
  case B::Add:
    return AtomicKind::Add;
  case B::Sub:
    return AtomicKind::Sub;
  case B::And:
    return AtomicKind::And;
  case B::Or:
    return AtomicKind::Or;
  case B::Xor:
    return AtomicKind::Xor;
  case B::Nand:
    return AtomicKind::Nand;
  case B::Min:
    return AtomicKind::Min;
  case B::Max:
    return AtomicKind::Max;
  case B::UMin:
    return AtomicKind::UMin;
  case B::UMax:
    return AtomicKind::UMax;
  case B::FAdd:
    return AtomicKind::FAdd;
  case B::FSub:
    return AtomicKind::FSub;
  case B::FMin:
    return AtomicKind::FMin;
  case B::FMax:
    return AtomicKind::FMax;
  case B::UIncWrap:
    return AtomicKind::Inc;
  case B::UDecWrap:
    return AtomicKind::Dec;
  default:
    return std::nullopt;
  }
}

void FunctionDecoder::decodeAtomicRMW(AtomicRMWInst &I) {
  AtomicOp Op{};
  const std::optional<AtomicKind> Kind = kindOf(I.getOperation());
  if (!Kind)
    return unsupported("this atomic operation");
  Op.Kind = *Kind;
  setOrder(Op, I.getOrdering());
  Type *T = I.getType();
  bool Half2 = false;
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    Half2 = V->getNumElements() == 2 && V->getScalarSizeInBits() == 16;
    T = V->getElementType();
    if (!Half2)
      return unsupported("an atomic operation on this vector");
  }
  Op.T = T->isHalfTy()     ? (Half2 ? AtomicOp::Half2 : AtomicOp::Half)
         : T->isBFloatTy() ? (Half2 ? AtomicOp::BFloat2 : AtomicOp::BFloat)
         : T->isFloatingPointTy() ? AtomicOp::Float
                                  : AtomicOp::Integer;
  if ((Op.Kind == AtomicKind::FMin || Op.Kind == AtomicKind::FMax) &&
      Op.T != AtomicOp::Float)
    return unsupported("an atomic minimum of this type");
  Address A = address(I.getPointerOperand());
  Op.Where = A.Where;
  Op.Address = A.Base;
  Op.Offset = A.Offset;
  Op.Bytes = DL.getTypeStoreSize(I.getType());
  const Slots V = slots(I.getValOperand()), D = slots(&I);
  if (Half2) {
    Slot Packed = newSlot(4, false), Old = newSlot(4, false);
    Repack In{{V[0], V[1]}, {Packed}}, Back{{Old}, {D[0], D[1]}};
    emit(GenericOp::Repack).Extra = keep(std::move(In));
    Op.Value = Packed;
    Op.Results = {Old};
    emitAtomic(std::move(Op));
    emit(GenericOp::Repack).Extra = keep(std::move(Back));
    return;
  }
  Op.Value = V[0];
  Op.Results = {D[0]};
  emitAtomic(std::move(Op));
}

void FunctionDecoder::decodeCompareExchange(AtomicCmpXchgInst &I) {
  AtomicOp Op{};
  Op.Kind = AtomicKind::CompareExchange;
  Op.T = AtomicOp::Integer;
  setOrder(Op, I.getMergedOrdering());
  Address A = address(I.getPointerOperand());
  Op.Where = A.Where;
  Op.Address = A.Base;
  Op.Offset = A.Offset;
  Op.Bytes = DL.getTypeStoreSize(I.getCompareOperand()->getType());
  Op.Compare = slot(I.getCompareOperand());
  Op.Value = slot(I.getNewValOperand());
  const Slots &D = slots(&I);
  Op.Results.append(D.begin(), D.end());
  emitAtomic(std::move(Op));
}

bool FunctionDecoder::decodeAtomicIntrinsic(CallInst &I, StringRef Name) {
  // llvm.nvvm.atomic.add.gen.i.cta.i32.p0
  StringRef Rest = Name;
  if (!Rest.consume_front("llvm.nvvm.atomic."))
    return false;
  auto [Word, Tail] = Rest.split('.');
  bool Float = Tail.starts_with("gen.f");
  AtomicOp Op{};
  const std::optional<AtomicKind> Kind =
      atomicKindFor(Word, Float, /*Signed=*/true);
  if (!Kind)
    return false;
  Op.Kind = *Kind;
  Op.T = Float ? AtomicOp::Float : AtomicOp::Integer;
  Op.Where = spaceOf(I.getArgOperand(0)->getType());
  Op.Address = slot(I.getArgOperand(0));
  Op.Bytes = DL.getTypeStoreSize(I.getType());
  if (Op.Kind == AtomicKind::CompareExchange) {
    Op.Compare = slot(I.getArgOperand(1));
    Op.Value = slot(I.getArgOperand(2));
  } else
    Op.Value = slot(I.getArgOperand(1));
  Op.Results = {slot(&I)};
  emitAtomic(std::move(Op));
  return true;
}
