// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What repeating a loop's body would bring: the loads that are then on their
/// way together, and what it would cost.

#ifndef SLUICE_ANALYSIS_UNROLLANALYSIS_H
#define SLUICE_ANALYSIS_UNROLLANALYSIS_H

#include "sluice/Analysis/UnrollFacts.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice {

/// Of \p L as it is now: behind the passes that unroll loops whole, before
/// those that unroll in part.
UnrollFacts analyzeUnrolling(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                             const llvm::UniformityInfo &Uniformity,
                             const llvm::TargetTransformInfo &TTI);

/// Iterations of \p L that clang takes together by itself, whether more can go
/// together or not. 1: also where there is a loop in it, which may go away.
unsigned clangsCopies(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                      const llvm::TargetTransformInfo &TTI);

/// Is \p L certainly a loop with all its iterations in it where clang unrolls
/// it by itself? Asked of LLVM's unroller.
bool isKeptByClang(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);

} // namespace sluice

#endif
