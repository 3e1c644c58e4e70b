// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice profile --replay=TRACE`.

#ifndef SLUICE_TOOLS_SLUICE_PROFILEREPLAY_H
#define SLUICE_TOOLS_SLUICE_PROFILEREPLAY_H

#include "ProfileArguments.h"

namespace sluice {

/// Simulates each launch of the trace that \p Args names, and shows the profile
/// and a line for each launch.
llvm::Error replayTrace(const ProfileArguments &Args);

} // namespace sluice

#endif
