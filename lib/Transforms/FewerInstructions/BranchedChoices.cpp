// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices between doubles, and of quotients, that are computed for the choice
// alone become branches:
//
//   s = fma(p, x, x), c = fma(p, y, 1.0)     if (even)  r = fma(p, x, x)
//   r = even ? s : c                      => else       r = fma(p, y, 1.0)
//   n = 0.0 - r                              if (!plus) r = 0.0 - r
//   r = plus ? r : n
//
// So end libdevice's sine and cosine, and so they are written there. LLVM
// (SimplifyCFG) computes both and selects. A double is two registers, so each
// selection is two instructions, and arithmetic of doubles is slow: an SM has
// lanes for two warps in a cycle at best, and for a sixteenth of one on many
// GPUs. Of a short branch the assembler makes instructions with a predicate,
// which cost little in a warp without a lane that needs them. nvcc keeps the
// branches. (Of predicates in PTX the assembler makes selections again.)
//
// So is a quotient that is rounded as IEEE 754 says, of floats too:
//
//   q = blend / k                            if (k > 1)
//   r = k > 1 ? q : blend              =>      r = blend / k
//
// It is ten instructions and a call for what they cannot do. LLVM takes it for
// one, and computes it in any case.
//
// The results are the same: what is not chosen is not seen, and what is moved
// accesses no memory. But a block becomes three, and LLVM's code generator
// fuses products with sums of their block. So nothing changes where a product
// would come to stand in another block than a sum.

#include "BlockRounding.h"
#include "FewerInstructions.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;

/// Instructions of an arm. LLVM computes few in vain.
static constexpr unsigned MostOfArm = 4;
/// From a choice to another by its condition that shares its branch.
static constexpr unsigned FarthestShared = 16;
/// The widest access.
static constexpr unsigned AccessBytes = 16;

namespace {

/// In an order of execution.
using Arm = SmallVector<Instruction *, MostOfArm>;

/// Choices of a block by one condition, which are made where the first is.
struct BranchedChoice {
  SmallVector<SelectInst *, 2> Selects;
  Arm True, False;

  bool hasInArm(const Instruction &I) const {
    return is_contained(True, &I) || is_contained(False, &I);
  }
};

/// In what order the instructions of a block come to stand.
enum class Part { Before, True, False, Behind };

} // namespace

/// Is \p I a quotient that takes many instructions?
static bool isExactQuotient(const Instruction &I) {
  return I.getOpcode() == Instruction::FDiv && !I.hasApproxFunc() &&
         !I.hasAllowReciprocal() && !I.hasMetadata(LLVMContext::MD_fpmath) &&
         !isa<Constant>(I.getOperand(1));
}

static bool isScalarFloat(const Type *T) {
  return T->isFloatTy() || T->isDoubleTy();
}

static bool isArithmetic(const Instruction &I) {
  if (!isScalarFloat(I.getType()))
    return false;
  if (isExactQuotient(I))
    return true;
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    return true;
  default:
    break;
  }
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::nvvm_fma_rn_d:
  case Intrinsic::nvvm_fma_rn_f:
  case Intrinsic::nvvm_add_rn_f:
  case Intrinsic::nvvm_mul_rn_f:
  case Intrinsic::nvvm_add_rn_d:
  case Intrinsic::nvvm_mul_rn_d:
    return true;
  default:
    return false;
  }
}

/// What computes \p V, an operand of \p Choice, and is used for nothing else.
/// Nothing if that is too cheap.
static Arm armOf(Value *V, const SelectInst &Choice) {
  Arm Found;
  SmallVector<Value *, 8> Work = {V};
  for (size_t At = 0; At < Work.size() && Found.size() < MostOfArm; ++At) {
    auto *I = dyn_cast<Instruction>(Work[At]);
    if (!I || I->getParent() != Choice.getParent() || !I->hasOneUse() ||
        !isArithmetic(*I))
      continue;
    Found.push_back(I);
    for (Value *Operand : I->operands())
      Work.push_back(Operand);
  }
  // Of floats only a quotient takes more than the branch.
  const bool IsDouble = Choice.getType()->isDoubleTy();
  if (none_of(Found, [&](const Instruction *I) {
        return isExactQuotient(*I) ||
               (IsDouble && I->getOpcode() != Instruction::FNeg);
      }))
    return {};
  sort(Found, [](const Instruction *A, const Instruction *B) {
    return A->comesBefore(B);
  });
  return Found;
}

/// Adds \p Choice, if an arm of it is worth a branch.
static bool add(SelectInst &Choice, BranchedChoice &To) {
  const Arm True = armOf(Choice.getTrueValue(), Choice),
            False = armOf(Choice.getFalseValue(), Choice);
  if (True.empty() && False.empty())
    return false;
  To.Selects.push_back(&Choice);
  To.True.append(True);
  To.False.append(False);
  return true;
}

static bool isChoice(const Instruction &I) {
  const auto *Choice = dyn_cast<SelectInst>(&I);
  return Choice && isScalarFloat(Choice->getType()) &&
         !isa<Constant>(Choice->getCondition());
}

/// Can all that \p C computes be computed where \p First is?
static bool isKnownAt(const Instruction &First, const BranchedChoice &C) {
  const auto IsKnown = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || I->getParent() != First.getParent() ||
           I->comesBefore(&First) || C.hasInArm(*I);
  };
  const auto AllKnown = [&](const Instruction *I) {
    return all_of(I->operands(), IsKnown);
  };
  return all_of(C.Selects, AllKnown) && all_of(C.True, AllKnown) &&
         all_of(C.False, AllKnown);
}

/// The choice \p First with those by its condition that soon follow it, and are
/// none of \p Taken.
static BranchedChoice choiceAt(SelectInst &First,
                               const SmallPtrSetImpl<Instruction *> &Taken,
                               ChangeTest MayChange) {
  BranchedChoice C;
  if (!MayChange(First) || !add(First, C))
    return {};
  unsigned Distance = 0;
  for (Instruction *I = First.getNextNode(); I && ++Distance <= FarthestShared;
       I = I->getNextNode()) {
    BranchedChoice Other;
    if (!isChoice(*I) || Taken.contains(I) ||
        cast<SelectInst>(I)->getCondition() != First.getCondition() ||
        !MayChange(*I) || !add(*cast<SelectInst>(I), Other) ||
        !isKnownAt(First, Other))
      continue;
    C.Selects.push_back(Other.Selects.front());
    C.True.append(Other.True);
    C.False.append(Other.False);
  }
  return C;
}

static Part partOf(const Instruction &I, const BranchedChoice &C) {
  if (is_contained(C.True, &I))
    return Part::True;
  if (is_contained(C.False, &I))
    return Part::False;
  return I.comesBefore(C.Selects.front()) ? Part::Before : Part::Behind;
}

/// Would a sum of \p BB round in another way where \p C is a branch?
static bool roundsAnew(const BasicBlock &BB, const BranchedChoice &C) {
  return roundsAnewApart(BB, [&](const Instruction &A, const Instruction &B) {
    return partOf(A, C) != partOf(B, C);
  });
}

static bool isAccess(const Instruction &I) {
  return isa<LoadInst, StoreInst>(I) && !I.isVolatile() && !I.isAtomic();
}

/// Would accesses of \p BB come to stand in two blocks that LLVM may join in
/// one, as they stand beside each other in memory?
static bool partsAccesses(BasicBlock &BB, const BranchedChoice &C,
                          ScalarEvolution &SE) {
  SmallVector<Instruction *, 8> Before, Behind;
  for (Instruction &I : BB)
    if (isAccess(I))
      (partOf(I, C) == Part::Before ? Before : Behind).push_back(&I);
  const auto AreNeighbours = [&](Instruction *A, Instruction *B) {
    if (A->getOpcode() != B->getOpcode())
      return false;
    Value *P = getLoadStorePointerOperand(A),
          *Q = getLoadStorePointerOperand(B);
    if (P->getType() != Q->getType())
      return false;
    const auto Distance =
        SE.computeConstantDifference(SE.getSCEV(P), SE.getSCEV(Q));
    return Distance && Distance->abs().ult(AccessBytes);
  };
  return any_of(Before, [&](Instruction *A) {
    return any_of(Behind, [&](Instruction *B) { return AreNeighbours(A, B); });
  });
}

static void branch(const BranchedChoice &C, bool IsWrong) {
  SelectInst *First = C.Selects.front();
  BasicBlock *Head = First->getParent();
  IRBuilder<> B(First);
  Value *Condition = First->getCondition();
  if (!isGuaranteedNotToBeUndefOrPoison(Condition))
    Condition = B.CreateFreeze(Condition);
  if (IsWrong)
    Condition = B.CreateNot(Condition);
  BasicBlock *True = nullptr, *False = nullptr;
  SplitBlockAndInsertIfThenElse(Condition, First->getIterator(),
                                C.True.empty() ? nullptr : &True,
                                C.False.empty() ? nullptr : &False);
  for (Instruction *I : C.True)
    I->moveBefore(True->getTerminator()->getIterator());
  for (Instruction *I : C.False)
    I->moveBefore(False->getTerminator()->getIterator());
  BasicBlock *Rest = First->getParent();
  for (SelectInst *Choice : C.Selects) {
    PHINode *Phi =
        PHINode::Create(Choice->getType(), 2, "", Rest->getFirstNonPHIIt());
    Phi->setDebugLoc(Choice->getDebugLoc());
    Phi->addIncoming(Choice->getTrueValue(), True ? True : Head);
    Phi->addIncoming(Choice->getFalseValue(), False ? False : Head);
    Phi->takeName(Choice);
    Choice->replaceAllUsesWith(Phi);
    Choice->eraseFromParent();
  }
}

Rewritten sluice::branchToArithmetic(Function &F, ChangeTest MayChange,
                                     FunctionAnalysisManager &FAM,
                                     bool IsWrong) {
  Rewritten Done;
  // All before any: they ask of whole blocks.
  SmallVector<BranchedChoice, 8> Found;
  SmallPtrSet<Instruction *, 8> Taken;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB) {
      if (!isChoice(I) || Taken.contains(&I))
        continue;
      BranchedChoice C = choiceAt(cast<SelectInst>(I), Taken, MayChange);
      if (C.Selects.empty() || roundsAnew(BB, C) ||
          partsAccesses(BB, C, FAM.getResult<ScalarEvolutionAnalysis>(F)))
        continue;
      Taken.insert(C.Selects.begin(), C.Selects.end());
      Found.push_back(std::move(C));
    }
  for (const BranchedChoice &C : Found) {
    if (!Done.Count++)
      Done.At = C.Selects.front()->getDebugLoc();
    branch(C, IsWrong);
  }
  return Done;
}
