// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The software L1's way `registers`: each thread reads and writes its own
/// rows 16 bytes at a time, and keeps them in registers for as many iterations
/// as they serve.

#ifndef SLUICE_TRANSFORMS_STREAMWIDENING_H
#define SLUICE_TRANSFORMS_STREAMWIDENING_H

#include "sluice/Analysis/StreamAnalysis.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace sluice {

/// What a thread loads or stores at once, in bytes: the most that it can.
inline constexpr unsigned WideBytes = 16;

/// The streams of a loop that can be widened, by their numbers.
struct Widenable {
  std::vector<unsigned> Streams;
  /// That whole blocks of 16 bytes of all of them serve.
  unsigned Iterations = 1;
  std::string Refusal; ///< Why there are none; empty: there are some.
};

/// Why repeating the loop's body, as unrolling does, may not be asked for: the
/// source says so. Empty: it may.
std::string whyNotRepeated(const llvm::Loop &L);

/// Which of \p Loop's streams, of those that \p IsAsked for, can be widened?
/// Asks only what the code must be like, and not whether it would pay.
Widenable findWidenable(
    const LoopStreams &Loop, llvm::ScalarEvolution &SE,
    const llvm::DominatorTree &DT,
    llvm::function_ref<bool(const StreamFacts &)> IsAsked =
        [](const StreamFacts &) { return true; });

} // namespace sluice

#endif
