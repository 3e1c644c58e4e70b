// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopPieces.h"
#include "llvm/ADT/bit.h"
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
  Loop *Rest = nullptr; // what a loop leaves; null: nothing
  auto Unroll = [&](Loop &Whole, unsigned Times) {
    UnrollLoopOptions Options{};
    Options.Count = Times;
    Options.Runtime = true;
    Options.AllowExpensiveTripCount = MayDivide;
    Options.SCEVExpansionBudget = ExpansionBudget;
    Rest = nullptr;
    return UnrollLoop(&Whole, Options, &LI, &SE, &DT, &AC, &TTI, &Remarks,
                      /*PreserveLCSSA=*/true, &Rest);
  };
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  // A loop that is short for certain is a rest itself, of the largest piece.
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  const bool IsShort = Most && Most / 2 < Count;
  LoopUnrollResult Done = LoopUnrollResult::PartiallyUnrolled;
  unsigned Piece = IsShort ? bit_floor(Most) : Count / 2;
  if (IsShort) {
    Rest = &L;
  } else {
    Done = Unroll(L, Count);
    if (Done == LoopUnrollResult::Unmodified)
      return false;
    // Else it is no loop any more: its length became known.
    if (Done == LoopUnrollResult::PartiallyUnrolled) {
      // The assembler is not to unroll what was planned ("nounroll"), but goes
      // on where the loop is as clang has it.
      if (MayDivide)
        L.setLoopAlreadyUnrolled();
      else
        addStringMetadataToLoop(&L, "llvm.loop.unroll.runtime.disable");
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
