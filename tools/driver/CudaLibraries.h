// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which libraries of the CUDA toolkit a link asks for.

#ifndef SLUICE_TOOLS_CUDALIBRARIES_H
#define SLUICE_TOOLS_CUDALIBRARIES_H

#include "llvm/ADT/StringRef.h"

namespace sluice {

/// -lNAME, -l:libNAME.so and DIR/libNAME.so.1 all name the library NAME.
llvm::StringRef libraryName(llvm::StringRef Text);

/// A library in whose place the emulator's runtime is linked.
bool isRuntimeLibrary(llvm::StringRef Name);

/// A library of the toolkit of which the emulator has none.
bool isMissingLibrary(llvm::StringRef Name);

} // namespace sluice

#endif
