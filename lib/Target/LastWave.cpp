// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of the last wave fall on the free slots by chance. The answer is
// the most that, by the binomial distribution, at least one SM is expected to
// get.

#include "sluice/Target/LastWave.h"
#include <algorithm>
#include <cmath>

using namespace sluice;

/// Of \p Slots slots, each taken with the chance \p Share, exactly \p Taken
/// are.
static double chanceOf(unsigned Taken, unsigned Slots, double Share) {
  double Ways = 1;
  for (unsigned I = 0; I < Taken; ++I)
    Ways *= double(Slots - I) / double(I + 1);
  return Ways * std::pow(Share, Taken) * std::pow(1 - Share, Slots - Taken);
}

uint64_t sluice::blocksOfBusiestSM(uint64_t GridBlocks, unsigned SMs,
                                   unsigned Resident) {
  SMs = std::max(1u, SMs);
  Resident = std::max(1u, Resident);
  const uint64_t Wave = uint64_t(SMs) * Resident;
  const uint64_t Whole = GridBlocks / Wave * Resident;
  const uint64_t Rest = GridBlocks % Wave;
  const double Share = double(Rest) / double(Wave);
  const auto Even = unsigned((Rest + SMs - 1) / SMs);
  // The most that some SM gets, by expectation.
  double SMsWithMore = 0;
  for (unsigned Most = Resident; Most > Even; --Most) {
    SMsWithMore += SMs * chanceOf(Most, Resident, Share);
    if (SMsWithMore >= 1)
      return Whole + Most;
  }
  return Whole + Even;
}
