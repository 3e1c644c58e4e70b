// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice tune --project=tune.toml` is to tune, and on what
/// (docs/tuning-projects.md).

#ifndef SLUICE_TOOLS_SLUICE_TUNEPROJECTFILE_H
#define SLUICE_TOOLS_SLUICE_TUNEPROJECTFILE_H

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

} // namespace sluice

#endif
