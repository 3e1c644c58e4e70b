// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Makes a kernel smaller for as long as something holds of it.

#ifndef SLUICE_TOOLS_FUZZ_REDUCE_H
#define SLUICE_TOOLS_FUZZ_REDUCE_H

#include "Kernel.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace sluice::fuzz {

/// Greedy: takes each smaller kernel of which \p Holds, until there is none or
/// \p MaxSteps were tried. \p K itself is one of which it holds.
Kernel reduce(Kernel K, unsigned MaxSteps,
              llvm::function_ref<bool(const Kernel &)> Holds);

} // namespace sluice::fuzz

#endif
