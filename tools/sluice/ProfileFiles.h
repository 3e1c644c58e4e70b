// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice profile` does with profiles that are there already. Each takes
/// the arguments behind its own name and returns the exit status: 0, or 1 after
/// a message on stderr.

#ifndef SLUICE_TOOLS_SLUICE_PROFILEFILES_H
#define SLUICE_TOOLS_SLUICE_PROFILEFILES_H

#include "llvm/ADT/ArrayRef.h"

namespace sluice {

/// `sluice profile merge A.yaml B.yaml -o C.yaml`: several runs as one profile.
int profileMergeMain(llvm::ArrayRef<const char *> Args);

/// `sluice profile show FILE.yaml`: a profile as a table, as JSON or beside its
/// source.
int profileShowMain(llvm::ArrayRef<const char *> Args);

} // namespace sluice

#endif
