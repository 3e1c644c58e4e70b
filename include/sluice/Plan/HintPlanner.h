// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a kernel's loads ask of the caches. By a profile: the hints with which
/// the simulated kernel was fastest, if it gained much; else, of the loads
/// outside of the solution of its traffic reduction graph (Liang et al., TCAD
/// 2015, section V), those that lose nothing by bypassing the L1. Without a
/// profile: streams beside an indirect load bypass.

#ifndef SLUICE_PLAN_HINTPLANNER_H
#define SLUICE_PLAN_HINTPLANNER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"

namespace sluice {

struct KernelProfile;

/// Measured on an H100 (docs/passes/cache-hints-traffic.md, "From the graph to
/// hints").
struct HintThresholds {
  /// Of what all loads fetch from the L2 with all cached, the part that has to
  /// be saved: T counts some hits twice, and traffic is not all of time.
  double LeastSaved = 0.02;
  /// Of the sectors of a load that bypasses, those that would hit if it alone
  /// were cached. With more, bypassing costs time also where it saves traffic.
  double MostOwnHits = 0.01;
  /// What hints have to gain in simulated time.
  double LeastPredictedGain = 1.1;
};

struct HintDecision {
  std::vector<LoadPlan> Loads; ///< Empty: the code stays as it is.
  std::string Why;             ///< In one sentence with its numbers.
};

/// \p Measured: of the source as it is, and of the GPU that is planned for. Its
/// counts are of an unthrottled L1; a load without hits there has none with
/// fewer warps either. \p RunsAsSimulated: it has the turns, blocks, L1 and
/// sums that the profile simulated, so that the times of hints count.
HintDecision planHints(const KernelProfile &Measured,
                       bool RunsAsSimulated = true,
                       const HintThresholds &Thresholds = HintThresholds());

/// Without a profile. A load is a stream if in each iteration the grid's
/// threads read neighbouring elements, each thread its own, somewhere else each
/// time, and nothing else in the kernel's loops accesses what its pointer
/// points to. Streams bypass in a loop that also has an indirect load: its
/// lines may be used again, and those of the streams are not.
HintDecision planStaticHints(const KernelFacts &Kernel);

} // namespace sluice

#endif
