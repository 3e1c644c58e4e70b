// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice-clang++ --sluice-emulate`: compiles and links CUDA programs for the
/// emulator.

#ifndef SLUICE_TOOLS_EMULATORBUILD_H
#define SLUICE_TOOLS_EMULATORBUILD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

/// What the user's arguments ask for, as far as `sluice emulate` must know.
struct EmulatorRequest {
  std::vector<std::string> Inputs;
  std::string GPU; ///< Of the highest --cuda-gpu-arch; empty if there is none.
  std::string Output;    ///< Of -o.
  std::string NoProgram; ///< The option that says not to link ("-c"), if any.
  bool HasOptLevel = false;
};

/// Response files are expanded.
llvm::Expected<EmulatorRequest>
readEmulatorRequest(llvm::ArrayRef<std::string> UserArgs);

/// Takes `--sluice-emulate` out of the arguments, in which response files are
/// expanded; says whether it was there.
llvm::Expected<bool> takeEmulate(std::vector<std::string> &Args);

/// Compiles and links as \p UserArgs say. Each CUDA source is compiled for the
/// device to bitcode and then for the host with that embedded; links are to the
/// emulator's runtime in place of CUDA's. What makes no object or program (-E,
/// -S, -M, -fsyntax-only) is clang's alone. \returns the exit status; what goes
/// wrong has been said on stderr in the name of \p Tool.
int emulatorBuild(llvm::ArrayRef<std::string> UserArgs, const char *Argv0,
                  llvm::StringRef Tool);

} // namespace sluice

#endif
