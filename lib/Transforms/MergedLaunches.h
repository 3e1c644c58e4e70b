// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Launches of several blocks as one, in the host's module.

#ifndef SLUICE_LIB_TRANSFORMS_MERGEDLAUNCHES_H
#define SLUICE_LIB_TRANSFORMS_MERGEDLAUNCHES_H

namespace llvm {
class CallInst;
} // namespace llvm

namespace sluice {

struct MergedForm;

/// Lets \p Launch, in a stub, ask at run time whether blocks are merged, and
/// launch the merged kernel of such a form then, which is registered beside the
/// program's. Returns false, and changes nothing, if the
/// call or the registration is another than clang's for this host.
bool mergeLaunch(llvm::CallInst &Launch, const MergedForm &Form);

} // namespace sluice

#endif
