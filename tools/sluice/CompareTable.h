// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice compare` shows of its measurements.

#ifndef SLUICE_TOOLS_SLUICE_COMPARETABLE_H
#define SLUICE_TOOLS_SLUICE_COMPARETABLE_H

#include "sluice/Tuning/VariantRound.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice {

/// A table for each kernel, the one that takes most of the time first, and the
/// sum of it.
void printComparison(llvm::raw_ostream &OS, const VariantResults &Results);

/// What of it is a bug of Sluice, a warning each.
void warnOfWrongResults(llvm::raw_ostream &OS, const VariantResults &Results);

/// As `benchmarks/run` has them (docs/internals/benchmarks.md), so that `sluice
/// report --results` reads it.
llvm::Error writeComparison(const std::string &Path,
                            const VariantResults &Results);

} // namespace sluice

#endif
