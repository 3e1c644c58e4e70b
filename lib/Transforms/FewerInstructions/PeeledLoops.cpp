// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short loop begins with what is loaded already:
//
//   for (; i < n; ++i) {
//     if (text[i] == '\n')
//       ...
//     for (j = i, p = pattern; *p; ++j, ++p)     // most often one iteration
//       if (text[j] == '\n' || text[j] != *p)
//         break;
//   }
//
// Its first iteration stands before it then, and takes what was loaded: a load
// less to wait for, and no loop for what ends at once. LLVM does so for what a
// loop keeps only.

#include "sluice/Transforms/PeeledLoops.h"
#include "FewerInstructions.h"
#include "WholeLoops.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

/// More would be much code for one load.
static constexpr unsigned MostInstructions = 40;

namespace {
/// A load whose first value was loaded before the loop.
struct KnownLoad {
  LoadInst *InLoop = nullptr, *Before = nullptr;
};
} // namespace

/// May its iterations be copied, and does it most likely have few? Floating
/// point is fused by what stands beside it, so that it stays.
static bool isShort(const Loop &L, ScalarEvolution &SE) {
  unsigned Instructions = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (I.getType()->isFPOrFPVectorTy() || (Call && Call->isConvergent()) ||
          ++Instructions > MostInstructions)
        return false;
    }
  const BasicBlock *Latch = L.getLoopLatch();
  return L.isInnermost() && L.getLoopDepth() > 1 && Latch &&
         isa<BranchInst>(Latch->getTerminator()) && L.isLoopExiting(Latch) &&
         isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L));
}

static bool onlyReads(const Loop &L) {
  return none_of(L.blocks(), [](const BasicBlock *Block) {
    return any_of(*Block,
                  [](const Instruction &I) { return I.mayWriteToMemory(); });
  });
}

/// A load of \p L whose first value one before it in the loop around has.
static KnownLoad findKnown(const Loop &L, ScalarEvolution &SE,
                           const DominatorTree &DT) {
  SmallVector<LoadInst *, 8> Before;
  for (BasicBlock *Block : L.getParentLoop()->blocks())
    if (!L.contains(Block) && DT.dominates(Block, L.getHeader()))
      for (Instruction &I : *Block)
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
          Before.push_back(Load);
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      const auto *Place =
          Load && Load->isSimple()
              ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Load->getPointerOperand()))
              : nullptr;
      if (!Place || Place->getLoop() != &L)
        continue;
      for (LoadInst *Known : Before)
        if (Known->getType() == Load->getType() &&
            SE.getSCEV(Known->getPointerOperand()) == Place->getStart())
          return {Load, Known};
    }
  return {};
}

static void report(Function &F, const LoadInst &Load) {
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Load.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Peeled", At, Load.getParent())
           << "the first iteration of a loop stands before it: what it begins "
              "with is loaded already";
  });
}

namespace {

/// What changes loops needs, of one function.
struct LoopPeeler {
  LoopPeeler(Function &F, FunctionAnalysisManager &FAM)
      : LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)) {}

  void peel(Loop &L, const KnownLoad &Known, bool IsWrong) {
    simplifyLoop(&L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(L, DT, &LI, &SE);
    ValueToValueMapTy Copies;
    peelLoop(&L, 1, /*PeelLast=*/false, &LI, &SE, DT, &AC,
             /*PreserveLCSSA=*/true, Copies);
    auto *First = cast<LoadInst>(Copies[Known.InLoop]);
    First->replaceAllUsesWith(Known.Before);
    First->eraseFromParent();
    if (IsWrong)
      Known.InLoop->replaceAllUsesWith(Known.Before);
  }

  LoopInfo &LI;
  ScalarEvolution &SE;
  DominatorTree &DT;
  AssumptionCache &AC;
};

} // namespace

static bool peelLoops(Function &F, const AttachedPlan &Attached,
                      FunctionAnalysisManager &FAM) {
  const auto &Loops = FAM.getResult<LoopAnalysis>(F);
  if (all_of(Loops, [](const Loop *L) { return L->isInnermost(); }))
    return false;
  LoopPeeler Peeler(F, FAM);
  const bool IsWrong = Attached.Opts.Wrong == WrongRewrite::OtherStart;
  bool IsChanged = false;
  for (Loop *L : Peeler.LI.getLoopsInPreorder()) {
    if (!isShort(*L, Peeler.SE) || !onlyReads(*L->getParentLoop()))
      continue;
    const KnownLoad Known = findKnown(*L, Peeler.SE, Peeler.DT);
    if (!Known.InLoop || isSwitchedOff(*Known.InLoop, Attached))
      continue;
    report(F, *Known.InLoop);
    Peeler.peel(*L, Known, IsWrong);
    IsChanged = true;
  }
  return IsChanged;
}

PreservedAnalyses PeeledLoopsPass::run(Module &M, ModuleAnalysisManager &MAM) {
  return rewriteEarly(M, MAM, "no loops are peeled",
                      [](Function &F, const AttachedPlan &Attached,
                         FunctionAnalysisManager &FAM) {
                        const bool IsWhole = unrollWholeLoops(F, Attached, FAM);
                        return peelLoops(F, Attached, FAM) || IsWhole;
                      });
}
