// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions of 32 bits in a loop by what the loop keeps:
//
//   for (...)              m = 0xffffffff / n;
//     r = x % n;           for (...)
//                     =>     q = mulhi(x, m);
//                            r = x - q * n;
//                            r = min(r, r - n);
//
// No GPU has an instruction for it. The assembler makes 16 to 22 of a division,
// of which the reciprocal of the divisor is eight, and three are those for
// special functions. It takes them out of a loop only where each iteration
// divides, and leaves two corrections and a test for zero within.
//
// Why it is right, for all x < 2^32 and n > 0: let 2^32 - 1 = m n + e, where
// 0 <= e < n. Then
//
//   x / n - x m / 2^32 = x (2^32 - m n) / (n 2^32) = (x / 2^32) ((e + 1) / n),
//
// which is 0 or more, and below 1. So x / n - 1 < x m / 2^32 <= x / n, and the
// same rounded down: q is the quotient or one less, and r is the remainder or n
// more, up to x. r - n is below r just if it does not go below zero. No
// approximation has a part in it: m is computed by a division.
//
// Numbers with a sign are divided without it. Division by zero is undefined,
// but not where nothing is divided: m is computed of 1 then.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static constexpr unsigned Bits = 32;
/// Of a loop. What is before it is a division and some more; an iteration gains
/// a third of one at least.
static constexpr unsigned LeastIterations = 4;

namespace {

/// A division in a loop.
struct Division {
  BinaryOperator *I;
  Loop *Keeping; ///< The outermost loop that does not change the divisor.
  bool MayBeNegative, MayDivisorBeNegative;

  bool isRemainder() const {
    return I->getOpcode() == Instruction::URem ||
           I->getOpcode() == Instruction::SRem;
  }
};

/// What is made of a divisor before a loop. The assembler would compute a bare
/// absolute value or negation again in each iteration: to it they are maxima.
struct KeptDivisor {
  Value *Itself;
  Value *Size;       ///< Without the sign; 1 for zero.
  Value *Negated;    ///< 0 - Size, but for zero.
  Value *Reciprocal; ///< m in the comment above.
};

struct Divided {
  Value *Quotient;
  Value *Remainder; ///< Null: not asked for.
};

/// The divisions of one function.
class Divisions {
public:
  Divisions(Function &F, FunctionAnalysisManager &FAM, bool IsWrong)
      : F(F), DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)), IsWrong(IsWrong) {}
  SmallVector<Division, 8> find(ChangeTest MayChange);
  /// Returns whether it could be done.
  bool multiply(const Division &D);
  /// Behind the last one: until then divisors are known by their addresses.
  void removeUnused() {
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  }

private:
  Loop *loopKeeping(const Value &Divisor, Loop *Innermost);
  bool isRare(BasicBlock *BB, const Loop &L);
  bool isNeverNegative(Value *V, const Instruction &At);
  const KeptDivisor *kept(const Division &D);
  Value *frozen(IRBuilder<> &B, Value *V);

  Function &F;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  const bool IsWrong;
  /// By the divisor, whether its sign is left out, and the block.
  MapVector<std::pair<PointerIntPair<Value *, 1, bool>, BasicBlock *>,
            KeptDivisor>
      Kept;
  SmallVector<WeakTrackingVH, 16> Unused;
};

} // namespace

/// Null: it would not pay.
Loop *Divisions::loopKeeping(const Value &Divisor, Loop *Innermost) {
  Loop *Outermost = nullptr;
  unsigned Most = 1;
  for (Loop *L = Innermost; L && L->isLoopInvariant(&Divisor);
       L = L->getParentLoop()) {
    const unsigned Of = SE.getSmallConstantMaxTripCount(L);
    Most = Of ? SaturatingMultiply(Most, Of) : LeastIterations;
    Outermost = L;
  }
  return Most < LeastIterations ? nullptr : Outermost;
}

/// Is \p BB in \p L behind a condition that a loop's index is some number? That
/// holds in one iteration at most.
bool Divisions::isRare(BasicBlock *BB, const Loop &L) {
  for (const DomTreeNode *Node = DT.getNode(BB);
       Node->getBlock() != L.getHeader(); Node = Node->getIDom()) {
    BasicBlock *Above = Node->getIDom()->getBlock();
    BasicBlock *Equal, *Other;
    CmpPredicate Predicate;
    Value *A, *B;
    if (!match(Above->getTerminator(),
               m_Br(m_ICmp(Predicate, m_Value(A), m_Value(B)), Equal, Other)) ||
        !ICmpInst::isEquality(Predicate) || !SE.isSCEVable(A->getType()))
      continue;
    if (Predicate == CmpInst::ICMP_NE)
      std::swap(Equal, Other);
    if (Equal != Other && DT.dominates(BasicBlockEdge(Above, Equal), BB) &&
        isa<SCEVAddRecExpr>(SE.getMinusSCEV(SE.getSCEV(A), SE.getSCEV(B))))
      return true;
  }
  return false;
}

bool Divisions::isNeverNegative(Value *V, const Instruction &At) {
  return isKnownNonNegative(V,
                            SimplifyQuery(F.getDataLayout(), &DT, &AC, &At)) ||
         SE.isKnownNonNegative(SE.getSCEV(V));
}

SmallVector<Division, 8> Divisions::find(ChangeTest MayChange) {
  SmallVector<Division, 8> Found;
  for (Instruction &I : instructions(F)) {
    if (!I.isIntDivRem() || !I.getType()->isIntegerTy(Bits) ||
        isa<Constant>(I.getOperand(1)) ||
        !DT.isReachableFromEntry(I.getParent()))
      continue;
    Loop *Keeping = loopKeeping(*I.getOperand(1), LI.getLoopFor(I.getParent()));
    if (!Keeping || isRare(I.getParent(), *LI.getLoopFor(I.getParent())) ||
        !MayChange(I))
      continue;
    const bool IsSigned = I.getOpcode() == Instruction::SDiv ||
                          I.getOpcode() == Instruction::SRem;
    Found.push_back({cast<BinaryOperator>(&I), Keeping,
                     IsSigned && !isNeverNegative(I.getOperand(0), I),
                     IsSigned && !isNeverNegative(I.getOperand(1), I)});
  }
  return Found;
}

/// So that all that is computed of \p V takes the same for it.
Value *Divisions::frozen(IRBuilder<> &B, Value *V) {
  return isGuaranteedNotToBeUndefOrPoison(V, &AC, &*B.GetInsertPoint(), &DT)
             ? V
             : B.CreateFreeze(V);
}

/// Null: there is no room before the loop.
const KeptDivisor *Divisions::kept(const Division &D) {
  BasicBlock *Before = D.Keeping->getLoopPreheader();
  if (!Before)
    Before = InsertPreheaderForLoop(D.Keeping, &DT, &LI, nullptr,
                                    /*PreserveLCSSA=*/false);
  if (!Before)
    return nullptr;
  Value *Divisor = D.I->getOperand(1);
  auto [At, IsNew] =
      Kept.insert({{{Divisor, D.MayDivisorBeNegative}, Before}, {}});
  if (!IsNew)
    return &At->second;
  IRBuilder<> B(Before->getTerminator());
  B.SetCurrentDebugLocation(D.I->getDebugLoc());
  KeptDivisor &K = At->second;
  K.Itself = frozen(B, Divisor);
  Value *One = B.getInt32(1);
  Value *Size =
      D.MayDivisorBeNegative
          ? B.CreateBinaryIntrinsic(Intrinsic::abs, K.Itself, B.getFalse())
          : K.Itself;
  K.Size = B.CreateBinaryIntrinsic(Intrinsic::umax, Size, One);
  K.Negated = B.CreateBinaryIntrinsic(Intrinsic::umax, B.CreateNeg(Size), One);
  K.Reciprocal = B.CreateUDiv(B.getInt32(~0U), K.Size);
  return &K;
}

/// \p X divided by \p By, both without sign.
static Divided divide(IRBuilder<> &B, Value *X, const KeptDivisor &By,
                      bool NeedsQuotient, bool NeedsRemainder) {
  Divided Result = {
      B.CreateIntrinsic(Intrinsic::nvvm_mulhi_ui, {X, By.Reciprocal}), nullptr};
  Value *Rest = B.CreateAdd(B.CreateMul(Result.Quotient, By.Negated), X);
  if (NeedsRemainder)
    Result.Remainder = B.CreateBinaryIntrinsic(Intrinsic::umin, Rest,
                                               B.CreateAdd(Rest, By.Negated));
  if (NeedsQuotient) {
    Value *IsLess = NeedsRemainder ? B.CreateICmpNE(Result.Remainder, Rest)
                                   : B.CreateICmpUGE(Rest, By.Size);
    Value *More = B.CreateAdd(Result.Quotient, B.getInt32(1));
    Result.Quotient = B.CreateSelect(IsLess, More, Result.Quotient);
  }
  return Result;
}

/// The quotient is one more than it is.
static void spoil(IRBuilder<> &B, Divided &Result, const KeptDivisor &By) {
  Result.Quotient = B.CreateAdd(Result.Quotient, B.getInt32(1));
  if (Result.Remainder)
    Result.Remainder = B.CreateAdd(Result.Remainder, By.Negated);
}

static Value *negatedIf(IRBuilder<> &B, Value *SignOf, Value *V) {
  return B.CreateSelect(B.CreateIsNeg(SignOf), B.CreateNeg(V), V);
}

/// LLVM makes `x - x / n * n` of remainders that it has the quotient for.
static SmallVector<Instruction *, 2> remaindersOf(BinaryOperator &Quotient) {
  SmallVector<Instruction *, 2> Found;
  for (User *Product : Quotient.users())
    if (match(Product, m_c_Mul(m_Specific(&Quotient),
                               m_Specific(Quotient.getOperand(1)))))
      for (User *Rest : Product->users())
        if (match(Rest, m_Sub(m_Specific(Quotient.getOperand(0)),
                              m_Specific(Product))))
          Found.push_back(cast<Instruction>(Rest));
  return Found;
}

bool Divisions::multiply(const Division &D) {
  const KeptDivisor *By = kept(D);
  if (!By)
    return false;
  SmallVector<Instruction *, 2> Remainders;
  if (D.isRemainder())
    Remainders.push_back(D.I);
  else
    Remainders = remaindersOf(*D.I);
  IRBuilder<> B(D.I);
  Value *X = frozen(B, D.I->getOperand(0));
  Value *Size = D.MayBeNegative
                    ? B.CreateBinaryIntrinsic(Intrinsic::abs, X, B.getFalse())
                    : X;
  Divided Result = divide(B, Size, *By, !D.isRemainder(), !Remainders.empty());
  if (IsWrong)
    spoil(B, Result, *By);
  if (D.MayBeNegative && !Remainders.empty())
    Result.Remainder = negatedIf(B, X, Result.Remainder);
  if (!D.isRemainder()) {
    if (D.MayBeNegative || D.MayDivisorBeNegative) {
      Value *SignOf = !D.MayBeNegative          ? By->Itself
                      : !D.MayDivisorBeNegative ? X
                                                : B.CreateXor(X, By->Itself);
      Result.Quotient = negatedIf(B, SignOf, Result.Quotient);
    }
    D.I->replaceAllUsesWith(Result.Quotient);
  }
  for (Instruction *I : Remainders) {
    I->replaceAllUsesWith(Result.Remainder);
    Unused.push_back(I);
  }
  Unused.push_back(D.I);
  return true;
}

Rewritten sluice::divideByKept(Function &F, ChangeTest MayChange,
                               FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  Divisions Of(F, FAM, IsWrong);
  // All before any: what is known of loops is so until the first is changed.
  for (const Division &D : Of.find(MayChange)) {
    const DebugLoc At = D.I->getDebugLoc();
    if (!Of.multiply(D))
      continue;
    if (!Done.Count++)
      Done.At = At;
  }
  Of.removeUnused();
  return Done;
}
