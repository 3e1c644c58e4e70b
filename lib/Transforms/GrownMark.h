// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What passes that make more values alive at once leave at a function for
/// sluice-register-limit.

#ifndef SLUICE_LIB_TRANSFORMS_GROWNMARK_H
#define SLUICE_LIB_TRANSFORMS_GROWNMARK_H

#include "llvm/IR/Function.h"

namespace sluice {

/// Of a kernel whose iterations are taken together, or whose arrays are kept in
/// registers: it may have more of them.
inline constexpr char GrownMark[] = "sluice-grown";
/// The value of that where it is for arrays.
inline constexpr char GrownByArrays[] = "arrays";

/// Of a kernel that Sluice gives a limit of registers so that large blocks stay
/// possible: where arrays in registers need more, it may have what its own
/// blocks leave. (What is on its way for rows does as well with the limit.)
inline constexpr char RoomMark[] = "sluice-room";

inline bool isGrown(const llvm::Function &F) {
  return F.hasFnAttribute(GrownMark);
}

inline bool isGrownByArrays(const llvm::Function &F) {
  return F.getFnAttribute(GrownMark).getValueAsString() == GrownByArrays;
}

} // namespace sluice

#endif
