// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// One run of sluice-nvcc: what was asked for, the tools that do it, and how
/// their commands are run or listed.

#ifndef SLUICE_TOOLS_NVCC_SESSION_H
#define SLUICE_TOOLS_NVCC_SESSION_H

#include "Architectures.h"
#include "CommandLine.h"
#include "TemporaryFolder.h"

namespace sluice::nvcc {

using Command = std::vector<std::string>;

/// As a shell would take it.
std::string shellText(const Command &C);

class Session {
public:
  /// Finds the toolkit and the host compiler. For \p Argv0 see
  /// findLibraryFolder.
  static llvm::Expected<std::unique_ptr<Session>> create(CommandLine Line,
                                                         const char *Argv0);

  CommandLine Line;
  Architectures Archs;
  const char *Argv0;
  std::string Toolkit;
  unsigned Cuda;            ///< 13000 for 13.0.
  std::string HostCompiler; ///< As it is called, "g++".
  std::string Header;       ///< sluice/nvcc.h.
  std::string Nvcc; ///< For what clang cannot do; empty if there is none.
  TemporaryFolder Temporary;

  bool dryRun() const { return Line.has(Opt::DryRun); }
  bool lists() const { return dryRun() || Line.has(Opt::Verbose); }

  /// Runs it unless the run is dry, and lists it where that is asked for.
  /// \returns the exit status.
  int run(const Command &C) const;
  /// The same, with what it says on stderr in \p Said and not on the terminal.
  int runQuietly(const Command &C, std::string &Said);

  /// "-L..." for the toolkit's libraries, with those that only link.
  std::vector<std::string> libraryFolders() const;

  /// Prints a warning in sluice-nvcc's name.
  void warn(const llvm::Twine &Text) const;

  /// A new name for an intermediate file of the input \p Input.
  std::string intermediate(llvm::StringRef Input, llvm::StringRef Ending);

private:
  Session(CommandLine Line, const char *Argv0)
      : Line(std::move(Line)), Argv0(Argv0) {}
  void list(const Command &C) const;

  std::vector<std::string> Intermediates;
};

/// Prints the "#$ NAME=value" lines that build systems look for in what nvcc
/// says with -v and -dryrun.
void listVariables(const Session &S);

} // namespace sluice::nvcc

#endif
