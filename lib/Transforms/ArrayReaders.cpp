// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayReaders.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

/// LLVM's UnrollingPreferences::MaxUpperBound, and its threshold of a loop that
/// is unrolled whole.
static constexpr unsigned MostIterations = 8, MostSize = 300;

/// May \p Array be written where \p Around runs, as far as its uses show?
static bool mayBeWrittenIn(AllocaInst &Array, const Loop &Around) {
  SmallVector<Instruction *, 8> Accesses;
  return !collectAccesses(Array, Accesses) ||
         any_of(Accesses, [&](const Instruction *I) {
           return isa<MemTransferInst>(I) ||
                  (I->mayWriteToMemory() && Around.contains(I));
         });
}

/// The array of which \p I reads another element in each iteration of \p L.
static AllocaInst *arrayOf(Instruction &I, const Loop &L, ScalarEvolution &SE) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->isSimple())
    return nullptr;
  const auto *Form =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Load->getPointerOperand()));
  if (!Form || Form->getLoop() != &L)
    return nullptr;
  return dyn_cast<AllocaInst>(getUnderlyingObject(Load->getPointerOperand()));
}

const AllocaInst *sluice::arrayReadAgain(Loop &L,
                                         FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const Loop *Around = L.getParentLoop();
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  if (!Around || !L.isInnermost() || !L.getLoopLatch() || Most < 2 ||
      Most > MostIterations || SE.getSmallConstantTripCount(&L) ||
      !L.isSafeToClone() || hasUnrollTransformation(&L) != TM_Unspecified)
    return nullptr;
  const AllocaInst *Found = nullptr;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      // Products and sums: where they are in one block they are fused.
      if (isFusedProduct(I) || isSum(I))
        return nullptr;
      AllocaInst *Array = Found ? nullptr : arrayOf(I, L, SE);
      if (Array && !mayBeWrittenIn(*Array, *Around))
        Found = Array;
    }
  if (!Found ||
      uint64_t(Most) *
              sizeUnrolled(L, {}, SE, FAM.getResult<TargetIRAnalysis>(F)) >
          MostSize ||
      !whyRoundedAround(L, FAM).empty())
    return nullptr;
  return Found;
}
