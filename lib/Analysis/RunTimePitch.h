// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How large arguments must be for the lanes of a warp to be in different
/// lines.
///
/// In `A[row * n + j]` with floats neighbours are 4 * n bytes apart. What n is
/// nobody knows at compile time, but from n = 32 on each lane has a line of its
/// own, and that the kernel can test.

#ifndef SLUICE_LIB_ANALYSIS_RUNTIMEPITCH_H
#define SLUICE_LIB_ANALYSIS_RUNTIMEPITCH_H

#include "LaneOffsets.h"
#include "sluice/Analysis/ArgumentMinimum.h"
#include "sluice/Target/GPUModel.h"

namespace sluice {

/// The part of an address that is not known, as a sum of products.
struct PitchedBase {
  struct Pitch {
    unsigned Argument;
    AddressForm Factor;   ///< Over tid alone; 4*tid.x for `A[row * n + j]`.
    bool differs() const; ///< Is it different for some threads?
  };
  std::vector<Pitch> Pitches; ///< By rising Argument, each once.
  AddressForm Rest;
};

PitchedBase splitPitches(const AddressForm &Base);

/// What must hold so that any two lanes of a warp whose addresses differ by a
/// multiple of an argument are a line apart. \p Offset is the part of the
/// address that is known. None: there is no such minimum, or two lanes differ
/// by multiples of two arguments.
std::optional<ArgumentMinima>
minimaForOwnLines(llvm::ArrayRef<PitchedBase::Pitch> Pitches,
                  const AddressForm &Offset, llvm::ArrayRef<ThreadIndex> Tids,
                  const GPUModel &GPU);

} // namespace sluice

#endif
