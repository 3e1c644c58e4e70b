// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Loops that write the elements of their own index: what one iteration writes
/// no other one reads.

#ifndef SLUICE_ANALYSIS_INDEXEDELEMENTS_H
#define SLUICE_ANALYSIS_INDEXEDELEMENTS_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace llvm {
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace sluice {

/// The elements of one array that a loop accesses by its index: \p Scale bytes
/// each, from \p Base plus the index on, made longer if it has 32 bits.
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

/// Indices of 64 bits are to be below this where elements are told apart: of at
/// most MostScale bytes, so many are never at one place, modulo 2^64.
constexpr uint64_t MostLongIndex = uint64_t(1) << 40;
constexpr uint64_t MostScale = uint64_t(1) << 16; ///< Of a long index.

/// Of \p L, which is one block, and has \p Index, of 32 bits or of 64 and below
/// MostLongIndex, which is never the same in two iterations: what has to hold
/// when it runs, so that no iteration reads what another one writes. None:
/// nobody can say, or nothing is written.
std::optional<llvm::SmallVector<ArrayPair, 4>>
ownElements(const llvm::Loop &L, const llvm::PHINode &Index);

} // namespace sluice

#endif
