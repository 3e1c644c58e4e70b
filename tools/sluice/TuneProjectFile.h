// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice tune --project=tune.toml` is to tune, and on what
/// (docs/tuning-projects.md); `sluice compare --project` reads the same.

#ifndef SLUICE_TOOLS_SLUICE_TUNEPROJECTFILE_H
#define SLUICE_TOOLS_SLUICE_TUNEPROJECTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace sluice {

/// A `[[program]]`: one source. Each of its builds gets a plan file.
struct ProjectProgram {
  std::string Name; ///< Default: the source's, without its folder and ending.
  std::string Source;
  std::vector<std::string> Options; ///< Clang's and `--sluice-` ones.
  /// The program runs with each of these; it has one at least.
  std::vector<std::vector<std::string>> Arguments;
  /// In their place: what runs the program, which was built elsewhere.
  std::vector<std::string> Commands;
  /// Options that come last, by the build's name; one without a name if the
  /// file names none.
  std::map<std::string, std::vector<std::string>> Builds;
};

/// A `[[workers]]`: GPUs of one kind.
struct ProjectWorkers {
  std::string Name;         ///< Default: the architecture.
  std::string Architecture; ///< "sm_90"
  unsigned Count = 0;       ///< At work at a time; 0: the engine is asked.
  std::vector<std::string> Slurm; ///< Options of srun that ask for one.
  std::string Ray;                ///< Ray's accelerator type; empty: any.
  std::vector<std::string> Devices = {}; ///< CUDA_VISIBLE_DEVICES of each.
};

struct TuneProjectFile {
  std::vector<ProjectProgram> Programs;
  std::vector<ProjectWorkers> Workers; ///< Empty: this machine's.
};

/// Reads the TOML file \p Path. An error begins with file, line and column.
llvm::Expected<TuneProjectFile> readTuneProject(const std::string &Path);

/// A program to be run: a build of it, on one kind of GPU, with one list of
/// arguments.
struct ProjectCase {
  std::string Name;   ///< For people, and of files: no other case has it.
  std::string Source; ///< Also among ForClang, which names the GPU.
  std::string Build;  ///< "solver.float": the program's name and the build's.
  std::vector<std::string> ForClang, ForProgram;
  std::string Command; ///< In place of ForProgram, if not empty.
  ProjectWorkers Workers;
};

/// All cases of a file on \p Workers, in the file's order.
std::vector<ProjectCase> casesOf(llvm::ArrayRef<ProjectProgram> Programs,
                                 llvm::ArrayRef<ProjectWorkers> Workers);

} // namespace sluice

#endif
