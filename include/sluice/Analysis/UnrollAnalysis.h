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

/// Has \p L a barrier, a shuffle, or another call that threads make together?
bool hasConvergentCalls(const llvm::Loop &L);

/// May \p L write memory, whichever?
bool writesMemory(const llvm::Loop &L);

/// Of \p L as it is now: behind the passes that unroll loops whole, before
/// those that unroll in part. \p MostThreads: of a block, for how long a tile
/// is filled.
UnrollFacts analyzeUnrolling(const llvm::Loop &L, llvm::ScalarEvolution &SE,
                             const llvm::UniformityInfo &Uniformity,
                             const llvm::TargetTransformInfo &TTI,
                             llvm::AAResults &AA, unsigned MostThreads);

/// How a loop ends whose step is known when it runs only, as blockDim.x is: it
/// goes on while the sum of \p Index and \p Step \p Stays within \p Bound.
struct StridedEnd {
  llvm::PHINode *Index;
  llvm::Value *Step, *Bound;
  llvm::CmpInst::Predicate Stays; ///< `<` of either kind.
};

/// Of \p L, if it is such a loop with an index of 32 or 64 bits.
std::optional<StridedEnd> stridedEnd(const llvm::Loop &L);

/// What clang makes of a loop by itself.
struct OwnUnrolling {
  unsigned Copies = 1; ///< Iterations that it takes together.
  bool IsKept = true;  ///< A loop with all its iterations is left.
};

/// Is \p L so short that clang takes one iteration at a time, which LLVM knows
/// by a test before it only, as `if (tid >= 4) return;`? It looks for one up
/// the only way to the loop.
bool isShortByTest(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// May there be several ways out of \p L, or around it, once clang has unrolled
/// it? Then LLVM finds no test before it any more.
bool mayHideTests(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);

/// Leaves in \p M at which level it is optimised, 1 to 3: below 3 LLVM unrolls
/// half as much.
void noteUnrollLevel(llvm::Module &M, unsigned Speed);
/// What was left; 3 if nothing was.
unsigned unrollLevel(const llvm::Module &M);
/// Forgets it again.
void forgetUnrollLevel(llvm::Module &M);

/// The same as a pass.
struct NoteUnrollLevelPass : llvm::PassInfoMixin<NoteUnrollLevelPass> {
  explicit NoteUnrollLevelPass(unsigned Speed) : Speed(Speed) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &) {
    noteUnrollLevel(M, Speed);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  unsigned Speed;
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
