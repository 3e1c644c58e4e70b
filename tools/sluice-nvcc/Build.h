// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From inputs to outputs: which command makes what of which file.

#ifndef SLUICE_TOOLS_NVCC_BUILD_H
#define SLUICE_TOOLS_NVCC_BUILD_H

#include "Session.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sluice::nvcc {

/// Does what the command line asks for. \returns the exit status; what goes
/// wrong has been said.
int build(Session &S);

/// Compiles a CUDA source to an object by clang; by nvcc if clang cannot.
int compileCuda(Session &S, llvm::StringRef Input, llvm::StringRef Object);

/// nvcc with all that was asked for, in place of this program.
int runNvcc(Session &S, const llvm::Twine &Why);

/// nvcc for one input. \p Last says what to make of it and where.
int compileByNvcc(Session &S, llvm::StringRef Input,
                  const std::vector<std::string> &Last);

/// Compiles by clang. If it fails and nvcc may take over, that is done, with a
/// warning that has clang's first error in it. \p Clang and \p Nvcc are the
/// two's arguments. \p WhyNot looks at what clang made, and says what speaks
/// against it; empty: nothing. \p ByNvcc: whether nvcc did it.
int clangElseNvcc(
    Session &S, const std::vector<std::string> &Clang, llvm::StringRef Input,
    const std::vector<std::string> &Nvcc,
    llvm::function_ref<std::string()> WhyNot = [] { return std::string(); },
    bool *ByNvcc = nullptr);

} // namespace sluice::nvcc

#endif
