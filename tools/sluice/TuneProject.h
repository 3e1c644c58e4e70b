// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice tune --project`: many programs on many GPUs.

#ifndef SLUICE_TOOLS_SLUICE_TUNEPROJECT_H
#define SLUICE_TOOLS_SLUICE_TUNEPROJECT_H

#include "TuneArguments.h"

namespace sluice {

/// Tunes all programs of Given.Project. For \p Argv0 see findLibraryFolder. The
/// error says what could not begin; what failed later is printed, and then the
/// result is false.
llvm::Expected<bool> tuneProject(TuneArguments Given, const char *Argv0);

} // namespace sluice

#endif
