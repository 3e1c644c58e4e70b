// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which values of a kernel are the same in all threads of a block, and which
/// differ from thread to thread.

#ifndef SLUICE_ANALYSIS_THREADUNIFORMITY_H
#define SLUICE_ANALYSIS_THREADUNIFORMITY_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace sluice {

/// LLVM's uniformity analysis with a block instead of a warp as the threads
/// that are compared. Memory does not count as changing between two threads'
/// reads of it: good for estimates, not for proofs. With \p LoadsDiffer it does,
/// whatever is read.
class ThreadUniformity {
public:
  explicit ThreadUniformity(llvm::Function &F, bool LoadsDiffer = false);

  /// Is \p V the same in all threads that compute it together?
  bool isUniform(const llvm::Value *V) const { return Info->isUniform(V); }
  /// May threads go different ways at \p End?
  bool isDivergent(const llvm::Instruction &End) const;
  /// May threads leave \p L after different numbers of iterations?
  bool leavesDivergently(const llvm::Loop &L);
  /// Does \p V, which is not uniform, come from values read from memory, other
  /// than by the choice between values that do not?
  bool isRead(const llvm::Value *V) const { return Read.contains(V); }

private:
  void findRead(llvm::Function &F);

  llvm::FunctionAnalysisManager Analyses; ///< Of the one function.
  llvm::UniformityInfo *Info;
  llvm::SmallPtrSet<const llvm::Value *, 32> Read;
};

/// Is \p V made from the first index of a thread in its block, or from what is
/// read or called for? If not, lanes of a warp have the same (where a row of
/// threads is a warp at least). Good for estimates, not for proofs.
bool mayDifferByLane(const llvm::Value &V);

} // namespace sluice

#endif
