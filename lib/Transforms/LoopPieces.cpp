// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopPieces.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

/// What LLVM's unroller allows itself for the number of iterations.
static constexpr unsigned ExpansionBudget = 4;

bool sluice::takeInPieces(Loop &L, unsigned Count, bool MayDivide, Function &F,
                          FunctionAnalysisManager &FAM,
                          OptimizationRemarkEmitter &Remarks) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  // What it leaves; null: nothing. Empty: the loop is as it was.
  auto Unroll = [&](Loop &Whole, unsigned Times) -> std::optional<Loop *> {
    UnrollLoopOptions Options{};
    Options.Count = Times;
    Options.Runtime = true;
    Options.AllowExpensiveTripCount = MayDivide;
    Options.SCEVExpansionBudget = ExpansionBudget;
    Loop *Rest = nullptr;
    if (UnrollLoop(&Whole, Options, &LI, &SE, &DT, &AC, &TTI, &Remarks,
                   /*PreserveLCSSA=*/true,
                   &Rest) == LoopUnrollResult::Unmodified)
      return std::nullopt;
    return Rest;
  };
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  std::optional<Loop *> Rest = Unroll(L, Count);
  if (!Rest)
    return false;
  L.setLoopAlreadyUnrolled();
  // Less than twice as many iterations are left.
  for (unsigned Piece = Count / 2; Piece && *Rest; Piece /= 2) {
    Loop *Whole = *Rest;
    Rest = Piece > 1 ? Unroll(*Whole, Piece) : nullptr;
    if (!Rest)
      return true;
    breakLoopBackedge(Whole, DT, SE, LI, /*MSSA=*/nullptr);
  }
  return true;
}
