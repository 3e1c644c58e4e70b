// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes race-free kernels without undefined behaviour from a seed.

#ifndef SLUICE_TOOLS_FUZZ_GENERATE_H
#define SLUICE_TOOLS_FUZZ_GENERATE_H

#include "Kernel.h"

namespace sluice::fuzz {

/// The same for the same numbers, everywhere.
Kernel generate(uint64_t Seed, unsigned Number);

} // namespace sluice::fuzz

#endif
