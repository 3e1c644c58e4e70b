// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A finding as a file: a source whose comments say how it is compiled and run.

#ifndef SLUICE_TOOLS_FUZZ_REPORT_H
#define SLUICE_TOOLS_FUZZ_REPORT_H

#include "Check.h"

namespace sluice::fuzz {

/// The text of a lit test that fails as long as there is the finding.
/// \p Origin: seed and number.
std::string writeCase(const Kernel &K, const Settings &How,
                      const KernelResult &Result, llvm::StringRef Origin);

/// What writeCase wrote, perhaps edited.
struct Case {
  Settings How;
  emulator::ModuleDescription Description;
};
llvm::Expected<Case> readCase(llvm::StringRef Path, llvm::StringRef Text);

} // namespace sluice::fuzz

#endif
