// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// `sluice compare --project`: many programs. Their folder has
///
///   FOLDER/NAME/         a program's round (VariantRound.h)
///   FOLDER/NAME/key      what it was compiled from
///   FOLDER/NAME/ended    how its run ended: "0", another exit status, or why
///   FOLDER/compare.json  the programs in their order; why one has no round
///   FOLDER/programs      the names of those that have, a line each
///   FOLDER/run.sh        measures them, on whatever machine it is

#ifndef SLUICE_TOOLS_SLUICE_COMPAREPROJECT_H
#define SLUICE_TOOLS_SLUICE_COMPAREPROJECT_H

#include "CompareRound.h"

namespace sluice {

struct CompareProjectArguments {
  CompareHow How;
  std::string File;
  std::string Engine, GPUs; ///< Empty: local, all.
  double Limit = 0;         ///< Of a program, in seconds; 0: 600.
  std::string Folder;       ///< Empty: beside the project.
  std::string Export;       ///< The folder, where another machine measures.
  std::string Json;
};

/// Compiles all programs, and, without Export, measures and shows them. A
/// program whose folder is of the same code and has been measured is not
/// measured again. For \p Argv0 see findLibraryFolder. The error says what
/// could not begin; false: some programs are not compared, which is printed.
llvm::Expected<bool> compareProject(CompareProjectArguments A,
                                    const char *Argv0);

/// Is \p Folder one of many programs?
bool isComparedList(const std::string &Folder);

/// Prints what was measured there. False as above.
llvm::Expected<bool> showComparedList(const std::string &Folder,
                                      const std::string &Json);

} // namespace sluice

#endif
