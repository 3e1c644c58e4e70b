// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that write the elements of their own index: what one iteration writes
/// no other one reads.

#ifndef SLUICE_ANALYSIS_INDEXEDELEMENTS_H
#define SLUICE_ANALYSIS_INDEXEDELEMENTS_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace sluice {

/// The elements of one array that a loop accesses by its index: \p Scale bytes
/// each, from \p Base plus the index on, made longer.
struct IndexedArray {
  llvm::Value *Base; ///< Known before the loop.
  uint64_t Scale;
  bool IsZeroExtended = false; ///< How the index is made longer.

  bool operator==(const IndexedArray &A) const {
    return Base == A.Base && Scale == A.Scale &&
           IsZeroExtended == A.IsZeroExtended;
  }
};

/// An array that is read and one that is written. What is read of the one in
/// an iteration is written in no other one if both begin at one place, or do
/// not overlap.
struct ArrayPair {
  IndexedArray Read, Written;
};

/// Of \p L, which is one block, and has \p Index, of 32 bits, which is never
/// the same in two iterations: what has to hold when it runs, so that no
/// iteration reads what another one writes. None: nobody can say, or nothing is
/// written.
std::optional<llvm::SmallVector<ArrayPair, 4>>
ownElements(const llvm::Loop &L, const llvm::PHINode &Index);

} // namespace sluice

#endif
