// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Accesses of neighbours in global memory that may come together in wider
/// words: what WideWords.cpp does, beside its own part.

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_NEIGHBOURS_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_NEIGHBOURS_H

#include "FewerInstructions.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include <vector>

namespace llvm {
class SCEV;
} // namespace llvm

namespace sluice {

struct NeighbourAccess {
  llvm::Instruction *I;
  int64_t Offset; ///< From the group's first, in bytes.
  /// What its distance from the array's begin is certainly a multiple of.
  unsigned Multiple;
};

/// Accesses of one array at constant distances from the first.
struct NeighbourGroup {
  llvm::Argument *Array;
  const llvm::SCEV *First; ///< Its distance from the array's begin.
  /// In their order in the block.
  llvm::SmallVector<NeighbourAccess, 8> Accesses{};

  llvm::Type *element() const {
    return llvm::getLoadStoreType(Accesses.front().I);
  }
};

/// Accesses that make up a word, from its begin on.
struct NeighbourWord {
  llvm::Argument *Array;
  llvm::SmallVector<llvm::Instruction *, 4> Parts{};
  unsigned bytes() const;
};

/// Loads or stores of a block that may come together.
struct Neighbours {
  llvm::SmallVector<NeighbourGroup, 4> Groups;
  /// In their order in the block.
  llvm::SmallVector<llvm::Instruction *, 16> All;
  /// Loads of what another one loads already: that and this.
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Instruction *>, 4>
      Again{};
  /// What loads would go past.
  llvm::SmallVector<llvm::Instruction *, 16> Writers{};
  unsigned Bytes = 0, Passed = 0;
  // When it is whole.
  llvm::SmallVector<NeighbourWord, 8> Words{};
  llvm::SmallPtrSet<const llvm::Instruction *, 16> Moved{};

  bool areLoads() const { return llvm::isa<llvm::LoadInst>(All.front()); }
  /// Where the words are accessed.
  llvm::Instruction &place() const;
  /// Does \p I, of the block, come to stand behind them?
  bool isBehind(const llvm::Instruction &I) const;
  void makeWords();
  unsigned saved() const { return unsigned(Moved.size() - Words.size()); }
};

/// What of \p F may come together, where each word saves accesses. \p MayChange
/// is asked of each access. Changes addresses of loads only: each is known
/// where they come together, or can be computed there.
std::vector<Neighbours> findNeighbours(llvm::Function &F, ChangeTest MayChange,
                                       llvm::FunctionAnalysisManager &FAM);

/// A load's or store's pointer.
llvm::Value *pointerOf(const llvm::Instruction &Access);
/// That without the constant \p Offset at its end.
llvm::Value *rootOf(const llvm::Instruction &Access, llvm::APInt &Offset);

} // namespace sluice

#endif
