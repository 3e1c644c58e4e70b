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

/// Its folder, the first of these that holds a toolkit: $CUDA_PATH; what
/// NVIDIA's wheels make in the Python environment that Sluice is installed in;
/// the one that Sluice was built with; that of the nvcc on PATH;
/// /usr/local/cuda; the wheels' in $VIRTUAL_ENV. If none does, one of these all
/// the same.
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
