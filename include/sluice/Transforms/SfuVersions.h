// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Between sluice-sfu and sluice-sfu-join a kernel is two functions: itself,
/// exact, and an approximate version, which has its name with an ending and
/// goes through the same passes by the same plan.

#ifndef SLUICE_TRANSFORMS_SFUVERSIONS_H
#define SLUICE_TRANSFORMS_SFUVERSIONS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace sluice {

inline constexpr llvm::StringLiteral SfuVersionEnding = "__sluice_sfu";

/// The name of the kernel that \p Name is a version of, or of the kernel
/// itself: that under which plans know it.
inline llvm::StringRef withoutSfuEnding(llvm::StringRef Name) {
  Name.consume_back(SfuVersionEnding);
  return Name;
}

/// Is \p Kernel one of two versions? Warps of a block then run different code,
/// and none of it may wait for warps in the other.
bool hasSfuVersions(const llvm::Function &Kernel);

} // namespace sluice

#endif
