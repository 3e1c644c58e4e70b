// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which warps of a block use a cache, as PTX text: of a fixed number, or of
/// one for which the warps vote (A. Li, thesis, sections 5.4.2 and 5.4.4).

#ifndef SLUICE_LIB_TRANSFORMS_WARPPARTITION_H
#define SLUICE_LIB_TRANSFORMS_WARPPARTITION_H

#include "sluice/Analysis/CacheHintMetadata.h"
#include <string>

namespace sluice {

/// Sets the predicate \p Into for threads of the first warps. By a thread's
/// place in its block and not by `%warpid`, which may be another one each time.
/// Where they vote, a warp that does so runs with a number of the ballot, and
/// its start is noted in local memory, which costs no register.
std::string firstWarpsText(const CachedWarps &Warps, llvm::StringRef Into);

/// Before a thread returns: its time counts for the number that it ran with.
/// The warp that completes the vote counts it out.
std::string voteText();

/// Of the variable in which a kernel's votes are.
inline constexpr unsigned VoteBytes = 16 * 256;

} // namespace sluice

#endif
