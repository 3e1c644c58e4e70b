// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice profile` is told when it runs a program, or simulates what one
/// did.

#ifndef SLUICE_TOOLS_SLUICE_PROFILEARGUMENTS_H
#define SLUICE_TOOLS_SLUICE_PROFILEARGUMENTS_H

#include "ProfileView.h"
#include "sluice/Simulator/Simulator.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace sluice {

struct ProfileArguments {
  std::string Settings; ///< Of SLUICE_EMULATE, but for files.
  std::string GPU;
  std::optional<uint64_t> L1KiB;
  std::optional<WarpScheduler> Scheduler;
  bool Pairs = true;
  bool CachedWarps = false;
  std::string Kernel, NotKernel;
  std::string Output; ///< The profile's file; empty: none is kept.
  std::string Folder; ///< Where it is kept for compiles; empty: nowhere.
  std::string Trace;  ///< The trace's file; empty: none is kept.
  ProfileView View;
  bool AnnotateAll = false; ///< --annotate without a file: what is compiled.

  std::string Replay; ///< The trace to be simulated; empty: a program is run.
  std::optional<L1Hint> Hint;
  unsigned Throttle = 1;
  std::optional<unsigned> Blocks;
  bool Launches = false; ///< Each launch by itself, as JSON.

  std::vector<std::string> ForClang;
  std::vector<std::string> ForProgram;
  bool Help = false; ///< It is asked for, and the rest does not matter.
};

llvm::Expected<ProfileArguments>
readProfileArguments(llvm::ArrayRef<const char *> Args);

void printProfileHelp(llvm::raw_ostream &OS);

} // namespace sluice

#endif
