// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What one launch says of one loop: its N (CATT, Eq. 8 and 9), or why it
/// should not be throttled.

#ifndef SLUICE_LIB_PLAN_THROTTLEDECISION_H
#define SLUICE_LIB_PLAN_THROTTLEDECISION_H

#include "LaunchCases.h"
#include "sluice/Analysis/LoopFootprint.h"
#include "sluice/Plan/ThrottlePlanner.h"

namespace sluice {

/// What one launch says of one loop.
struct Decision {
  unsigned WarpGroups = 1;
  /// Fewer warps at a time would pay, whether or not turns can see to it.
  bool Thrashes = false;
  std::string Why;
  /// With turns: they are for launches where all of these hold.
  ArgumentMinima OnlyIf;
  uint64_t FootprintBytes = 0;
  /// By the profile's predictions: of the chosen N, and of none.
  uint64_t Nanoseconds = 0, UnthrottledNanoseconds = 0;
};

/// Are all lines and strides those that the code tells?
bool isRegular(const LoopFootprint &Footprint);

class ThrottleDecider {
public:
  ThrottleDecider(const KernelFacts &Kernel, const GPUModel &GPU,
                  const ThrottleOptions &Options,
                  const ThrottleThresholds &Thresholds)
      : Kernel(Kernel), GPU(GPU), Options(Options), Thresholds(Thresholds) {}

  /// \p State must have an occupancy, \p Footprint be known.
  Decision decide(unsigned LoopIndex, const LaunchState &State,
                  const LoopFootprint &Footprint) const;
  /// Lines of the resident blocks together, in bytes.
  uint64_t bytesOf(uint64_t LinesPerBlock, const LaunchState &State) const {
    return LinesPerBlock * State.Held.BlocksPerSM * GPU.LineBytes;
  }

private:
  unsigned batch(const LoopFacts &Loop, uint64_t Instructions) const;
  unsigned fittingGroups(const LaunchState &State,
                         const LoopFootprint &Footprint) const;
  unsigned nearlyFittingGroups(const LaunchState &State,
                               const LoopFootprint &Footprint) const;
  std::string cannotPay(unsigned LoopIndex, const LaunchState &State,
                        const LoopFootprint &Footprint, uint64_t Bytes) const;
  std::string cannotPayAsMeasured(unsigned LoopIndex, const LaunchState &State,
                                  const LoopFootprint &Footprint,
                                  uint64_t Bytes, unsigned WarpGroups) const;
  std::string describeSize(const LaunchState &State,
                           const LoopFootprint &Footprint, bool AtMost) const;
  std::string unknownDistance(const LaunchConfig &Launch,
                              const LoopFootprint &Footprint) const;
  std::string unsharedRows(const LaunchState &State,
                           const LoopFootprint &Footprint) const;
  /// Without regard to predicted times.
  Decision decideByRule(unsigned LoopIndex, const LaunchState &State,
                        const LoopFootprint &Footprint) const;
  Decision decideAsPredicted(unsigned LoopIndex, const LaunchState &State,
                             const LoopFootprint &Footprint) const;

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const ThrottleOptions &Options;
  const ThrottleThresholds &Thresholds;
};

} // namespace sluice

#endif
