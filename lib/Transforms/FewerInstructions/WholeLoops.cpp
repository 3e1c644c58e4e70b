// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that looks for a few constants is unrolled whole:
//
//   while (n < 9 && i < length && text[i] == "<a href=\""[n])
//     ++i, ++n;
//   =>
//   if (i >= length || text[i] != '<')
//     ...
//   else if (i + 1 >= length || text[i + 1] != 'a')
//     ...
//
// Each constant is in its comparison then: of two loads of an iteration one is
// left, and most often one iteration is all there is. Where LLVM knows how many
// iterations a loop has at the most, and no more, it does so up to eight of
// them (-unroll-max-upperbound). ptxas does it for nvcc's form of such a loop.

#include "WholeLoops.h"
#include "FewerInstructions.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

/// LLVM unrolls what has fewer by itself. More would be much code for a loop
/// that most often ends at once.
static constexpr unsigned FewestIterations = 9, MostIterations = 16;
/// Of all copies together.
static constexpr unsigned MostInstructions = 256;

bool sluice::hasFloats(const Loop &Around) {
  return any_of(Around.blocks(), [](const BasicBlock *Block) {
    return any_of(*Block, [](const Instruction &I) {
      return I.getType()->isFPOrFPVectorTy();
    });
  });
}

/// How many iterations it has at the most, if it may be as many copies. 0: it
/// may not.
static unsigned copiesOf(Loop &L, ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!L.isInnermost() || L.getLoopDepth() < 2 || !Latch ||
      !L.isLoopExiting(Latch) || !L.isSafeToClone() ||
      !isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L)) ||
      hasUnrollTransformation(&L) != TM_Unspecified ||
      hasFloats(*L.getOutermostLoop()))
    return 0;
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  if (Most < FewestIterations || Most > MostIterations)
    return 0;
  unsigned Instructions = 0;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if ((Call && Call->isConvergent()) || I.mayWriteToMemory() ||
          ++Instructions * Most > MostInstructions)
        return 0;
    }
  return Most;
}

/// Is what \p Load reads in each iteration of \p L known?
static bool readsConstants(const LoadInst &Load, const Loop &L,
                           ScalarEvolution &SE) {
  const auto *Array =
      dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  const auto *Place = dyn_cast<SCEVAddRecExpr>(
      SE.getSCEV(const_cast<Value *>(Load.getPointerOperand())));
  if (!Load.isSimple() || !Array || !Array->isConstant() ||
      !Array->hasDefinitiveInitializer() || !Place || Place->getLoop() != &L ||
      !isa<SCEVConstant>(Place->getStepRecurrence(SE)))
    return false;
  const SCEV *Base = SE.getPointerBase(Place);
  return isa<SCEVUnknown>(Base) &&
         isa<SCEVConstant>(SE.removePointerBase(Place->getStart()));
}

/// Does \p Load read from another place each time, which an iteration that is
/// not run must not read? Then the branches between the copies stay.
static bool keepsBranches(const LoadInst &Load, const Loop &L,
                          ScalarEvolution &SE) {
  const Value *Place = Load.getPointerOperand();
  bool MayBeNull = false, MayBeFreed = false;
  return getUnderlyingObject(Place)->getPointerDereferenceableBytes(
             Load.getDataLayout(), MayBeNull, MayBeFreed) == 0 &&
         !SE.isLoopInvariant(SE.getSCEV(const_cast<Value *>(Place)), &L);
}

/// The load of \p L for which it is unrolled, if there is another one as well.
static LoadInst *loadOfConstants(const Loop &L, ScalarEvolution &SE) {
  LoadInst *Found = nullptr;
  bool KeepsBranches = false;
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (auto *Load = dyn_cast<LoadInst>(&I)) {
        KeepsBranches |= keepsBranches(*Load, L, SE);
        if (!Found && readsConstants(*Load, L, SE))
          Found = Load;
      }
  return KeepsBranches ? Found : nullptr;
}

/// A fault: where its data could end \p L, the first iteration does not.
static void loseFirst(Loop &L, ScalarEvolution &SE) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  BasicBlock *Header = L.getHeader();
  IRBuilder<> B(Header, Header->begin());
  PHINode *IsFirst = B.CreatePHI(B.getInt1Ty(), 2);
  IsFirst->addIncoming(B.getTrue(), L.getLoopPreheader());
  IsFirst->addIncoming(B.getFalse(), L.getLoopLatch());
  for (BasicBlock *Block : Exiting) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Branch || !isa<SCEVCouldNotCompute>(SE.getExitCount(&L, Block)))
      continue;
    B.SetInsertPoint(Branch);
    const bool StaysIfTrue = L.contains(Branch->getSuccessor(0));
    Value *Stays =
        B.CreateSelect(IsFirst, B.getInt1(StaysIfTrue), Branch->getCondition());
    Branch->setCondition(Stays);
  }
}

static void report(Function &F, const LoadInst &Load, unsigned Copies) {
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Load.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Whole", At, Load.getParent())
           << "a loop of at most " << ore::NV("Iterations", Copies)
           << " iterations is unrolled whole: what it compares with are "
              "constants then";
  });
}

void sluice::unrollWithEnds(Loop &L, unsigned Copies,
                            FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  simplifyLoop(&L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  OptimizationRemarkEmitter Remarks(&F);
  UnrollLoopOptions Options{};
  Options.Count = Copies;
  Options.Force = true;
  UnrollLoop(&L, Options, &LI, &SE, &DT, &AC,
             &FAM.getResult<TargetIRAnalysis>(F), &Remarks,
             /*PreserveLCSSA=*/true);
}

bool sluice::unrollWholeLoops(Function &F, const AttachedPlan &Attached,
                              FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (all_of(LI, [](const Loop *L) { return L->isInnermost(); }))
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool IsChanged = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    const unsigned Copies = copiesOf(*L, SE);
    LoadInst *Load = Copies ? loadOfConstants(*L, SE) : nullptr;
    if (!Load || isSwitchedOff(*Load, Attached))
      continue;
    report(F, *Load, Copies);
    if (Attached.Opts.Wrong == WrongRewrite::LostFirst)
      loseFirst(*L, SE);
    unrollWithEnds(*L, Copies, FAM);
    IsChanged = true;
  }
  return IsChanged;
}
