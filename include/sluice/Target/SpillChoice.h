// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What of the values that have no register goes to shared memory (Xie et al.,
/// section 5.3, Algorithm 1).

#ifndef SLUICE_TARGET_SPILLCHOICE_H
#define SLUICE_TARGET_SPILLCHOICE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace sluice {

/// What is put into shared memory or not: the paper's sub-stack. Ours are of
/// one value each, since smaller ones fit more easily.
struct SpillStack {
  uint64_t Bytes = 0; ///< Of a block, not 0.
  uint64_t Gain = 0;  ///< Accesses to local memory that it saves.
};

/// The 0-1 knapsack: for each of \p Stacks, does it go to shared memory? They
/// have \p SpareBytes together and gain the most.
std::vector<bool> chooseSpills(llvm::ArrayRef<SpillStack> Stacks,
                               uint64_t SpareBytes);

} // namespace sluice

#endif
