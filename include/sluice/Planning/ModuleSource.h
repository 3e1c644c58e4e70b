// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a module itself says of its source, for who has no clang: IR of MLIR,
/// Triton, Julia, Numba, flang, or by hand.

#ifndef SLUICE_PLANNING_MODULESOURCE_H
#define SLUICE_PLANNING_MODULESOURCE_H

#include "sluice/Planning/SourceFacts.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// A kernel's attribute with its launches, as launchText writes them, separated
/// by spaces:
///
///   attributes #0 = { "sluice-launches"="1056:256 ?:32x8:4096" }
inline constexpr llvm::StringLiteral LaunchesAttribute = "sluice-launches";

/// GRID:BLOCK[:SMEM]: X, XxY or XxYxZ each, with `?` for a size that is not
/// known; dynamic shared memory in bytes, 0 where it is not written.
std::string launchText(const LaunchConfig &Launch);

/// The reverse; none: \p Text is malformed, or a block has too many threads.
std::optional<LaunchConfig> parseLaunchText(llvm::StringRef Text);

/// The kernels of \p M (KernelFunction.h) with their launch bounds
/// (nvvm.maxntid, nvvm.minctasm) and their launches (LaunchesAttribute). Where
/// that says none and a block's size is demanded (nvvm.reqntid), a launch of a
/// grid that is not known. There is no text, so there are no regions for turns.
/// \p Warnings gets what is malformed.
SourceFacts sourceFactsOf(const llvm::Module &M,
                          std::vector<std::string> &Warnings);

} // namespace sluice

#endif
