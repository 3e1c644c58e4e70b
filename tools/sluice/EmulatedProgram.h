// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The program that `sluice emulate` and `sluice profile` run: one that is
/// there, or built for the time of the run.

#ifndef SLUICE_TOOLS_SLUICE_EMULATEDPROGRAM_H
#define SLUICE_TOOLS_SLUICE_EMULATEDPROGRAM_H

#include "EmulatorBuild.h"
#include "TemporaryFolder.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

/// Joins "Name=Value" to \p Settings, the text of SLUICE_EMULATE.
llvm::Error addEmulatorSetting(std::string &Settings, llvm::StringRef Name,
                               llvm::StringRef Value);

struct EmulatedProgram {
  std::string Path;                  ///< Of the program.
  std::string GPU;                   ///< Asked for; empty: the default.
  std::vector<std::string> ForClang; ///< With what was added to build it.
  std::vector<std::string> Sources;  ///< CUDA sources among them.
  bool IsBuilt = false;              ///< From sources; else it was there.
};

/// What \p ForClang, the arguments that no option of \p Tool took, ask to run:
/// sources or a program. \p GPU is the value of --gpu, or empty. Nothing is
/// built yet. Errors say why nothing can be run.
llvm::Expected<EmulatedProgram>
findEmulatedProgram(std::vector<std::string> ForClang, llvm::StringRef GPU,
                    llvm::StringRef Tool);

/// Builds it in \p Folder, or where -o says, unless it is there already. The
/// exit status; what goes wrong has been said.
int buildEmulatedProgram(EmulatedProgram &Program,
                         const TemporaryFolder &Folder, const char *Argv0,
                         llvm::StringRef Tool);

/// Runs a program with SLUICE_EMULATE=\p Settings, passes signals on to it, and
/// returns its exit status as shells do. \p SaysInto: the file that its output
/// goes to, if not ours.
int runEmulatedProgram(const std::string &Path,
                       const std::vector<std::string> &Args,
                       const std::string &Settings, llvm::StringRef Tool,
                       const std::string &SaysInto = "");

} // namespace sluice

#endif
