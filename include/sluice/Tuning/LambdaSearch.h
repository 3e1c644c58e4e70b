// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Searches for the number of approximate warps, lambda, with the least time
/// whose error is within a bound: min T(lambda) | E(lambda) <= QoS, which, as T
/// falls where E grows, is max lambda | E(lambda) <= QoS (Li 2016, section
/// 6.4.4). Times and errors are numbers here, of whatever unit.

#ifndef SLUICE_TUNING_LAMBDASEARCH_H
#define SLUICE_TUNING_LAMBDASEARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace sluice {

/// One run of the program.
struct LambdaRun {
  unsigned Lambda = 0;
  double Ms = 0;
  /// From 0; what is not a number is beyond every bound.
  double Error = 0;
};

enum class LambdaStrategy {
  /// The thesis's HEU. From the runs with no warp and with all, the chord of
  /// E crosses the bound at the next lambda, which becomes the chord's new end;
  /// on until no lambda is left between the ends. Two things are ours. The
  /// crossing is kept strictly between the ends, so that it ends at the last
  /// lambda before the root. And where two crossings in a row have moved one
  /// end, the third is the middle: of a step as of a line the logarithm
  /// decides.
  Heuristic,
  /// The thesis's SMP: from all warps on down, until the bound is kept.
  Simple,
  /// Its OMG: every lambda.
  Exhaustive,
};

/// heu, smp, exhaustive. The error lists them.
llvm::Expected<LambdaStrategy> parseLambdaStrategy(llvm::StringRef Name);
llvm::StringRef nameOf(LambdaStrategy How);

/// The largest error that is wanted.
struct LambdaGoal {
  double Bound = 0;
  /// Bound is a share of the error with all warps: the thesis's QoS_ratio.
  bool IsShare = false;
};

/// The lambda to run next, of 0 to \p Most, where \p So was run so far, in this
/// order; none: the search is over. Always 0 first, which others are compared
/// with, then \p Most. If that keeps the bound, it is over unless all are asked
/// for. None is run twice.
std::optional<unsigned> nextLambda(LambdaStrategy How, unsigned Most,
                                   const LambdaGoal &Goal,
                                   llvm::ArrayRef<LambdaRun> So);

/// The largest error itself. For a share the run with \p Most has to be there;
/// of an infinite error no share is known, and 0 is meant.
double errorBound(const LambdaGoal &Goal, unsigned Most,
                  llvm::ArrayRef<LambdaRun> So);

/// Of the runs that keep \p Bound, the fastest, and of equally fast ones that
/// with the largest lambda; null: none does. As the whole of T is not known,
/// one that is slower with more approximate warps is seen here, not before.
const LambdaRun *bestRun(llvm::ArrayRef<LambdaRun> So, double Bound);

/// Of the runs that keep \p Bound the one with the largest lambda, whatever its
/// time, where times are not known well enough to choose by; null: none does.
const LambdaRun *lastRun(llvm::ArrayRef<LambdaRun> So, double Bound);

} // namespace sluice

#endif
