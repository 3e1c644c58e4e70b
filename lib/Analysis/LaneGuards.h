// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Conditions that let few threads through: equalities that differ from thread
/// to thread and hold wherever a block of code runs.

#ifndef SLUICE_LIB_ANALYSIS_LANEGUARDS_H
#define SLUICE_LIB_ANALYSIS_LANEGUARDS_H

#include "sluice/Analysis/AddressForm.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class ICmpInst;
class LoopInfo;
} // namespace llvm

namespace sluice {

/// The equalities on tid that dominate each block: `threadIdx.x == 0`,
/// `lane == 0`, `i == n / 4`, also as an early return of all others.
class LaneGuards {
public:
  /// The form of a value, as the code in a loop sees it.
  using Forms =
      llvm::function_ref<AddressForm(llvm::Value *, const llvm::Loop *)>;

  /// Finds those of the blocks of \p F that are in loops.
  LaneGuards(llvm::Function &F, const llvm::LoopInfo &LI,
             const ThreadUniformity &Threads, Forms Build);

  /// What is 0 in all threads that reach \p Block, which is in a loop.
  llvm::ArrayRef<AddressForm> of(const llvm::BasicBlock *Block) const;

private:
  using Equalities = llvm::SmallVector<llvm::ICmpInst *, 2>;
  using OfBlocks = llvm::DenseMap<const llvm::BasicBlock *, Equalities>;
  static OfBlocks dominating(llvm::Function &F,
                             const ThreadUniformity &Threads);

  llvm::DenseMap<const llvm::BasicBlock *, std::vector<AddressForm>> Guards;
};

} // namespace sluice

#endif
