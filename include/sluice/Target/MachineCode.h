// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What stands in the machine code that ptxas has made.

#ifndef SLUICE_TARGET_MACHINECODE_H
#define SLUICE_TARGET_MACHINECODE_H

#include "sluice/Target/PTXAssembler.h"

namespace sluice {

/// Counts the instructions of each of \p Kernels in \p Cubin. Where it cannot
/// be read, or is not for sm_70 to sm_90, whose encoding is known, they stay 0.
void countInstructions(llvm::StringRef Cubin, llvm::StringRef Arch,
                       llvm::StringMap<AssembledKernel> &Kernels);

} // namespace sluice

#endif
