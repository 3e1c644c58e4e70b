// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that two ways compute alike, and what is behind both uses:
//
//   if (full)                                if (full)
//     ... at[tid + 384], at[tid + 768] ...     ... at[tid + 384] ...
//   else                                     else
//     ... at[tid + 384], at[tid + 768] ...     ... at[tid + 384] ...
//   a = phi(tid + 384, tid + 384)       =>   t = copy of tid
//   b = phi(tid + 768, tid + 768)            ...
//   ...                                      ... t + 384 ...
//   ... a ...
//   ... b ...                                ... t + 768 ...
//
// LLVM's elimination of partial redundancies makes such a phi of each, as each
// of the sums is computed already. A register then holds each from there to
// where it is used, in place of one that holds what they are sums of. Where
// that are many, the sums are computed where they are used, of a copy that an
// instruction of the target makes: through that LLVM, which would do the same
// again, does not look, and the assembler does.

#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

/// Fewer of one value take few registers.
static constexpr size_t FewestSums = 8;

namespace {

/// A number and a constant, perhaps made longer.
struct JoinedSum {
  PHINode *Phi;
  BinaryOperator *Sum;
  CastInst *Longer; ///< Of the sum, or null.
};

} // namespace

/// Those that \p V is, without a phi.
static JoinedSum sumOf(Value *V) {
  auto *Longer = dyn_cast<CastInst>(V);
  if (Longer && !isa<SExtInst, ZExtInst>(Longer))
    return {};
  auto *Sum = dyn_cast<BinaryOperator>(Longer ? Longer->getOperand(0) : V);
  const bool IsSum =
      Sum && Sum->getType()->isIntegerTy(32) &&
      !isa<Constant>(Sum->getOperand(0)) &&
      match(Sum, m_CombineOr(m_Add(m_Value(), m_ImmConstant()),
                             m_DisjointOr(m_Value(), m_ImmConstant())));
  return {nullptr, IsSum ? Sum : nullptr, Longer};
}

/// The sum that each way to \p Phi computes, if one does.
static JoinedSum joinedSum(PHINode &Phi, const DominatorTree &DT) {
  JoinedSum First = sumOf(Phi.getIncomingValue(0));
  if (!First.Sum || !DT.dominates(First.Sum->getOperand(0), &Phi))
    return {};
  const bool IsSame = all_of(Phi.incoming_values(), [&](Value *V) {
    const JoinedSum Way = sumOf(V);
    return Way.Sum && Way.Sum->isIdenticalToWhenDefined(First.Sum) &&
           !Way.Longer == !First.Longer &&
           (!Way.Longer ||
            Way.Longer->getOpcode() == First.Longer->getOpcode());
  });
  if (!IsSame)
    return {};
  First.Phi = &Phi;
  return First;
}

/// Uses of \p Of's phi get sums of their own, one in each block, of \p Copy.
static void recompute(const JoinedSum &Of, CallInst &Copy, bool IsWrong) {
  // What is poison on one way only is not to be poison on others.
  for (Value *V : Of.Phi->incoming_values()) {
    const JoinedSum Way = sumOf(V);
    Of.Sum->andIRFlags(Way.Sum);
    if (Way.Longer)
      Of.Longer->andIRFlags(Way.Longer);
  }
  DenseMap<BasicBlock *, Value *> Sums;
  for (Use &U : make_early_inc_range(Of.Phi->uses())) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Last = dyn_cast<PHINode>(User);
    BasicBlock *At = Last ? Last->getIncomingBlock(U) : User->getParent();
    Value *&Own = Sums[At];
    if (!Own) {
      const auto Place = At == Copy.getParent() ? std::next(Copy.getIterator())
                                                : At->getFirstInsertionPt();
      Instruction *Sum = Of.Sum->clone();
      Sum->setOperand(0, &Copy);
      if (IsWrong)
        Sum->setOperand(1, &Copy);
      Sum->insertInto(At, Place);
      Own = Sum;
      if (Of.Longer) {
        Instruction *Longer = Of.Longer->clone();
        Longer->setOperand(0, Sum);
        Longer->insertInto(At, Place);
        Own = Longer;
      }
    }
    U.set(Own);
  }
}

Rewritten sluice::recomputeJoinedSums(Function &F, ChangeTest MayChange,
                                      FunctionAnalysisManager &FAM,
                                      bool IsWrong) {
  Rewritten Done;
  if (F.size() == 1)
    return Done;
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (BasicBlock &BB : F) {
    MapVector<Value *, SmallVector<JoinedSum, 8>> Found;
    for (PHINode &Phi : BB.phis())
      if (const JoinedSum Of = joinedSum(Phi, DT); Of.Phi && MayChange(Phi))
        Found[Of.Sum->getOperand(0)].push_back(Of);
    for (const auto &[Number, Sums] : Found) {
      if (Sums.size() < FewestSums)
        continue;
      if (!Done.Count)
        Done.At = Sums.front().Phi->getDebugLoc();
      Done.Count += Sums.size();
      IRBuilder<> B(&BB, BB.getFirstInsertionPt());
      CallInst *Copy =
          B.CreateIntrinsic(B.getInt32Ty(), Intrinsic::nvvm_move_i32, {Number});
      const ConstantRange Known =
          computeConstantRange(Number, /*ForSigned=*/true);
      if (!Known.isFullSet() && !Known.isEmptySet())
        Copy->addRangeRetAttr(Known);
      for (const JoinedSum &Of : Sums) {
        recompute(Of, *Copy, IsWrong);
        Of.Phi->eraseFromParent();
      }
    }
  }
  return Done;
}
