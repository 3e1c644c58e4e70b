// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A program's kernels by clang, nvcc and Sluice in a folder, ready to be
/// measured (VariantRound.h).

#ifndef SLUICE_TOOLS_SLUICE_COMPAREROUND_H
#define SLUICE_TOOLS_SLUICE_COMPAREROUND_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sluice {

/// How all programs of a comparison are compiled and measured.
struct CompareHow {
  std::string Nvcc; ///< Its path; "off": without; empty: the toolkit's.
  std::string NvccOptions;
  unsigned Rounds = 7, Launches = 4;
  /// Is it measured on this machine, in the current folder? Or else in the
  /// folder itself, wherever that is brought.
  bool IsHere = true;
};

struct ComparedProgram {
  std::vector<std::string> ForClang; ///< Of deviceOptions.
  std::vector<std::string> ForProgram;
  std::string Command; ///< In place of a program of ours, if not empty.
};

/// Compiles all variants and the program into \p Folder, which is made. The
/// number of variants. Notes and warnings on standard error begin with \p Tool.
/// For \p Argv0 see findLibraryFolder.
llvm::Expected<size_t> writeCompareRound(const ComparedProgram &Program,
                                         const CompareHow &How,
                                         const std::string &Folder,
                                         const std::string &Tool,
                                         const char *Argv0);

/// The nvcc that \p How means for a compile with \p ForClang; empty: there is
/// none.
std::string nvccOf(const CompareHow &How,
                   const std::vector<std::string> &ForClang);

/// What a run of the folder that measured no kernel leaves to say: \p Ended is
/// the exit status, or what became of it.
std::string whyNothingRan(const std::string &Folder, const std::string &Ended);

} // namespace sluice

#endif
