// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How much of what a load fetches it uses, and what it fetches from the L2
/// with and without the L1 (Liang et al., "An Efficient Compiler Framework for
/// Cache Bypassing on GPUs", TCAD 2015, sections IV-A, IV-C and IV-D).
/// docs/passes/cache-hints-traffic.md derives it for today's L1s.
///
/// The paper's Table II has a formula for each of three address patterns. Here
/// lanes are enumerated, of which they are special cases: A[tid], 32 floats,
/// are 128 useful bytes in 1 line and 4 sectors, so both efficiencies are 1;
/// A[32 * tid] are 128 in 32 lines and 32 sectors, 1/32 and 1/8.

#ifndef SLUICE_PLAN_LOADEFFICIENCY_H
#define SLUICE_PLAN_LOADEFFICIENCY_H

#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Analysis/Profile.h"
#include <optional>

namespace sluice {

/// What requests of warps touch: of one or of many together, as only ratios
/// count. Lines are of 128 bytes, sectors of 32, each counted once a request.
struct RequestCounts {
  uint64_t UsefulBytes = 0; ///< Distinct bytes that lanes ask for.
  uint64_t Lines = 0;
  uint64_t Sectors = 0;

  RequestCounts &operator+=(const RequestCounts &Other);
};

/// Useful bytes over those transferred, above 0 and at most 1 (section IV-A).
struct FetchEfficiency {
  double On =
      1; ///< E_on: whole lines come, as into the L1 of Fermi and Kepler.
  double Off = 1; ///< E_off: sectors come.
};

/// None: \p Of has no bytes, lines or sectors.
std::optional<FetchEfficiency> efficiencyOf(const RequestCounts &Of);

/// One request, of the warp that touches the most. None where its lanes were
/// not enumerated or several iterations were counted as one: \p Of must be from
/// the footprint of the load's own innermost loop.
std::optional<RequestCounts> requestsOf(const AccessFootprint &Of);

/// All requests that a profile saw. None: it saw none.
std::optional<RequestCounts> requestsOf(const AccessCounts &Of);

/// All loads of a program together, of which section IV-D gives the efficiency
/// to loads of unknown pattern.
RequestCounts requestsOfLoads(const Profile &Of);

/// E_on and E_off of a load by what is known best (section IV-D): by its lanes,
/// else by what a profile counted, else the \p Program's mean, else 1 and 1,
/// with which caching and bypassing fetch the same.
FetchEfficiency loadEfficiency(const std::optional<RequestCounts> &Enumerated,
                               const std::optional<RequestCounts> &Measured,
                               const RequestCounts &Program);

/// Bytes that come from the L2 for a load.
struct L2Traffic {
  uint64_t On = 0;  ///< T_on: it is cached.
  uint64_t Off = 0; ///< T_off: it bypasses the L1.

  /// W(v) of Definition 1: positive where caching saves traffic.
  int64_t reduction() const { return int64_t(Off - On); }
};

/// Of an L1 that fills whole lines (section IV-C; Fermi, Kepler). \p Lines
/// (access_i) and \p Hits (hit_i, at most that) are in lines of 128 bytes.
L2Traffic trafficOfLines(uint64_t Lines, uint64_t Hits,
                         const FetchEfficiency &Efficiency);

/// Of an L1 that fills sectors (since Maxwell): a miss of a cached load
/// fetches what a bypassing load would, so both efficiencies are E_off and
/// cancel. \p Sectors and \p Hits (at most that) are of 32 bytes.
L2Traffic trafficOfSectors(uint64_t Sectors, uint64_t Hits);

} // namespace sluice

#endif
