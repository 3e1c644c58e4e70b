// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The user's compile, which is for clang, by nvcc: to compare with.

#ifndef SLUICE_TOOLS_SLUICE_NVCCCOMPILE_H
#define SLUICE_TOOLS_SLUICE_NVCCCOMPILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

/// nvcc's words for a user's options for clang and for Sluice.
struct NvccWords {
  std::vector<std::string> Words;
  /// Options that change code and have no name in nvcc that we know.
  std::vector<std::string> Unknown;
};

NvccWords nvccWords(llvm::ArrayRef<std::string> ForClang);

/// Compiles device code to a cubin by \p Nvcc; \p Words are nvccWords' and the
/// user's own. What the assembler says is in \p Output.log. The error has what
/// nvcc said.
llvm::Error compileByNvcc(const std::string &Nvcc,
                          llvm::ArrayRef<std::string> Words,
                          const std::string &Output);

} // namespace sluice

#endif
