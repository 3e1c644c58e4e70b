// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What repeating a loop's body would bring: the loads that are then on their
/// way together, and what it would cost.

#ifndef SLUICE_ANALYSIS_UNROLLANALYSIS_H
#define SLUICE_ANALYSIS_UNROLLANALYSIS_H

#include "sluice/Analysis/UnrollFacts.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class AAResults;
class Loop;
class PHINode;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice {

/// Of \p L as it is now: behind the passes that unroll loops whole, before
/// those that unroll in part.
UnrollFacts analyzeUnrolling(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                             const llvm::UniformityInfo &Uniformity,
                             const llvm::TargetTransformInfo &TTI,
                             llvm::AAResults &AA);

/// How a loop ends whose step is known when it runs only, as blockDim.x is: it
/// goes on while the sum of \p Index and \p Step \p Stays within \p Bound.
struct StridedEnd {
  llvm::PHINode *Index;
  llvm::Value *Step, *Bound;
  llvm::CmpInst::Predicate Stays; ///< `<` of either kind.
};

/// Of \p L, if it is such a loop with an index of 32 bits.
std::optional<StridedEnd> stridedEnd(const llvm::Loop &L);

/// What clang makes of a loop by itself.
struct OwnUnrolling {
  unsigned Copies = 1; ///< Iterations that it takes together.
  bool IsKept = true;  ///< A loop with all its iterations is left.
};

/// Of \p L, as LLVM's unroller would say now; none: it has a loop in it, or is
/// in no form that the unroller takes.
std::optional<OwnUnrolling> askUnroller(llvm::Loop &L,
                                        llvm::FunctionAnalysisManager &FAM);

/// What LLVM may make of a loop that has loops in it, as it is now.
struct OuterUnrolling {
  bool InPart = false; ///< Several iterations together.
  bool Whole = false;  ///< No loop at all.
};
OuterUnrolling mayUnroll(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
