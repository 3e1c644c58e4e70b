// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Registers and spills of a kernel, from assembling its PTX in process with
/// the toolkit's nvJitLink. No GPU is needed.

#ifndef SLUICE_TARGET_PTXASSEMBLER_H
#define SLUICE_TARGET_PTXASSEMBLER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace sluice {

/// What ptxas reports for one kernel.
struct AssembledKernel {
  unsigned Registers = 0;         ///< 32-bit registers of one thread.
  uint64_t SpillStoreBytes = 0;   ///< Of one thread.
  uint64_t SpillLoadBytes = 0;    ///< Of one thread.
  uint64_t StaticSharedBytes = 0; ///< Of one thread block.
  /// In the machine code of the kernel and of what it calls; 0: not known, as
  /// nvJitLink does not give it.
  uint64_t Instructions = 0;
  uint64_t Sums = 0;      ///< Of these: additions of `float` and `double`.
  uint64_t FusedSums = 0; ///< And those that a product is fused with.
  /// Of an iteration of each loop with many loads, or of all code where no loop
  /// has any: the cycles that a warp alone takes for it if a load takes 600, and
  /// its instructions and loads. 0: not known.
  uint64_t WaitCycles = 0, WaitInstructions = 0, WaitLoads = 0;

  uint64_t spilledBytes() const { return SpillStoreBytes + SpillLoadBytes; }
};

/// Assembles \p PTX for \p Arch ("sm_90") and returns what each kernel uses, by
/// its (mangled) name. Fails with a sentence when no libnvJitLink is found
/// (looked for under \p CudaPath, then where Sluice was built against, then by
/// the dynamic linker), or when the PTX does not assemble (the log is in it).
/// \p OptLevel is the assembler's, of 0 to 3.
llvm::Expected<llvm::StringMap<AssembledKernel>>
assemblePTX(llvm::StringRef PTX, llvm::StringRef Arch, llvm::StringRef CudaPath,
            unsigned OptLevel = 3);

/// A text that is other where the assembler that assemblePTX would use is
/// another: its file, with size and date. Fails as assemblePTX.
llvm::Expected<std::string> identifyAssembler(llvm::StringRef CudaPath);

} // namespace sluice

#endif
