// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin tells the passes of the same host compile.

#ifndef SLUICE_PLUGIN_HOSTCARVEOUTS_H
#define SLUICE_PLUGIN_HOSTCARVEOUTS_H

#include "llvm/ADT/StringMap.h"

namespace sluice {

/// Per cent by mangled kernel name, of the plan file for this source.
inline llvm::StringMap<unsigned> &hostCarveouts() {
  static llvm::StringMap<unsigned> All;
  return All;
}

} // namespace sluice

#endif
