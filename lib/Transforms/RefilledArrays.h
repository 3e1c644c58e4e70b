// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SLUICE_LIB_TRANSFORMS_REFILLEDARRAYS_H
#define SLUICE_LIB_TRANSFORMS_REFILLEDARRAYS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class DominatorTree;
class GlobalVariable;
class Loop;
class ScalarEvolution;
class StoreInst;
class Value;
} // namespace llvm

namespace sluice {

/// The local arrays of which each iteration of a loop writes all elements:
///
///   for (k ...) {
///     for (i < 4) m[i] = a[k * 4 + i];
///     for (i < 4) for (j < 4) sum[i][j] += m[i] * n[j];
///   }
///
/// What is read of one is of this iteration, or of the last. Likewise the arrays
/// in shared memory that are written in the loop: who reads one reads it again
/// in each iteration, as nothing tells that another place was written.
class RefilledArrays {
public:
  RefilledArrays(const llvm::Loop &Around, llvm::ScalarEvolution &SE,
                 const llvm::DominatorTree &DT);

  /// Is \p Pointer into such an array, which gets only values that \p Holds?
  bool isFilledBy(const llvm::Value *Pointer,
                  llvm::function_ref<bool(const llvm::Value *)> Holds) const;

  /// Is \p Pointer into an array in shared memory which the loop writes, at a
  /// place that depends on more than the places that are read?
  bool isInRewrittenTile(const llvm::Value *Pointer) const;

private:
  llvm::ScalarEvolution &SE;
  llvm::DenseMap<const llvm::GlobalVariable *,
                 llvm::SmallVector<const llvm::StoreInst *, 4>>
      Tiles;
  llvm::DenseMap<const llvm::AllocaInst *,
                 llvm::SmallVector<const llvm::StoreInst *, 4>>
      Stores; ///< Of such arrays.
};

} // namespace sluice

#endif
