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

/// clang declares every function convergent, as it may have a barrier. Of those
/// of libdevice that \p M calls, this is taken back where the bitcode in \p
/// Libraries shows that they have none, and no loop. A library that cannot be
/// read shows nothing.
void describeLibrary(llvm::Module &M, llvm::ArrayRef<std::string> Libraries);

} // namespace sluice

#endif
