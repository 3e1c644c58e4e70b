// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Remarks from the front end, through the same flags as LLVM's own:
/// -Rpass=sluice, -Rpass-missed=sluice, -Rpass-analysis=sluice, and
/// -fsave-optimization-record.

#ifndef SLUICE_FRONTEND_REMARKS_H
#define SLUICE_FRONTEND_REMARKS_H

#include "sluice/Plan/Remark.h"

namespace clang {
class CompilerInstance;
} // namespace clang
namespace llvm {
class Module;
} // namespace llvm

namespace sluice {

/// Prints \p R as clang prints a backend's remark, if the user asked for such.
void printRemark(clang::CompilerInstance &CI, const Remark &R);

/// Keeps \p R for recordRemarks.
void keepRemark(const Remark &R);

/// Both.
void emitRemark(clang::CompilerInstance &CI, const Remark &R);

/// Writes the remarks that were kept for \p M's kernels in this process into
/// the module's optimisation record, if it has one, and forgets them.
void recordRemarks(llvm::Module &M);

} // namespace sluice

#endif
