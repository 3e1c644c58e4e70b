// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The user's compile with other ends, for `sluice tune` and `sluice compare`.

#ifndef SLUICE_TOOLS_SLUICE_TUNECOMPILER_H
#define SLUICE_TOOLS_SLUICE_TUNECOMPILER_H

#include "sluice/Plan/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace sluice {

class TuneCompiler {
public:
  /// \p ForClang: the user's options and files; it must live as long. For
  /// \p Argv0 see findLibraryFolder. \p Log: a file for what clang says, where
  /// a function has none of its own beside its output.
  TuneCompiler(llvm::ArrayRef<std::string> ForClang, const char *Argv0,
               std::string Log)
      : ForClang(ForClang), Argv0(Argv0), Log(std::move(Log)) {}

  /// The plan that would be carried out; goes through \p File. This, the images
  /// and the PTX may be made by several threads at a time.
  llvm::Expected<Plan> staticPlan(const std::string &File) const;
  /// The device code alone. Without Sluice if \p PlanFile is empty. \p Header:
  /// what parsedHeader() made, or "".
  llvm::Error image(const std::string &PlanFile, const std::string &Output,
                    const std::string &Header = "") const;
  /// What clang reads before the source, the toolkit's headers mostly, which is
  /// most of the work of a compile.
  llvm::Error parsedHeader(const std::string &Output) const;
  /// What it depends on.
  std::string headerOptions() const;
  /// Who decides: nobody, the planner by the code alone, or with the profile
  /// or the plan that the user's options name.
  enum class Decides { Nobody, Planner, Profile, Plan };
  /// The device code, and in \p Output.log what the assembler says of it.
  llvm::Error image(Decides Who, const std::string &Output) const;
  /// The device code as clang's preprocessor leaves it, with notes of all else
  /// that Sluice reads: the plugin, a profile, a plan.
  llvm::Error preprocessed(const std::string &Output) const;
  /// Its PTX without Sluice.
  llvm::Error assembly(const std::string &Output) const;
  /// Writes the remarks of the pass \p Pass, as the options have it, to
  /// \p File.
  llvm::Error record(const std::string &Pass, const std::string &File) const;
  /// Device code and program as the options have them.
  llvm::Error imageAsSaid(const std::string &Output) const;
  llvm::Error programAsSaid(const std::string &Output) const;
  /// The program without Sluice. It needs the driver's library only.
  llvm::Error program(const std::string &Output) const;
  /// The same as clang makes it.
  llvm::Error clangsProgram(const std::string &Output) const;
  /// What results depend on: compiler and options, not where the files are.
  std::string describe() const;

private:
  /// Which of the user's options for Sluice.
  enum class User {
    All,
    AllUntuned,
    ButPlannerOptions,
    ButPlan,
    ButPlanAndProfile,
    None,
  };
  llvm::Expected<std::vector<std::string>>
  headerCommand(const std::string &Output) const;
  llvm::Expected<std::vector<std::string>>
  command(const std::vector<std::string> &Last, User Options) const;
  llvm::Error run(const std::vector<std::string> &Last,
                  const std::string &LogFile, User Options = User::All) const;
  static llvm::Error runLogged(llvm::ArrayRef<std::string> Command,
                               const std::string &LogFile);

  llvm::ArrayRef<std::string> ForClang;
  const char *Argv0;
  std::string Log;
};

} // namespace sluice

#endif
