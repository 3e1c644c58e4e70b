// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What clang says on stderr, one diagnostic after the other.

#ifndef SLUICE_TOOLS_CLANGDIAGNOSTICS_H
#define SLUICE_TOOLS_CLANGDIAGNOSTICS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace sluice {

std::string withoutColours(llvm::StringRef Text);

/// Splits what clang says into diagnostics with their notes and source lines.
/// "2 warnings generated when compiling for host." is left out: the number
/// would not be that of what is printed.
std::vector<std::string> splitDiagnostics(llvm::StringRef Said);

} // namespace sluice

#endif
