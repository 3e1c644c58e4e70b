// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice tune --qos`: how many warps may compute approximately.

#ifndef SLUICE_TOOLS_SLUICE_TUNEQUALITY_H
#define SLUICE_TOOLS_SLUICE_TUNEQUALITY_H

#include "TuneArguments.h"

namespace sluice {

/// Searches as \p Arguments.Quality says, prints what was found and writes the
/// plan. For \p Argv0 see findLibraryFolder.
llvm::Error tuneQuality(const TuneArguments &Arguments, const char *Argv0);

} // namespace sluice

#endif
