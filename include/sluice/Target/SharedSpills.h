// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What the assembler makes of a kernel that may spill to shared memory
/// (KernelDirectives.h, enableSharedSpills), and whether that costs a block on
/// an SM (Xie et al., section 5.3: only memory that is to spare is taken).

#ifndef SLUICE_TARGET_SHAREDSPILLS_H
#define SLUICE_TARGET_SHAREDSPILLS_H

#include "sluice/Target/AssemblyCache.h"
#include "sluice/Target/LaunchShape.h"
#include "llvm/ADT/StringSet.h"

namespace sluice {

/// PTX, and its kernels that may.
struct SharedSpillRequest {
  AssemblyRequest Code;
  llvm::StringSet<> Kernels;
};

/// Of each request the code of its kernels, less those that the assembler
/// refuses: those with calls or dynamic shared memory, and all of code that is
/// to be linked. A kernel that is refused ends the assembler's run, so that
/// each is tried alone then.
std::vector<AssembledKernels>
assembleSharedSpills(const AssemblyCache &Cache,
                     llvm::ArrayRef<SharedSpillRequest> Requests);

/// Why \p Shared is not to be taken in place of \p Local, as the rest of a
/// sentence; empty: it is. \p Launches: all of the kernel's.
std::string whyNotShared(const GPUModel &GPU, unsigned SMs,
                         llvm::ArrayRef<LaunchShape> Launches,
                         const AssembledKernel &Local,
                         const AssembledKernel &Shared);

/// Bytes that each block of \p Code could declare besides, with as many blocks
/// of \p Launches on an SM (the paper's SpareShmSize).
uint64_t spareSharedBytes(const GPUModel &GPU, unsigned SMs,
                          llvm::ArrayRef<LaunchShape> Launches,
                          const AssembledKernel &Code);

} // namespace sluice

#endif
