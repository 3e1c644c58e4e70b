// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The user's compile with other ends, for `sluice tune`.

#ifndef SLUICE_TOOLS_SLUICE_TUNECOMPILER_H
#define SLUICE_TOOLS_SLUICE_TUNECOMPILER_H

#include "TuneArguments.h"
#include "sluice/Plan/Plan.h"

namespace sluice {

class TuneCompiler {
public:
  /// For \p Argv0 see findLibraryFolder. \p Log: a file for what clang says.
  TuneCompiler(const TuneArguments &Arguments, const char *Argv0,
               std::string Log)
      : Arguments(Arguments), Argv0(Argv0), Log(std::move(Log)) {}

  /// The plan that would be carried out; goes through \p File.
  llvm::Expected<Plan> staticPlan(const std::string &File) const;
  /// The device code alone. Without Sluice if \p PlanFile is empty.
  llvm::Error image(const std::string &PlanFile,
                    const std::string &Output) const;
  /// Its PTX without Sluice.
  llvm::Error assembly(const std::string &Output) const;
  /// The program without Sluice. It needs the driver's library only.
  llvm::Error program(const std::string &Output) const;
  /// What results depend on: compiler and options, not where the files are.
  std::string describe() const;

private:
  enum class User { All, AllUntuned, ButPlannerOptions };
  llvm::Error run(const std::vector<std::string> &Last,
                  const std::string &LogFile, User Options = User::All) const;

  const TuneArguments &Arguments;
  const char *Argv0;
  std::string Log;
};

} // namespace sluice

#endif
