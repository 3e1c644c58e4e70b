// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Launches that choose a kernel by the length of its rows, in the host's
/// module.

#ifndef SLUICE_LIB_TRANSFORMS_SHORTLAUNCHES_H
#define SLUICE_LIB_TRANSFORMS_SHORTLAUNCHES_H

namespace llvm {
class CallInst;
} // namespace llvm

namespace sluice {

struct ShortRowsForm;

/// Lets \p Launch, in a stub, take the kernel for short rows where the
/// parameters say that they are; it is registered beside the program's. Returns
/// false, and changes nothing, if the call or the registration is another than
/// clang's for this host.
bool chooseByLength(llvm::CallInst &Launch, const ShortRowsForm &Form);

} // namespace sluice

#endif
