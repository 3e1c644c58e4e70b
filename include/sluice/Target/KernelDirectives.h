// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What PTX says of a kernel beside its code (PTX ISA, "Performance-Tuning
/// Directives"), and PTX with another limit of registers:
///
///     .visible .entry k(.param .u64 p)
///     .maxntid 256              __launch_bounds__(256, 2)
///     .minnctapersm 2
///     .maxnreg 40               what limitRegisters() puts there
///     {
///
/// So one compile serves all limits that are to be tried.

#ifndef SLUICE_TARGET_KERNELDIRECTIVES_H
#define SLUICE_TARGET_KERNELDIRECTIVES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>

namespace sluice {

struct KernelDirectives {
  std::optional<unsigned> Threads; ///< Of a block, at most or exactly.
  std::optional<unsigned> MinBlocksPerSM;
  std::optional<unsigned> MaxRegisters;

  /// Does the source say of registers what a limit would contradict?
  bool boundRegisters() const { return Threads || MaxRegisters; }
};

/// Of each kernel in \p PTX, by its name.
llvm::StringMap<KernelDirectives> directivesOf(llvm::StringRef PTX);

/// \p PTX with a limit for each kernel that \p Limits names, in place of its
/// own.
std::string limitRegisters(llvm::StringRef PTX,
                           const llvm::StringMap<unsigned> &Limits);

/// What lets ptxas spill to shared memory, from CUDA 13 on (PTX ISA, "Pragma
/// Strings"), when it stands in a kernel's body.
inline constexpr llvm::StringLiteral SharedSpillsPragma =
    ".pragma \"enable_smem_spilling\";";

/// \p PTX with it in each of \p Kernels.
std::string enableSharedSpills(llvm::StringRef PTX,
                               const llvm::StringSet<> &Kernels);

} // namespace sluice

#endif
