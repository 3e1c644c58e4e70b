// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Products that memory keeps from being fused with sums, where the arrays that
/// they are in come to be in registers.

#ifndef SLUICE_LIB_TRANSFORMS_HELDPRODUCTS_H
#define SLUICE_LIB_TRANSFORMS_HELDPRODUCTS_H

#include "sluice/Analysis/LocalArrays.h"

namespace llvm {
class DominatorTree;
class Function;
} // namespace llvm

namespace sluice {

/// Where \p Loops are unrolled whole, will each product of \p F be fused with
/// the sums that it is fused with now, once roundHeldProducts has been?
bool roundsTheSame(llvm::Function &F, const LoopSet &Loops,
                   const llvm::DominatorTree &DT);

/// Products that are stored, and whose stored value is summed: each is rounded
/// at once, so that neither LLVM nor the assembler fuses it.
void roundHeldProducts(llvm::Function &F, const LoopSet &Loops);

} // namespace sluice

#endif
