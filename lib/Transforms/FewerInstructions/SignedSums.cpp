// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum whose sign hangs on a condition, as in a butterfly between lanes:
//
//   float sign = lane & mask ? -1.0f : 1.0f;
//   for (i ...) x[i] = sign * x[i] + other[i];
//
// LLVM makes a selection of x and -x of each product with such a sign, which is
// two instructions of the assembler for each sum, and the selection runs at
// half the rate. This pass brings the sign back, once for each condition:
//
//   %n = fneg float %x                        %sign = select i1 %c,
//   %s = select i1 %c, float %n, float %x  =>     float -1.0, float 1.0
//   %r = fadd float %s, %o                    %r = fma(%sign, %x, %o)
//
// The product of x and 1 or -1 is exact, so the fused addition rounds the same
// sum once, as the addition does. Zeros have the signs that they had; what is
// not a number is the one canonical NaN of f32 in both; a subnormal operand or
// sum is flushed in both or in neither. f64 keeps the bits of a NaN, and stays
// as it is.
//
// LLVM's code generator may have fused the addition with something else, and
// then rounded another sum. So nothing changes where an operand of it is a
// product or a constant, or where its flags let it be reordered.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

namespace {

/// A sum of what \p Selection chooses, X or -X, and \p Addend.
struct SignedSum {
  BinaryOperator *Sum;
  SelectInst *Selection;
  Value *X, *Addend;
  bool NegatesIfTrue; ///< The selection is X where its condition is false.
  bool IsSubtracted;  ///< Addend - selected.
  bool NegatesAddend; ///< Selected - Addend.
};

} // namespace

/// The sign is an instruction too, so one sum alone gains nothing.
static constexpr size_t FewestSums = 2;

/// Could the code generator fuse an addition of \p V, or give it to another?
static bool mayBeFused(const Value *V) {
  Value *Negated;
  if (match(V, m_FNeg(m_Value(Negated))))
    V = Negated;
  const auto *I = dyn_cast<Instruction>(V);
  return isa<Constant>(V) || (I && I->getOpcode() == Instruction::FMul);
}

static std::optional<SignedSum> withSelection(BinaryOperator &Sum,
                                              unsigned Operand) {
  auto *Selection = dyn_cast<SelectInst>(Sum.getOperand(Operand));
  if (!Selection || !Selection->hasOneUse() ||
      !Selection->getCondition()->getType()->isIntegerTy(1))
    return std::nullopt;
  SignedSum Found{&Sum,  Selection, nullptr, Sum.getOperand(1 - Operand),
                  false, false,     false};
  Value *True = Selection->getTrueValue(), *False = Selection->getFalseValue();
  if (match(True, m_FNeg(m_Specific(False)))) {
    Found.X = False;
    Found.NegatesIfTrue = true;
  } else if (match(False, m_FNeg(m_Specific(True)))) {
    Found.X = True;
  } else {
    return std::nullopt;
  }
  if (Sum.getOpcode() == Instruction::FSub) {
    Found.IsSubtracted = Operand == 1;
    Found.NegatesAddend = Operand == 0;
  }
  if (isa<Constant>(Selection->getCondition()) || mayBeFused(Found.X) ||
      mayBeFused(Found.Addend))
    return std::nullopt;
  return Found;
}

static std::optional<SignedSum> signedSum(Instruction &I) {
  auto *Sum = dyn_cast<BinaryOperator>(&I);
  if (!Sum || !Sum->getType()->isFloatTy() ||
      (Sum->getOpcode() != Instruction::FAdd &&
       Sum->getOpcode() != Instruction::FSub) ||
      Sum->hasAllowReassoc() || Sum->hasNoSignedZeros())
    return std::nullopt;
  if (auto Found = withSelection(*Sum, 0))
    return Found;
  return withSelection(*Sum, 1);
}

/// -1 or 1 where \p Condition is known: behind what computes it.
static Value *signOf(Value *Condition, Function &F, bool IsWrong) {
  BasicBlock::iterator At = F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  DebugLoc Place;
  if (auto *I = dyn_cast<Instruction>(Condition)) {
    auto Behind = I->getInsertionPointAfterDef();
    if (!Behind)
      return nullptr;
    At = *Behind;
    Place = I->getDebugLoc();
  }
  IRBuilder<> IR(At->getParent(), At);
  IR.SetCurrentDebugLocation(Place);
  Constant *Minus = ConstantFP::get(IR.getFloatTy(), IsWrong ? 1 : -1);
  return IR.CreateSelect(Condition, Minus, ConstantFP::get(IR.getFloatTy(), 1),
                         "sign");
}

/// In the place of \p S.Sum. \p Sign is -1 where the condition is true.
static void replace(const SignedSum &S, Value *Sign) {
  IRBuilder<> IR(S.Sum);
  if (S.NegatesIfTrue == S.IsSubtracted)
    Sign = IR.CreateFNeg(Sign);
  Value *Addend = S.NegatesAddend ? IR.CreateFNeg(S.Addend) : S.Addend;
  CallInst *Fused = IR.CreateIntrinsic(Intrinsic::fma, {S.Sum->getType()},
                                       {Sign, S.X, Addend});
  Fused->copyFastMathFlags(S.Sum);
  Fused->takeName(S.Sum);
  S.Sum->replaceAllUsesWith(Fused);
  S.Sum->eraseFromParent();
  Instruction *Negated = nullptr;
  for (Value *Side :
       {S.Selection->getTrueValue(), S.Selection->getFalseValue()})
    if (Side != S.X)
      Negated = dyn_cast<Instruction>(Side);
  S.Selection->eraseFromParent();
  if (Negated && Negated->use_empty())
    Negated->eraseFromParent();
}

Rewritten sluice::multiplyBySigns(Function &F, ChangeTest MayChange,
                                  bool IsWrong) {
  MapVector<Value *, SmallVector<Instruction *, 8>> ByCondition;
  for (Instruction &I : instructions(F))
    if (auto Found = signedSum(I); Found && MayChange(I))
      ByCondition[Found->Selection->getCondition()].push_back(&I);
  Rewritten Done;
  for (auto &[Condition, Sums] : ByCondition) {
    if (Sums.size() < FewestSums)
      continue;
    Value *Sign = signOf(Condition, F, IsWrong);
    if (!Sign)
      continue;
    for (Instruction *Sum : Sums) {
      if (!Done.Count++)
        Done.At = Sum->getDebugLoc();
      // Its operands may be sums that were replaced before.
      replace(*signedSum(*Sum), Sign);
    }
  }
  return Done;
}
