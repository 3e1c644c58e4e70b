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

/// Of i1.
void FunctionDecoder::decodeMaskBinary(unsigned Opcode, Slot D, Slot A,
                                       Slot B) {
  using I = llvm::Instruction;
  switch (Opcode) {
  case I::And:
  case I::Mul:
    emit(H.BitsAnd, D.Offset, A.Offset, B.Offset);
    break;
  case I::Or:
    emit(H.BitsOr, D.Offset, A.Offset, B.Offset);
    break;
  case I::Xor:
  case I::Add:
  case I::Sub:
    emit(H.BitsXor, D.Offset, A.Offset, B.Offset);
    break;
  default:
    copy(D, A, false); // shifts and divisions of i1: by 0 and by 1 only
  }
}

/// Emits \p Op in the form that the slots ask for.
void FunctionDecoder::emitArithmetic(Arithmetic Op, unsigned Size, Slot D,
                                     Slot A, Slot B) {
  if (!D.Uniform && A.Uniform && B.Uniform)
    A = varying(A);
  emit(H.Arith[unsigned(Op)][Size][A.Uniform | B.Uniform << 1], D.Offset,
       A.Offset, B.Offset);
}

/// Of float and double.
bool FunctionDecoder::decodeFloatBinary(unsigned Opcode, Type *T, Slot D,
                                        Slot A, Slot B, bool Flush) {
  using I = llvm::Instruction;
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
  emitArithmetic(Op, T->isDoubleTy() ? 3 : 2, D, A, B);
  return true;
}

/// Of half and bfloat.
bool FunctionDecoder::decodeHalfBinary(unsigned Opcode, Type *T, Slot D, Slot A,
                                       Slot B) {
  using I = llvm::Instruction;
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

static std::optional<Arithmetic> integerArithmetic(unsigned Opcode) {
  using I = llvm::Instruction;
  switch (Opcode) {
  case I::Add:
    return Arithmetic::Add;
  case I::Sub:
    return Arithmetic::Sub;
  case I::Mul:
    return Arithmetic::Mul;
  case I::And:
    return Arithmetic::And;
  case I::Or:
    return Arithmetic::Or;
  case I::Xor:
    return Arithmetic::Xor;
  case I::Shl:
    return Arithmetic::Shl;
  case I::LShr:
    return Arithmetic::LShr;
  case I::AShr:
    return Arithmetic::AShr;
  case I::UDiv:
    return Arithmetic::UDiv;
  case I::SDiv:
    return Arithmetic::SDiv;
  case I::URem:
    return Arithmetic::URem;
  case I::SRem:
    return Arithmetic::SRem;
  default:
    return std::nullopt;
  }
}

bool FunctionDecoder::decodeIntegerBinary(unsigned Opcode, Type *T, Slot D,
                                          Slot A, Slot B) {
  using I = llvm::Instruction;
  const std::optional<Arithmetic> Op = integerArithmetic(Opcode);
  if (!Op)
    return false;
  unsigned Bits = T->getPrimitiveSizeInBits(), Container = D.Bytes * 8;
  // Odd widths live zero-extended in the next container.
  if (Bits != Container &&
      (Opcode == I::AShr || Opcode == I::SDiv || Opcode == I::SRem)) {
    A = signExtended(A, Bits, D.Uniform);
    if (Opcode != I::AShr)
      B = signExtended(B, Bits, D.Uniform);
  }
  emitArithmetic(*Op, sizeIndex(D.Bytes), D, A, B);
  if (Bits != Container && Opcode != I::And && Opcode != I::Or &&
      Opcode != I::Xor && Opcode != I::LShr && Opcode != I::UDiv &&
      Opcode != I::URem)
    clearAbove(D, Bits);
  return true;
}

bool FunctionDecoder::decodeBinaryComponent(unsigned Opcode, Type *T, Slot D,
                                            Slot A, Slot B, bool Flush) {
  if (T->isIntegerTy() && T->getIntegerBitWidth() > 64)
    return false; // see WideIntegers.cpp
  if (D.isMask()) {
    decodeMaskBinary(Opcode, D, A, B);
    return true;
  }
  // A result that is uniform has uniform operands; take no chances.
  if (D.Uniform && (!A.Uniform || !B.Uniform))
    return false;
  if (T->isFloatTy() || T->isDoubleTy())
    return decodeFloatBinary(Opcode, T, D, A, B, Flush);
  if (T->isHalfTy() || T->isBFloatTy())
    return decodeHalfBinary(Opcode, T, D, A, B);
  return decodeIntegerBinary(Opcode, T, D, A, B);
}

static Comparison comparisonFor(CmpInst::Predicate Predicate) {
  using P = CmpInst::Predicate;
  switch (Predicate) {
  case P::ICMP_EQ:
    return Comparison::Eq;
  case P::ICMP_NE:
    return Comparison::Ne;
  case P::ICMP_ULT:
    return Comparison::Ult;
  case P::ICMP_ULE:
    return Comparison::Ule;
  case P::ICMP_UGT:
    return Comparison::Ugt;
  case P::ICMP_UGE:
    return Comparison::Uge;
  case P::ICMP_SLT:
    return Comparison::Slt;
  case P::ICMP_SLE:
    return Comparison::Sle;
  case P::ICMP_SGT:
    return Comparison::Sgt;
  case P::ICMP_SGE:
    return Comparison::Sge;
  case P::FCMP_OEQ:
    return Comparison::FOeq;
  case P::FCMP_ONE:
    return Comparison::FOne;
  case P::FCMP_OLT:
    return Comparison::FOlt;
  case P::FCMP_OLE:
    return Comparison::FOle;
  case P::FCMP_OGT:
    return Comparison::FOgt;
  case P::FCMP_OGE:
    return Comparison::FOge;
  case P::FCMP_ORD:
    return Comparison::FOrd;
  case P::FCMP_UEQ:
    return Comparison::FUeq;
  case P::FCMP_UNE:
    return Comparison::FUne;
  case P::FCMP_ULT:
    return Comparison::FUlt;
  case P::FCMP_ULE:
    return Comparison::FUle;
  case P::FCMP_UGT:
    return Comparison::FUgt;
  case P::FCMP_UGE:
    return Comparison::FUge;
  default:
    return Comparison::FUno;
  }
}

/// Of i1, whose true is -1 where it is signed, below false.
void FunctionDecoder::compareMasks(CmpInst::Predicate Predicate, Slot DS,
                                   Slot X, Slot Y) {
  using P = CmpInst::Predicate;
  Slot NotX = newSlot(0, X.Uniform), NotY = newSlot(0, Y.Uniform);
  const bool Signed = CmpInst::isSigned(Predicate);
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
      compareMasks(Predicate, DS, X, Y);
      continue;
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
    emit(H.Compare[unsigned(comparisonFor(Predicate))][sizeIndex(X.Bytes)]
                  [X.Uniform | Y.Uniform << 1],
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
