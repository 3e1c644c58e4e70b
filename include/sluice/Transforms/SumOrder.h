// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Keeps the order of floating-point operations of a loop whose sums leave the
/// memory, where fast-math flags let it be changed.

#ifndef SLUICE_TRANSFORMS_SUMORDER_H
#define SLUICE_TRANSFORMS_SUMORDER_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Loop;
class StoreInst;
} // namespace llvm

namespace sluice {

/// Do results of \p L, which stores \p Sums in each iteration, depend on how
/// often it is unrolled, which depends on the stores in it? By `reassoc`
/// another sum, in a register, is added up in any order; by `contract` a
/// product becomes one operation with the next iteration's addition, if that is
/// in the same block.
bool dependsOnUnrolling(const llvm::Loop &L,
                        llvm::ArrayRef<llvm::StoreInst *> Sums);

/// Takes from what is computed with \p L's sums, and with what is read from one
/// place in all iterations, the flags that let it be computed in another order
/// (`reassoc`) or by a reciprocal (`arcp`). A store in each iteration, which
/// other loads may depend on, keeps them from taking effect; without the store
/// they would.
void keepOrder(llvm::Loop &L);

} // namespace sluice

#endif
