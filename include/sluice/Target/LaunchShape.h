// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A launch as far as its blocks on an SM go.

#ifndef SLUICE_TARGET_LAUNCHSHAPE_H
#define SLUICE_TARGET_LAUNCHSHAPE_H

#include "sluice/Target/Occupancy.h"
#include "sluice/Target/PTXAssembler.h"

namespace sluice {

/// What decides how many of a launch's blocks an SM holds, beside the code.
struct LaunchShape {
  unsigned Threads = 0; ///< Of a block.
  uint64_t DynamicSharedBytes = 0;
  std::optional<uint64_t> GridBlocks = std::nullopt;

  /// With \p Code.
  BlockResources block(const AssembledKernel &Code) const {
    return {Threads, Code.Registers, Code.StaticSharedBytes,
            DynamicSharedBytes};
  }
};

} // namespace sluice

#endif
