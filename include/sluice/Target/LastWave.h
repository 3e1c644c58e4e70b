// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How unevenly the last blocks of a launch fall on the SMs.

#ifndef SLUICE_TARGET_LASTWAVE_H
#define SLUICE_TARGET_LASTWAVE_H

#include <cstdint>

namespace sluice {

/// Blocks that the SM with the most runs, one wave of \p Resident blocks after
/// the other, of a grid of \p GridBlocks on \p SMs. Blocks are taken to be
/// alike, so that those of a wave end at about the same time and the last ones
/// go to whichever slots are free first: each slot gets one with the same
/// chance. An H100 runs gesummv's 8 blocks an SM in 1.33 ms with 2 resident, in
/// 1.37 with 4, and in 1.48 with 3, of which some SMs have 3 + 3 + 3
/// (benchmarks/results/2026-11-h100-fixed).
uint64_t blocksOfBusiestSM(uint64_t GridBlocks, unsigned SMs,
                           unsigned Resident);

} // namespace sluice

#endif
