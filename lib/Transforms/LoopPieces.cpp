// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopPieces.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/UnrollFacts.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

/// Does \p L have as many iterations as one value says, but for a constant?
static bool isLengthGiven(const Loop &L, ScalarEvolution &SE) {
  const SCEV *Back = SE.getBackedgeTakenCount(&L);
  while (true)
    if (const auto *Sum = dyn_cast<SCEVAddExpr>(Back);
        Sum && Sum->getNumOperands() == 2 &&
        isa<SCEVConstant>(Sum->getOperand(0)))
      Back = Sum->getOperand(1);
    else if (const auto *Cast = dyn_cast<SCEVCastExpr>(Back))
      Back = Cast->getOperand();
    else
      return isa<SCEVUnknown>(Back);
}

unsigned sluice::piecesOf(const Loop &L, unsigned Copies, unsigned Clangs,
                          ScalarEvolution &SE) {
  const unsigned Most = std::max(Copies, Clangs);
  const bool IsRepeated =
      L.getParentLoop() && (Copies < 2 || !isLengthGiven(L, SE));
  return Most < (IsRepeated ? FewestOfClang : FewestCopies) ? 0
                                                            : bit_floor(Most);
}

bool sluice::isLengthCostly(Loop &L, ScalarEvolution &SE,
                            const TargetTransformInfo &TTI) {
  BasicBlock *Before = L.getLoopPredecessor(), *Exiting = L.getExitingBlock();
  if (!Before || !Exiting)
    return false;
  const SCEV *Back = SE.getExitCount(&L, Exiting);
  if (isa<SCEVCouldNotCompute>(Back))
    return false;
  SCEVExpander Expander(SE, "length");
  return Expander.isHighCostExpansion(
      SE.getAddExpr(Back, SE.getOne(Back->getType())), &L,
      SCEVCheapExpansionBudget, &TTI, Before->getTerminator());
}

/// Of an iteration. With fewer there is little to wait for.
static constexpr unsigned FewestCounts = 4;

/// A sum in shared memory that nobody reads.
static bool isCount(const Instruction &I) {
  const auto *Sum = dyn_cast<AtomicRMWInst>(&I);
  return Sum && Sum->use_empty() && !Sum->isVolatile() &&
         Sum->getType()->isIntegerTy() &&
         sharedVariable(Sum->getPointerOperand());
}

bool sluice::isOfCounts(const Loop &L) {
  if (L.getNumBlocks() != 1 || !L.isInnermost() || !L.isSafeToClone())
    return false;
  unsigned Counts = 0;
  for (const Instruction &I : *L.getHeader()) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (isCount(I))
      ++Counts;
    else if (I.mayReadOrWriteMemory() || I.getType()->isFPOrFPVectorTy() ||
             (Call && Call->isConvergent() && !isArithmeticPTX(*Call)))
      return false;
  }
  return Counts >= FewestCounts;
}

bool sluice::isOverArrays(const Loop &L, const UnrollFacts &Facts) {
  return Facts.Refusal.empty() && Facts.LocalLoads && !Facts.Loads &&
         !Facts.TileLoads && !Facts.OddWords && !Facts.WritesOwn &&
         !Facts.WritesTile && !Facts.Trip && Facts.Own >= FewestCopies &&
         L.getNumBlocks() == 1 && L.getParentLoop();
}

bool sluice::isRest(const Loop &L, unsigned Count, ScalarEvolution &SE) {
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  return Most && Most / 2 < Count;
}

bool sluice::takeInPieces(Loop &L, unsigned Count, bool MayDivide, bool GoesOn,
                          Function &F, FunctionAnalysisManager &FAM,
                          OptimizationRemarkEmitter &Remarks) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  Loop *Rest = nullptr; // what a loop leaves; null: nothing
  auto Unroll = [&](Loop &Whole, unsigned Times) {
    UnrollLoopOptions Options{};
    Options.Count = Times;
    Options.Runtime = true;
    Options.AllowExpensiveTripCount = MayDivide;
    Options.SCEVExpansionBudget = SCEVCheapExpansionBudget;
    Rest = nullptr;
    return UnrollLoop(&Whole, Options, &LI, &SE, &DT, &AC, &TTI, &Remarks,
                      /*PreserveLCSSA=*/true, &Rest);
  };
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  const bool IsShort = isRest(L, Count, SE);
  LoopUnrollResult Done = LoopUnrollResult::PartiallyUnrolled;
  unsigned Piece =
      IsShort ? bit_floor(SE.getSmallConstantMaxTripCount(&L)) : Count / 2;
  if (IsShort) {
    Rest = &L;
  } else {
    Done = Unroll(L, Count);
    if (Done == LoopUnrollResult::Unmodified)
      return false;
    // Else it is no loop any more: its length became known.
    if (Done == LoopUnrollResult::PartiallyUnrolled) {
      if (GoesOn)
        addStringMetadataToLoop(&L, "llvm.loop.unroll.runtime.disable");
      else
        L.setLoopAlreadyUnrolled(); // "nounroll"
    }
  }
  // Less than twice as many iterations are left.
  bool Changed = !IsShort;
  for (; Piece && Rest; Piece /= 2) {
    Loop *Whole = std::exchange(Rest, nullptr);
    Done =
        Piece > 1 ? Unroll(*Whole, Piece) : LoopUnrollResult::PartiallyUnrolled;
    if (Done == LoopUnrollResult::Unmodified)
      break;
    Changed = true;
    if (Done == LoopUnrollResult::PartiallyUnrolled)
      breakLoopBackedge(Whole, DT, SE, LI, /*MSSA=*/nullptr);
  }
  return Changed;
}
