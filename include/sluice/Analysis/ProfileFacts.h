// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What a profile knows of a kernel, put where the analyses look for it: beside
/// the facts about its accesses, loops and launches.

#ifndef SLUICE_ANALYSIS_PROFILEFACTS_H
#define SLUICE_ANALYSIS_PROFILEFACTS_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Analysis/Profile.h"

namespace sluice {

/// Gives the accesses and loops of \p Kernel what \p Measured has of them, and
/// launches that are not known at compile time the sizes that it saw.
/// \p SameGPU: the profile is of the GPU that is planned for, so that as many
/// blocks share an L1 and the reuse distances are those of this GPU too.
///
/// An access is known again by its place, the calls that it was inlined through
/// and its kind. One that stands nowhere, or that the profile does not have, is
/// left as it is: it did not run, or the compiler left it out.
///
/// The profile counts loops as they were after unrolling. The iterations of a
/// loop of the source are at least those of all copies together, and as many as
/// the most frequent access in it ran. It is entered at most as often as all
/// copies are, and one that is in no other loop at most once by a warp: what is
/// more are remainders of unrolled loops. So a trip count is rather too low.
void addMeasurements(const KernelProfile &Measured, bool SameGPU,
                     KernelFacts &Kernel);

/// Of all touches of lines, first ones too, the share of those that come after
/// fewer than \p Lines other lines: those that an L1 of so many lines holds.
/// Within a bucket distances count as evenly spread. None: no touches.
std::optional<double> shareWithin(const ReuseHistogram &Reuse, double Lines);

/// Shapes that a kernel of unknown launches is planned for, the most frequent
/// first.
constexpr unsigned MaxProfiledLaunches = 16;

} // namespace sluice

#endif
