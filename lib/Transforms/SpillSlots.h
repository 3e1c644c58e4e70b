// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Values of a kernel wait in shared memory, each thread's in slots of its own:
///
///   %v = fadd float %a, %b
///   store volatile float %v, ptr addrspace(3) %slot    ; slot * threads + tid
///   ...
///   %v.again = load volatile float, ptr addrspace(3) %slot
///   %w = fmul float %v.again, %c
///
/// Lanes of a warp are in 32 banks, also of slots of 8 bytes, of which half a
/// warp is served at a time. Volatile, as LLVM and ptxas would hand on what is
/// stored else.

#ifndef SLUICE_LIB_TRANSFORMS_SPILLSLOTS_H
#define SLUICE_LIB_TRANSFORMS_SPILLSLOTS_H

#include "sluice/Plan/WrongRewrite.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace sluice {

/// Who has slots.
struct SlotThreads {
  unsigned Threads = 0; ///< Of a block, at most.
  /// Blocks have one dimension; others do without.
  bool IsLine = false;
  /// No other block can come: else those run the code as it was.
  bool AreAll = false;
};

/// Why values of \p F cannot be in slots; empty: they can. With inline assembly
/// nobody knows: it may have labels, so that there can be no second copy of it
/// for other blocks, or write a register later (wgmma).
std::string whyNoSlots(const llvm::Function &F);

/// \p Values are of 4 or 8 bytes and have loads (loadsFor). Returns the bytes
/// of shared memory that are declared for them.
uint64_t spillToSlots(llvm::Function &F,
                      llvm::ArrayRef<llvm::Instruction *> Values,
                      const SlotThreads &Who, WrongRewrite Wrong);

} // namespace sluice

#endif
