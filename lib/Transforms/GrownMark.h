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

/// Of a kernel that Sluice gives a limit of registers for room, and not to have
/// it keep to it: where it needs more, it may have what its blocks leave.
inline constexpr char RoomMark[] = "sluice-room";

inline bool isGrown(const llvm::Function &F) {
  return F.hasFnAttribute(GrownMark);
}

} // namespace sluice

#endif
