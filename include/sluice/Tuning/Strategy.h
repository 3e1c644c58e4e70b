// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Which points of a search space to measure next.

#ifndef SLUICE_TUNING_STRATEGY_H
#define SLUICE_TUNING_STRATEGY_H

#include "sluice/Tuning/SearchSpace.h"
#include "llvm/Support/Error.h"
#include <map>

namespace sluice {

/// Times over the untuned kernel's; infinite where the results were wrong or it
/// did not run.
using Measured = std::map<Point, double>;

/// A guess at the time, to order points by; only ratios mean something.
using Prediction = std::function<double(const Point &)>;

enum class Strategy {
  Exhaustive, ///< All points.
  /// One N and one M for all loops of all kernels, and of these all: what the
  /// papers call best fixed thread throttling, BFTT.
  Fixed,
  /// In the order of the prediction. What is predicted to be PruneFactor slower
  /// than the best point measured so far is left out, and it ends when a whole
  /// batch has brought nothing.
  Model,
  /// The static plan, the untuned code and their neighbours; then those of
  /// each point near the best that is clearly better than its own neighbours,
  /// until there are none left.
  Local,
};

llvm::Expected<Strategy> parseStrategy(llvm::StringRef Name);

/// The points to measure next, none twice and none that is in \p So; empty: the
/// search is over. A function of its arguments alone, so that a search goes on
/// from whatever is known.
std::vector<Point> nextPoints(Strategy S, const SearchSpace &Space,
                              const Measured &So, const Prediction &Predict);

/// The point to take: of those within \p Margin of the fastest (0.02: two per
/// cent, what equal code in two places differs by) the one that changes the
/// fewest things, then the planned one, then the fastest.
Point choosePoint(const SearchSpace &Space, const Measured &So,
                  double Margin = 0.02);

} // namespace sluice

#endif
