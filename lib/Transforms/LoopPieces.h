// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Unrolls a loop so that no iteration is left alone with its load:
///
///   for (i = 0; i < n; ++i)     for (; n - i >= 16; i += 16)
///     one iteration        =>     16 iterations
///                               if (n & 8) 8 iterations
///                               if (n & 4) 4 iterations
///                               if (n & 2) 2 iterations
///                               if (n & 1) one iteration
///
/// LLVM leaves up to 15 iterations to a loop that takes one at a time. Each of
/// them waits for what it loads, so that a loop of 15 iterations waits as long
/// as one of 240. The iterations' order stays. Where there are 31 at most,
/// there is no loop.

#ifndef SLUICE_LIB_TRANSFORMS_LOOPPIECES_H
#define SLUICE_LIB_TRANSFORMS_LOOPPIECES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
class Loop;
class OptimizationRemarkEmitter;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace sluice {

struct UnrollFacts;

/// Of fewer copies the rest is short. Of those that clang takes by itself it is
/// not, in a loop: each iteration of that has a rest. Of others the registers
/// of the rest would be the main loop's, so only where the length is more than
/// an argument: a window's, as `for (j = -r; j <= r; ++j)`. `n` is mostly long.
inline constexpr unsigned FewestCopies = 8, FewestOfClang = 4;

/// The iterations of \p L that are taken together with its rest in pieces, of
/// \p Copies, and of as many as \p Clangs; 0: it has none.
unsigned piecesOf(const llvm::Loop &L, unsigned Copies, unsigned Clangs,
                  llvm::ScalarEvolution &SE);

/// Does it take LLVM too much to compute how many iterations \p L has when it
/// runs, so that it takes one at a time, whatever fits (UnrollRuntimeLoop)?
bool isLengthCostly(llvm::Loop &L, llvm::ScalarEvolution &SE,
                    const llvm::TargetTransformInfo &TTI);

/// Does \p L do nothing but count in shared memory, several times in each
/// iteration, as a histogram of digits? What all these need of an iteration is
/// then waited for.
bool isOfCounts(const llvm::Loop &L);

/// Does \p L, in another loop, go over a thread's arrays, and over nothing else
/// that is waited for? What clang leaves of such a loop runs each time.
bool isOverArrays(const llvm::Loop &L, const UnrollFacts &Facts);

/// Is \p L so short for certain that all of it would be a rest of \p Count
/// iterations, which begins with its largest piece?
bool isRest(const llvm::Loop &L, unsigned Count, llvm::ScalarEvolution &SE);

/// \p L is an innermost loop of \p F, its iterations may be taken \p Count at a
/// time, a power of two; how many there are is not known, and \p MayDivide to
/// find it out. \p GoesOn: the assembler may take more of them together. Keeps
/// LoopInfo, the dominator tree and ScalarEvolution up to date. False: LLVM
/// cannot unroll it, and it has at most a block of its own before it now.
bool takeInPieces(llvm::Loop &L, unsigned Count, bool MayDivide, bool GoesOn,
                  llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  llvm::OptimizationRemarkEmitter &Remarks);

} // namespace sluice

#endif
