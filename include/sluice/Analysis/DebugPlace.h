// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// From debug locations to source places.

#ifndef SLUICE_ANALYSIS_DEBUGPLACE_H
#define SLUICE_ANALYSIS_DEBUGPLACE_H

#include "sluice/Analysis/SourcePlace.h"

namespace llvm {
class DILocation;
class Function;
class Loop;
} // namespace llvm

namespace sluice {

/// The place of \p Location itself, in whatever function it was written.
SourcePlace placeOf(const llvm::DILocation *Location);

/// Place and inlined-at chain; the ordinal stays 0. Null: an unknown place.
CodeId codeIdOf(const llvm::DILocation *Location);

/// From where in the body of \p Kernel the code at \p Location is reached.
/// Unknown also for what stands in a file that the body includes.
SourcePlace kernelPlaceOf(const llvm::DILocation *Location,
                          const llvm::Function &Kernel);

/// Where a loop statement begins: of the loop's own metadata, which clang
/// writes, else of its preheader or header.
CodeId codeIdOf(const llvm::Loop &L);

} // namespace sluice

#endif
