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
} // namespace llvm

namespace sluice {

/// \p L is an innermost loop of \p F, its iterations may be taken \p Count at a
/// time, a power of two; how many there are is not known, and \p MayDivide to
/// find it out. Keeps LoopInfo, the dominator tree and ScalarEvolution up to
/// date. False: LLVM cannot unroll it, and it is as it was.
bool takeInPieces(llvm::Loop &L, unsigned Count, bool MayDivide,
                  llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                  llvm::OptimizationRemarkEmitter &Remarks);

} // namespace sluice

#endif
