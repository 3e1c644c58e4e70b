// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which GPUs a project is measured on.

#ifndef SLUICE_TOOLS_SLUICE_TUNEWORKERS_H
#define SLUICE_TOOLS_SLUICE_TUNEWORKERS_H

#include "TuneProjectFile.h"
#include "llvm/ADT/StringRef.h"

namespace sluice {

/// Fills in what the project does not say of its \p Workers. Where it names
/// none they are this machine's GPUs, a kind for each chip, or with another
/// engine than "local" whatever that has. \p GPUs: "all", or numbers of this
/// machine's.
llvm::Error findWorkers(std::vector<ProjectWorkers> &Workers,
                        llvm::StringRef Engine, llvm::StringRef GPUs);

} // namespace sluice

#endif
