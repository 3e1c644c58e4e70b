// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// i128 (__int128) in halves of 64 bits, as instruction selection does it.
// Division is left: the decoder says that it cannot be run.

#include "Prepare.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

class Halves {
public:
  explicit Halves(Instruction &I)
      : IR(&I), I64(IR.getInt64Ty()), Pair(FixedVectorType::get(I64, 2)) {}

  Value *expand(Instruction &I);

private:
  struct Parts {
    Value *Low, *High;
  };
  Parts split(Value *V) {
    if (auto *C = dyn_cast<ConstantInt>(V))
      return {IR.getInt64(C->getValue().extractBitsAsZExtValue(64, 0)),
              IR.getInt64(C->getValue().extractBitsAsZExtValue(64, 64))};
    Value *Both = IR.CreateBitCast(V, Pair);
    return {IR.CreateExtractElement(Both, uint64_t(0)),
            IR.CreateExtractElement(Both, uint64_t(1))};
  }
  Value *join(Parts P) {
    Value *Both = PoisonValue::get(Pair);
    Both = IR.CreateInsertElement(Both, P.Low, uint64_t(0));
    Both = IR.CreateInsertElement(Both, P.High, uint64_t(1));
    return IR.CreateBitCast(Both, IR.getInt128Ty());
  }
  Value *highProduct(Value *A, Value *B);
  Parts shift(unsigned Opcode, Parts A, Value *By);
  Value *compare(ICmpInst &I);
  Value *binary(BinaryOperator &I);

  IRBuilder<> IR;
  Type *I64;
  FixedVectorType *Pair;
};

} // namespace

// The high 64 bits of a product of unsigned numbers, from four of 32 bits.
Value *Halves::highProduct(Value *A, Value *B) {
  auto Low = [&](Value *V) { return IR.CreateAnd(V, 0xffffffff); };
  auto High = [&](Value *V) { return IR.CreateLShr(V, 32); };
  Value *LL = IR.CreateMul(Low(A), Low(B)), *LH = IR.CreateMul(Low(A), High(B)),
        *HL = IR.CreateMul(High(A), Low(B)),
        *HH = IR.CreateMul(High(A), High(B));
  Value *Middle = IR.CreateAdd(IR.CreateAdd(Low(LH), Low(HL)), High(LL));
  return IR.CreateAdd(IR.CreateAdd(HH, High(LH)),
                      IR.CreateAdd(High(HL), High(Middle)));
}

Halves::Parts Halves::shift(unsigned Opcode, Parts A, Value *By) {
  Value *Beyond = IR.CreateICmpUGE(By, IR.getInt64(64));
  Value *Rest = IR.CreateAnd(By, 63);
  // What leaves one half and enters the other; nothing for 0.
  Value *Back = IR.CreateSub(IR.getInt64(64), Rest);
  Value *None = IR.CreateICmpEQ(Rest, IR.getInt64(0));
  Value *Zero = IR.getInt64(0);
  if (Opcode == Instruction::Shl) {
    Value *Low = IR.CreateShl(A.Low, Rest);
    Value *Carried = IR.CreateSelect(None, Zero, IR.CreateLShr(A.Low, Back));
    Value *High = IR.CreateOr(IR.CreateShl(A.High, Rest), Carried);
    return {IR.CreateSelect(Beyond, Zero, Low),
            IR.CreateSelect(Beyond, Low, High)};
  }
  bool IsSigned = Opcode == Instruction::AShr;
  Value *High =
      IsSigned ? IR.CreateAShr(A.High, Rest) : IR.CreateLShr(A.High, Rest);
  Value *Carried = IR.CreateSelect(None, Zero, IR.CreateShl(A.High, Back));
  Value *Low = IR.CreateOr(IR.CreateLShr(A.Low, Rest), Carried);
  Value *Filled = IsSigned ? IR.CreateAShr(A.High, 63) : Zero;
  return {IR.CreateSelect(Beyond, High, Low),
          IR.CreateSelect(Beyond, Filled, High)};
}

Value *Halves::binary(BinaryOperator &I) {
  Parts A = split(I.getOperand(0)), B = split(I.getOperand(1));
  switch (I.getOpcode()) {
  case Instruction::Add: {
    Value *Low = IR.CreateAdd(A.Low, B.Low);
    Value *Carry = IR.CreateZExt(IR.CreateICmpULT(Low, A.Low), I64);
    return join({Low, IR.CreateAdd(IR.CreateAdd(A.High, B.High), Carry)});
  }
  case Instruction::Sub: {
    Value *Borrow = IR.CreateZExt(IR.CreateICmpULT(A.Low, B.Low), I64);
    return join({IR.CreateSub(A.Low, B.Low),
                 IR.CreateSub(IR.CreateSub(A.High, B.High), Borrow)});
  }
  case Instruction::Mul: {
    Value *Crossed =
        IR.CreateAdd(IR.CreateMul(A.Low, B.High), IR.CreateMul(A.High, B.Low));
    return join({IR.CreateMul(A.Low, B.Low),
                 IR.CreateAdd(highProduct(A.Low, B.Low), Crossed)});
  }
  case Instruction::And:
    return join({IR.CreateAnd(A.Low, B.Low), IR.CreateAnd(A.High, B.High)});
  case Instruction::Or:
    return join({IR.CreateOr(A.Low, B.Low), IR.CreateOr(A.High, B.High)});
  case Instruction::Xor:
    return join({IR.CreateXor(A.Low, B.Low), IR.CreateXor(A.High, B.High)});
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return join(shift(I.getOpcode(), A, B.Low));
  default:
    return nullptr;
  }
}

Value *Halves::compare(ICmpInst &I) {
  Parts A = split(I.getOperand(0)), B = split(I.getOperand(1));
  if (I.isEquality())
    return IR.CreateICmp(
        I.getPredicate(),
        IR.CreateOr(IR.CreateXor(A.Low, B.Low), IR.CreateXor(A.High, B.High)),
        IR.getInt64(0));
  return IR.CreateSelect(IR.CreateICmpEQ(A.High, B.High),
                         IR.CreateICmp(I.getUnsignedPredicate(), A.Low, B.Low),
                         IR.CreateICmp(I.getPredicate(), A.High, B.High));
}

// What takes the place of I, or null.
Value *Halves::expand(Instruction &I) {
  auto IsWide = [](const Value *V) { return V->getType()->isIntegerTy(128); };
  if (auto *Binary = dyn_cast<BinaryOperator>(&I))
    return IsWide(&I) ? binary(*Binary) : nullptr;
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    return IsWide(Compare->getOperand(0)) ? compare(*Compare) : nullptr;
  auto *Cast = dyn_cast<CastInst>(&I);
  if (!Cast)
    return nullptr;
  Value *From = Cast->getOperand(0);
  if (Cast->getOpcode() == Instruction::Trunc && IsWide(From) &&
      I.getType()->getIntegerBitWidth() <= 64)
    return IR.CreateZExtOrTrunc(split(From).Low, I.getType());
  bool IsSigned = Cast->getOpcode() == Instruction::SExt;
  if (!IsWide(&I) || (!IsSigned && Cast->getOpcode() != Instruction::ZExt) ||
      From->getType()->getIntegerBitWidth() > 64)
    return nullptr;
  Value *Low = IsSigned ? IR.CreateSExt(From, I64) : IR.CreateZExt(From, I64);
  return join({Low, IsSigned ? IR.CreateAShr(Low, 63) : IR.getInt64(0)});
}

void sluice::emulator::expandWideIntegers(Function &F) {
  for (BasicBlock &B : F)
    for (Instruction &I : make_early_inc_range(B))
      if (Value *New = Halves(I).expand(I)) {
        I.replaceAllUsesWith(New);
        I.eraseFromParent();
      }
}
