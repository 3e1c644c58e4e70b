// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What is known of functions before their library is linked.

#ifndef SLUICE_ANALYSIS_LIBRARYFUNCTIONS_H
#define SLUICE_ANALYSIS_LIBRARYFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// libdevice is linked later. Says of its functions in \p M that they compute.
/// And clang declares every function convergent, as it may have a barrier: this
/// is taken back where the bitcode in \p Libraries shows that one has none, and
/// no loop. A library that cannot be read shows nothing.
void describeLibrary(llvm::Module &M, llvm::ArrayRef<std::string> Libraries);

} // namespace sluice

#endif
