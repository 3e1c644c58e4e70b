// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The CUDA toolkit that the tools use.

#ifndef SLUICE_TOOLS_TOOLKIT_H
#define SLUICE_TOOLS_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace sluice {

/// Its folder: $CUDA_PATH if that holds a toolkit, else the one that Sluice was
/// built with, whether it is still there or not.
std::string findToolkit();

/// \p Name in the toolkit's bin, else on PATH; empty if there is none.
std::string findToolkitProgram(llvm::StringRef Toolkit, llvm::StringRef Name);

/// 13000 for CUDA 13.0, as CUDA_VERSION of its cuda.h; 0 if that is not there.
unsigned toolkitVersion(llvm::StringRef Toolkit);

/// What \p Command prints on stdout; empty if it fails.
std::string outputOf(const std::vector<std::string> &Command);

/// nvcc of the toolkit or on PATH, unless that leads to \p Self; empty if there
/// is none.
std::string findNvcc(llvm::StringRef Toolkit, llvm::StringRef Self);

} // namespace sluice

#endif
