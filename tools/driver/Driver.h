// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes the clang command line that sluice-clang++ runs.

#ifndef SLUICE_TOOLS_DRIVER_H
#define SLUICE_TOOLS_DRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

/// clang++ 22: $SLUICE_CLANG, clang++-22 on PATH, where LLVM was when Sluice
/// was built, clang++ on PATH if it is version 22. Otherwise an error that says
/// what to install.
llvm::Expected<std::string> findClang();

/// The folder of this build's or installation's libraries, Sluice.so among
/// them.
/// \p Argv0 is the running program, beside which it is looked for.
llvm::Expected<std::string> findLibraryFolder(const char *Argv0);

/// \p Args with the contents of its files of arguments (@FILE) in their places.
llvm::Expected<std::vector<std::string>>
expandArguments(llvm::ArrayRef<const char *> Args);

/// The command for the user's arguments: `--sluice-K=V` becomes a plugin
/// argument (after it has parsed), the plugin is loaded, sluice/functions.h
/// stands before CUDA sources, and where the user does not say them, the
/// toolkit's path, its include/cccl and its library folder are added. For
/// \p Argv0 see findLibraryFolder.
llvm::Expected<std::vector<std::string>>
clangCommand(llvm::ArrayRef<const char *> UserArgs, const char *Argv0);

/// Runs a command and returns its exit status; says why when it cannot.
int runCommand(llvm::ArrayRef<std::string> Command);

/// The same, with what it says on stderr in \p Said. \returns the exit status;
/// below 0 if the command could not be run or was ended by a signal.
int runQuietly(llvm::ArrayRef<std::string> Command, std::string &Said);

} // namespace sluice

#endif
