// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The roundings of a kernel as clang's code has them, before its loops are
/// unrolled: whatever becomes of the loops then, no result changes.

#ifndef SLUICE_LIB_TRANSFORMS_KEPTROUNDING_H
#define SLUICE_LIB_TRANSFORMS_KEPTROUNDING_H

#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

struct AttachedPlan;

/// Makes `llvm.fma` of the sums of \p Kernel that clang's code fuses with a
/// product, and products that nothing fuses of the rest. For that clang's other
/// passes are run on a copy, its code is read, and the code of both is
/// assembled: they have to have as many sums and fused sums.
/// \returns why nothing is changed: not all of that is certain, or clang has no
/// local array in memory. Empty: it is changed.
std::string keepRoundings(llvm::Function &Kernel, const AttachedPlan &Attached);

} // namespace sluice

#endif
