// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons and selects.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace sluice::emulator;

static bool flushesFloats(const llvm::Function &F) {
  return F.getFnAttribute("denormal-fp-math-f32")
             .getValueAsString()
             .starts_with("preserve-sign") ||
         F.getFnAttribute("nvptx-f32ftz").getValueAsString() == "true";
}

void FunctionDecoder::decodeBinary(BinaryOperator &I) {
  const Slots D = slots(&I), A = slots(I.getOperand(0)),
              B = slots(I.getOperand(1));
  Type *T = I.getType()->getScalarType();
  bool Flush = T->isFloatTy() && flushesFloats(F);
  for (auto [DS, AS, BS] : zip(D, A, B))
    if (!decodeBinaryComponent(I.getOpcode(), T, DS, AS, BS, Flush)) {
      std::string Text;
      raw_string_ostream(Text) << I;
      unsupported("the instruction" + Text);
      return;
    }
}

template <class T> static uint64_t remainder(uint64_t *W) {
  T X, Y;
  std::memcpy(&X, &W[0], sizeof(T));
  std::memcpy(&Y, &W[1], sizeof(T));
  T Z = std::fmod(X, Y);
  uint64_t Out = 0;
  std::memcpy(&Out, &Z, sizeof(T));
  return Out;
}

/// The integer of \p Bits bits in X as one of all the bits of its container.
Slot FunctionDecoder::signExtended(Slot X, unsigned Bits, bool Uniform) {
  Slot Y = newSlot(X.Bytes, Uniform);
  Slot By = constant(X.Bytes * 8 - Bits, X.Bytes);
  Type *Wide = IntegerType::get(F.getContext(), X.Bytes * 8);
  decodeBinaryComponent(llvm::Instruction::Shl, Wide, Y, X, By, false);
  decodeBinaryComponent(llvm::Instruction::AShr, Wide, Y, Y, By, false);
  return Y;
}

/// The bits of an odd width's container that are not its own become zero.
void FunctionDecoder::clearAbove(Slot D, unsigned Bits) {
  Slot Mask = constant(maskTrailingOnes<uint64_t>(Bits), D.Bytes);
  emit(
      H.Arith[unsigned(Arithmetic::And)][sizeIndex(D.Bytes)][D.Uniform ? 3 : 2],
      D.Offset, D.Offset, Mask.Offset);
}

bool FunctionDecoder::decodeBinaryComponent(unsigned Opcode, Type *T, Slot D,
                                            Slot A, Slot B, bool Flush) {
  using I = llvm::Instruction;
  if (T->isIntegerTy() && T->getIntegerBitWidth() > 64)
    return false; // see WideIntegers.cpp
  if (D.isMask()) {
    switch (Opcode) {
    case I::And:
    case I::Mul:
      emit(H.BitsAnd, D.Offset, A.Offset, B.Offset);
      return true;
    case I::Or:
      emit(H.BitsOr, D.Offset, A.Offset, B.Offset);
      return true;
    case I::Xor:
    case I::Add:
    case I::Sub:
      emit(H.BitsXor, D.Offset, A.Offset, B.Offset);
      return true;
    default:
      copy(D, A, false); // shifts and divisions of i1: by 0 and by 1 only
      return true;
    }
  }
  // A result that is uniform has uniform operands; take no chances.
  if (D.Uniform && (!A.Uniform || !B.Uniform))
    return false;
  auto Form = [&](Slot &X, Slot &Y) {
    if (!D.Uniform && X.Uniform && Y.Uniform)
      X = varying(X);
    return X.Uniform | Y.Uniform << 1;
  };
  if (T->isFloatTy() || T->isDoubleTy()) {
    Arithmetic Op;
    const char *Name;
    switch (Opcode) {
    case I::FAdd:
      Op = Arithmetic::FAdd, Name = "add.rn.ftz.f32";
      break;
    case I::FSub:
      Op = Arithmetic::FSub, Name = "sub.rn.ftz.f32";
      break;
    case I::FMul:
      Op = Arithmetic::FMul, Name = "mul.rn.ftz.f32";
      break;
    case I::FDiv:
      Op = Arithmetic::FDiv, Name = "div.rn.ftz.f32";
      break;
    case I::FRem: {
      static const LaneFunction RemF = {remainder<float>, 2, 1, 32};
      static const LaneFunction RemD = {remainder<double>, 2, 1, 64};
      laneCall(T->isFloatTy() ? RemF : RemD, {A, B}, {D});
      return true;
    }
    default:
      return false;
    }
    if (Flush)
      return laneCallByName(findPTXFunction(Name), {A, B}, {D});
    unsigned F = Form(A, B);
    emit(H.Arith[unsigned(Op)][T->isDoubleTy() ? 3 : 2][F], D.Offset, A.Offset,
         B.Offset);
    return true;
  }
  if (T->isHalfTy() || T->isBFloatTy()) {
    std::string Type = T->isHalfTy() ? "f16" : "bf16";
    switch (Opcode) {
    case I::FAdd:
      return laneCallByName(findPTXFunction("add.rn." + Type), {A, B}, {D});
    case I::FSub:
      return laneCallByName(findPTXFunction("sub.rn." + Type), {A, B}, {D});
    case I::FMul:
      return laneCallByName(findPTXFunction("mul.rn." + Type), {A, B}, {D});
    case I::FDiv: {
      // NVPTX divides in f32 and rounds.
      Slot X = newSlot(4, false), Y = newSlot(4, false), Q = newSlot(4, false);
      const LaneFunction *Widen = findPTXFunction("cvt.f32." + Type),
                         *Narrow = findPTXFunction("cvt.rn." + Type + ".f32");
      const LaneFunction *Divide = findPTXFunction("div.rn.f32");
      if (!Widen || !Narrow || !Divide)
        return false;
      laneCall(*Widen, {A}, {X});
      laneCall(*Widen, {B}, {Y});
      laneCall(*Divide, {X, Y}, {Q});
      laneCall(*Narrow, {Q}, {D});
      return true;
    }
    default:
      return false;
    }
  }
  Arithmetic Op;
  bool SignedOperands = false;
  switch (Opcode) {
  case I::Add:
    Op = Arithmetic::Add;
    break;
  case I::Sub:
    Op = Arithmetic::Sub;
    break;
  case I::Mul:
    Op = Arithmetic::Mul;
    break;
  case I::And:
    Op = Arithmetic::And;
    break;
  case I::Or:
    Op = Arithmetic::Or;
    break;
  case I::Xor:
    Op = Arithmetic::Xor;
    break;
  case I::Shl:
    Op = Arithmetic::Shl;
    break;
  case I::LShr:
    Op = Arithmetic::LShr;
    break;
  case I::AShr:
    Op = Arithmetic::AShr;
    SignedOperands = true;
    break;
  case I::UDiv:
    Op = Arithmetic::UDiv;
    break;
  case I::SDiv:
    Op = Arithmetic::SDiv;
    SignedOperands = true;
    break;
  case I::URem:
    Op = Arithmetic::URem;
    break;
  case I::SRem:
    Op = Arithmetic::SRem;
    SignedOperands = true;
    break;
  default:
    return false;
  }
  unsigned Bits = T->getPrimitiveSizeInBits(), Container = D.Bytes * 8;
  // Odd widths live zero-extended in the next container.
  if (Bits != Container && SignedOperands) {
    A = signExtended(A, Bits, D.Uniform);
    if (Opcode != I::AShr)
      B = signExtended(B, Bits, D.Uniform);
  }
  unsigned F = Form(A, B);
  emit(H.Arith[unsigned(Op)][sizeIndex(D.Bytes)][F], D.Offset, A.Offset,
       B.Offset);
  if (Bits != Container && Opcode != I::And && Opcode != I::Or &&
      Opcode != I::Xor && Opcode != I::LShr && Opcode != I::UDiv &&
      Opcode != I::URem)
    clearAbove(D, Bits);
  return true;
}

void FunctionDecoder::decodeCompare(CmpInst &I) {
  const Slots D = slots(&I), A = slots(I.getOperand(0)),
              B = slots(I.getOperand(1));
  Type *T = I.getOperand(0)->getType()->getScalarType();
  using P = CmpInst::Predicate;
  P Predicate = I.getPredicate();
  for (auto [DS, AS, BS] : zip(D, A, B)) {
    Slot X = AS, Y = BS;
    if (Predicate == P::FCMP_TRUE || Predicate == P::FCMP_FALSE) {
      copy(DS, constant(Predicate == P::FCMP_TRUE, 0), false);
      continue;
    }
    if (X.isMask()) {
      Slot NotX = newSlot(0, X.Uniform), NotY = newSlot(0, Y.Uniform);
      auto Signed = CmpInst::isSigned(Predicate);
      // Signed i1: true is -1, below false.
      P U = Signed ? CmpInst::getSwappedPredicate(
                         ICmpInst::getUnsignedPredicate(Predicate))
                   : Predicate;
      emit(H.BitsNot, NotX.Offset, X.Offset);
      emit(H.BitsNot, NotY.Offset, Y.Offset);
      switch (U) {
      case P::ICMP_EQ:
        emit(H.BitsXor, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_NE:
        emit(H.BitsXor, DS.Offset, X.Offset, Y.Offset);
        break;
      case P::ICMP_ULT:
        emit(H.BitsAnd, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_ULE:
        emit(H.BitsOr, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_UGT:
        emit(H.BitsAnd, DS.Offset, X.Offset, NotY.Offset);
        break;
      default:
        emit(H.BitsOr, DS.Offset, X.Offset, NotY.Offset);
        break;
      }
      continue;
    }
    Comparison Op;
    switch (Predicate) {
    case P::ICMP_EQ:
      Op = Comparison::Eq;
      break;
    case P::ICMP_NE:
      Op = Comparison::Ne;
      break;
    case P::ICMP_ULT:
      Op = Comparison::Ult;
      break;
    case P::ICMP_ULE:
      Op = Comparison::Ule;
      break;
    case P::ICMP_UGT:
      Op = Comparison::Ugt;
      break;
    case P::ICMP_UGE:
      Op = Comparison::Uge;
      break;
    case P::ICMP_SLT:
      Op = Comparison::Slt;
      break;
    case P::ICMP_SLE:
      Op = Comparison::Sle;
      break;
    case P::ICMP_SGT:
      Op = Comparison::Sgt;
      break;
    case P::ICMP_SGE:
      Op = Comparison::Sge;
      break;
    case P::FCMP_OEQ:
      Op = Comparison::FOeq;
      break;
    case P::FCMP_ONE:
      Op = Comparison::FOne;
      break;
    case P::FCMP_OLT:
      Op = Comparison::FOlt;
      break;
    case P::FCMP_OLE:
      Op = Comparison::FOle;
      break;
    case P::FCMP_OGT:
      Op = Comparison::FOgt;
      break;
    case P::FCMP_OGE:
      Op = Comparison::FOge;
      break;
    case P::FCMP_ORD:
      Op = Comparison::FOrd;
      break;
    case P::FCMP_UEQ:
      Op = Comparison::FUeq;
      break;
    case P::FCMP_UNE:
      Op = Comparison::FUne;
      break;
    case P::FCMP_ULT:
      Op = Comparison::FUlt;
      break;
    case P::FCMP_ULE:
      Op = Comparison::FUle;
      break;
    case P::FCMP_UGT:
      Op = Comparison::FUgt;
      break;
    case P::FCMP_UGE:
      Op = Comparison::FUge;
      break;
    default:
      Op = Comparison::FUno;
      break;
    }
    if (T->isHalfTy() || T->isBFloatTy()) { // exact in f32
      const LaneFunction *Widen =
          findPTXFunction(T->isHalfTy() ? "cvt.f32.f16" : "cvt.f32.bf16");
      Slot WX = newSlot(4, false), WY = newSlot(4, false);
      if (!laneCallByName(Widen, {X}, {WX}) ||
          !laneCallByName(Widen, {Y}, {WY}))
        return unsupported("a comparison of half or bfloat");
      X = WX, Y = WY;
    }
    unsigned Bits = T->isIntegerTy() ? T->getIntegerBitWidth() : X.Bytes * 8;
    if (Bits != X.Bytes * 8u && CmpInst::isSigned(Predicate)) {
      Slot By = constant(X.Bytes * 8 - Bits, X.Bytes);
      Type *Wide = IntegerType::get(F.getContext(), X.Bytes * 8);
      Slot SX = newSlot(X.Bytes, X.Uniform), SY = newSlot(Y.Bytes, Y.Uniform);
      decodeBinaryComponent(llvm::Instruction::Shl, Wide, SX, X, By, false);
      decodeBinaryComponent(llvm::Instruction::Shl, Wide, SY, Y, By, false);
      X = SX, Y = SY;
    }
    emit(
        H.Compare[unsigned(Op)][sizeIndex(X.Bytes)][X.Uniform | Y.Uniform << 1],
        DS.Offset, X.Offset, Y.Offset);
  }
}

void FunctionDecoder::select(Slot D, Slot Condition, Slot A, Slot B) {
  Handler Run;
  if (D.isMask())
    Run = H.BitsSelect;
  else if (!D.Uniform)
    Run = H.Select[sizeIndex(D.Bytes)][A.Uniform | B.Uniform << 1];
  else if (A.Uniform && B.Uniform)
    Run = H.SelectUniform;
  else
    return unsupported("a select that should be uniform");
  emit(Run, D.Offset, A.Offset, B.Offset).E = Condition.Offset;
}

void FunctionDecoder::decodeSelect(SelectInst &I) {
  const Slots D = slots(&I), C = slots(I.getCondition()),
              A = slots(I.getTrueValue()), B = slots(I.getFalseValue());
  for (auto [J, DS] : enumerate(D))
    select(DS, C.size() == D.size() ? C[J] : C[0], A[J], B[J]);
}

void FunctionDecoder::decodeNegation(UnaryOperator &I) {
  const Slots From = slots(I.getOperand(0));
  Type *T = I.getType()->getScalarType();
  for (auto [D, S] : zip(slots(&I), From)) {
    if (T->isFloatTy() || T->isDoubleTy())
      emit(H.FNeg[T->isDoubleTy()][D.Uniform], D.Offset,
           D.Uniform ? S.Offset : varying(S).Offset);
    else
      decodeBinaryComponent(llvm::Instruction::Xor,
                            Type::getInt16Ty(F.getContext()), D, S,
                            constant(0x8000, 2), false);
  }
}
