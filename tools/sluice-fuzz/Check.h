// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Runs kernels with and without a transform and says how they differ.

#ifndef SLUICE_TOOLS_FUZZ_CHECK_H
#define SLUICE_TOOLS_FUZZ_CHECK_H

#include "Compile.h"
#include "Kernel.h"

namespace sluice::fuzz {

enum class Finding {
  None,
  BadKernel,     ///< The generator's fault, or plain clang's or the emulator's:
                 ///< without the transform there is an error.
  PlainCrash,    ///< The emulator crashes or hangs without the transform.
  Difference,    ///< Both ran, to different results.
  Error,         ///< Only the transformed run has an error.
  Crash,         ///< The emulator crashes or hangs on the transformed code.
  CompileFailed, ///< Only with the transform.
  Code, ///< Cache hints change more of the code than the loads that have them.
};

/// Was nothing amiss without the transform, and was it run?
bool isOfTransform(Finding F);

/// As the name of a file.
llvm::StringRef nameOf(Finding F);

struct KernelResult {
  Finding Found = Finding::None;
  bool Changed = false; ///< The transform did something to its code.
  std::string Details;
  bool Limited = false; ///< Its thread blocks are limited (HostRecord.h).
};

/// One result for each kernel.
std::vector<KernelResult> check(const Environment &Where, const Settings &How,
                                llvm::ArrayRef<Kernel> Kernels);

/// The same for a source with a description. Kernels there may be called by a
/// part of their mangled names.
KernelResult checkSource(const Environment &Where, const Settings &How,
                         llvm::StringRef Source,
                         emulator::ModuleDescription Description);

} // namespace sluice::fuzz

#endif
