// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// A profile for its reader: as a table, beside the source, and as JSON.

#ifndef SLUICE_ANALYSIS_PROFILEREPORT_H
#define SLUICE_ANALYSIS_PROFILEREPORT_H

#include "sluice/Analysis/Profile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

/// What one warp's request had to fetch, against what it used.
struct L2Efficiency {
  /// Useful bytes / bytes of the sectors that missed: what came from the L2.
  /// More than 1 where lines are used again. None: nothing missed.
  std::optional<double> Cached;
  /// Useful bytes / bytes of all sectors: what it would be without an L1.
  std::optional<double> Uncached;
};

L2Efficiency l2Efficiency(const AccessCounts &Counts);

/// The least number of lines, a power of 2 or 0, such that at least half of the
/// touches come after fewer other lines (at 0: after none). First touches come
/// after infinitely many: none if these are the most, or if there are no
/// touches.
std::optional<uint64_t> medianReuseBound(const ReuseHistogram &Reuse);

/// hit_ij - hit_i - hit_j: how many more sectors hit when both loads are cached
/// than when each is cached alone. Below 0: they evict each other's lines.
int64_t gainOfPair(const KernelProfile &K, const PairProfile &Pair);

/// "12.3 us, bound by tag stage; busy %: issue 20.1, tag stage 90.0, L2 41.3,
/// DRAM 12.7"; of several launches "123 us for 10 launches, 12.3 us each, ...".
std::string describeTime(const PredictedTime &Time, uint64_t Launches = 1);

struct TableOptions {
  size_t MostAccesses = SIZE_MAX; ///< Of each kernel.
  size_t MostPairs = 10;
};

/// Each kernel's accesses, the most expensive first: by the sectors that missed
/// the L1, then by all sectors; the pairs that help or fight each other the
/// most; the loops. Of 100 columns.
void printTable(llvm::raw_ostream &OS, const Profile &P,
                const TableOptions &Options = {});

/// \p Source, the text of \p File as it is now, with what its accesses did in
/// the margin. Kernels that have moved since are followed; those that have
/// changed are left out, and that is said. Returns whether none was.
bool printAnnotated(llvm::raw_ostream &OS, const Profile &P,
                    llvm::StringRef Source, llvm::StringRef File);

/// All fields by the names that they have in the profile's file, zeros too, and
/// each pair's gain.
void printJSON(llvm::raw_ostream &OS, const Profile &P);

} // namespace sluice

#endif
