// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a kernel is launched with, as far as it is known at compile time.

#ifndef SLUICE_ANALYSIS_LAUNCHCONFIG_H
#define SLUICE_ANALYSIS_LAUNCHCONFIG_H

#include "sluice/Analysis/SourcePlace.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

/// x, y and z, each known or unknown by itself.
struct LaunchDim {
  std::array<std::optional<uint64_t>, 3> Sizes;

  static LaunchDim known(uint64_t X, uint64_t Y = 1, uint64_t Z = 1) {
    return {{X, Y, Z}};
  }
  /// x * y * z, where all three are known.
  std::optional<uint64_t> total() const {
    if (!Sizes[0] || !Sizes[1] || !Sizes[2])
      return std::nullopt;
    return *Sizes[0] * *Sizes[1] * *Sizes[2];
  }
  friend bool operator==(const LaunchDim &A, const LaunchDim &B) {
    return A.Sizes == B.Sizes;
  }
};

/// "256" or "32x8x1": X, XxY or XxYxZ, none of them 0 or beyond 31 bits.
/// \p MayBeUnknown: or `?`, a size that is not known.
bool parseDim(llvm::StringRef Text, LaunchDim &Dim, bool MayBeUnknown = false);

/// One launch of a kernel.
struct LaunchConfig {
  LaunchDim Grid;  ///< Thread blocks.
  LaunchDim Block; ///< Threads of one block.
  std::optional<uint64_t> DynamicSharedBytes;
  /// The kernel's integer arguments that are constants at this launch, by
  /// parameter number; nullopt for the others.
  std::vector<std::optional<int64_t>> Arguments;
  SourcePlace Place; ///< The launch; unknown when the user gave `launch=`.
  /// Its sizes are those of a launch that a profile saw.
  bool FromProfile = false;
  /// A profile saw launches of these sizes on this GPU: the reuse distances
  /// that it measured are those of this launch.
  bool Measured = false;
};

} // namespace sluice

#endif
