// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What all folders have that the replay library measures: its runner, its
/// job's settings, and the lines that come out.

#ifndef SLUICE_LIB_TUNING_REPLAYFOLDER_H
#define SLUICE_LIB_TUNING_REPLAYFOLDER_H

#include "sluice/Tuning/ReplayRound.h"
#include "llvm/Support/JSON.h"

namespace sluice {

std::string pathIn(llvm::StringRef Folder, const llvm::Twine &Name);

llvm::Error writeFile(const std::string &Path, llvm::StringRef Text);

/// The lines of a job that say how to measure.
std::string jobSettings(const RoundOptions &Options);

/// Writes run.sh, and SluiceReplay.so beside it.
llvm::Error writeRunner(const RoundOptions &Options);

/// Gives \p Take each line of the folder's results.jsonl, in their order.
llvm::Error
readResults(llvm::StringRef Folder,
            llvm::function_ref<void(const llvm::json::Object &)> Take);

/// The median of a line's "ms"; of an even number the upper one. With the
/// number of them; 0 and 0: there are none.
std::pair<double, unsigned> medianTime(const llvm::json::Object &Line);

} // namespace sluice

#endif
