// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the clang plugin tells the passes of the same device compile.

#ifndef SLUICE_PLUGIN_TRACEREQUEST_H
#define SLUICE_PLUGIN_TRACEREQUEST_H

namespace sluice {

/// Whether `trace=gpu` was given.
inline bool &isTraceRequested() {
  static bool Is = false;
  return Is;
}

} // namespace sluice

#endif
