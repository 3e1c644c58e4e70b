// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The command line of a build for the emulator. clang's own table of options
/// tells inputs, options and their values apart.

#ifndef SLUICE_TOOLS_EMULATORCOMMANDLINE_H
#define SLUICE_TOOLS_EMULATORCOMMANDLINE_H

#include "clang/Driver/Types.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace sluice {

struct Input {
  std::string Path;
  clang::driver::types::ID
      Type; ///< TY_INVALID: clang's to decide; objects, for instance.

  bool isCuda() const {
    return Type == clang::driver::types::TY_CUDA ||
           Type == clang::driver::types::TY_PP_CUDA ||
           Type == clang::driver::types::TY_CUDA_DEVICE;
  }
};

/// A parsed command line, one entry of Inputs for each OPT_INPUT in order.
struct CommandLine {
  llvm::BumpPtrAllocator Storage;
  llvm::SmallVector<const char *, 64> Text;
  std::unique_ptr<llvm::opt::InputArgList> Args;
  std::vector<Input> Inputs;
  /// The last option that asks for something else than an object or a program.
  const llvm::opt::Arg *Special = nullptr;

  bool has(clang::options::ID Id) const { return Args->hasArg(Id); }
};

llvm::Expected<std::unique_ptr<CommandLine>>
parseCommandLine(llvm::ArrayRef<std::string> UserArgs);

/// The highest of the architectures: clang makes code for each, the emulator
/// runs one. Empty if the user gives none.
std::string chosenGPU(const llvm::opt::InputArgList &Args);

/// What a command line for clang is for.
enum class ClangPass { Device, Host, Link };

/// Is the option (an input, -o and the like are not asked about) part of the
/// command line of \p P? Unused ones do no harm, see -Qunused-arguments.
bool belongsTo(const llvm::opt::Arg &A, ClangPass P);

} // namespace sluice

#endif
