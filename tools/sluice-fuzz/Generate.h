// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes race-free kernels without undefined behaviour from a seed.

#ifndef SLUICE_TOOLS_FUZZ_GENERATE_H
#define SLUICE_TOOLS_FUZZ_GENERATE_H

#include "Kernel.h"

namespace sluice::fuzz {

/// What else some of the kernels have.
struct Features {
  bool Sums = false;    ///< Sums in memory that may overlap what is read.
  bool Waits = false;   ///< Warps that wait for others.
  bool Rows = false;    ///< Rows that are written and may overlap those read.
  bool Lines = false;   ///< Loops that read and write as the data say.
  bool Copies = false;  ///< Structs that are copied, where it has sums.
  bool Arrays = false;  ///< Local arrays, likewise.
  bool Small = false;   ///< Half of the blocks are of one warp, with barriers.
  bool Packed = false;  ///< What Packed.cpp makes.
  bool Angles = false;  ///< What branches compute, again, where it has sums.
  bool Shared = false;  ///< Loops over what was read from shared memory.
  bool Strided = false; ///< Loops with steps that are known when they run.
  bool Decided = false; ///< Loops with conditions that do not change in them.
  bool Blocks = false;  ///< Many blocks in a row, most of them in step.
  /// Kernel::Waits is to have it, where the shape allows it. Empty: any.
  llvm::StringRef Wait = {};
};

/// The same for the same numbers, everywhere.
Kernel generate(uint64_t Seed, unsigned Number, Features With);

} // namespace sluice::fuzz

#endif
