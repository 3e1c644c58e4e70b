// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The files of tools/sluice/report and tools/sluice/pool, which are built into
/// the program.

#ifndef SLUICE_TOOLS_SLUICE_EMBEDDEDFILES_H
#define SLUICE_TOOLS_SLUICE_EMBEDDEDFILES_H

#include "llvm/ADT/StringRef.h"

namespace sluice {

/// The text of \p Name, which is there.
llvm::StringRef embeddedFile(llvm::StringRef Name);

} // namespace sluice

#endif
