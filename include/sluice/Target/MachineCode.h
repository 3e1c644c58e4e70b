// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What stands in the machine code that ptxas has made.

#ifndef SLUICE_TARGET_MACHINECODE_H
#define SLUICE_TARGET_MACHINECODE_H

#include "sluice/Target/PTXAssembler.h"

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace sluice {

/// A kernel, with all functions that it calls, as nothing is linked to it.
struct KernelCode {
  llvm::StringRef Name;
  llvm::ArrayRef<uint8_t> Bytes;
  /// Of the section's header, which has registers and barriers.
  uint64_t Flags = 0;
  uint64_t Info = 0;
};

/// All of \p Cubin, which must outlive them.
llvm::Expected<std::vector<KernelCode>> readKernelCode(llvm::StringRef Cubin);

/// Counts the instructions of each of \p Kernels in \p Cubin. Where it cannot
/// be read, or is not for sm_70 to sm_90, whose encoding is known, they stay 0.
void countInstructions(llvm::StringRef Cubin, llvm::StringRef Arch,
                       llvm::StringMap<AssembledKernel> &Kernels);

} // namespace sluice

#endif
