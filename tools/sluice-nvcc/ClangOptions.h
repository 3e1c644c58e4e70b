// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What nvcc's options are for clang.

#ifndef SLUICE_TOOLS_NVCC_CLANGOPTIONS_H
#define SLUICE_TOOLS_NVCC_CLANGOPTIONS_H

#include "Session.h"

namespace sluice::nvcc {

/// For what is the command?
enum class CudaPass {
  Object, ///< Host code with device code of all architectures in it.
  Ptx,    ///< Device code of one architecture, as PTX.
  Text,   ///< The preprocessor alone, for device code of one architecture.
  Host,   ///< The preprocessor alone, or the list of headers, of host code.
};

/// Arguments of sluice-clang++ for a CUDA source, but for its name, what to
/// make (-c, -S, ...) and the output. \p Arch: the one of CudaPass::Ptx and
/// Text.
std::vector<std::string> clangOptions(const Session &S, CudaPass Pass,
                                      llvm::StringRef Arch = "");

/// The macros by which sources, and CMake, know nvcc.
std::vector<std::string> nvccMacros(const Session &S);

/// ptxas for the code that clang made of an architecture.
Command assemble(const Session &S, llvm::StringRef Ptx, llvm::StringRef Arch,
                 llvm::StringRef Cubin);

/// Options of the host compiler, for clang's compile of a CUDA source: what is
/// for the linker is left out, macros and header folders are for both sides,
/// the rest for host code.
std::vector<std::string> hostOptionsForClang(llvm::ArrayRef<std::string> Words);

} // namespace sluice::nvcc

#endif
