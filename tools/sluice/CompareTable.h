// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What `sluice compare` shows of its measurements.

#ifndef SLUICE_TOOLS_SLUICE_COMPARETABLE_H
#define SLUICE_TOOLS_SLUICE_COMPARETABLE_H

#include "sluice/Tuning/VariantRound.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <optional>

namespace sluice {

using NamedKernel = std::pair<const std::string, MeasuredKernel>;

/// Kernels with times, the one that takes most of the program's time first.
std::vector<const NamedKernel *> byWeight(const VariantResults &Results);

/// How many times as fast \p Name is as \p Over, over the launches at which
/// both were timed; none: there is no such launch.
std::optional<double> speedUp(const MeasuredKernel &Kernel,
                              const std::string &Name, const std::string &Over);

/// Some kernels' speed-ups.
class SpeedUps {
public:
  void add(double Ratio);
  unsigned count() const { return Count; }
  unsigned below95() const { return Below95; }
  unsigned below98() const { return Below98; }
  double mean() const; ///< Geometric; there is one speed-up at least.
  double lowest() const { return Lowest; }
  double highest() const { return Highest; }

private:
  double Logs = 0, Lowest = INFINITY, Highest = 0;
  unsigned Count = 0, Below95 = 0, Below98 = 0;
};

/// "sluice   over nvcc     1.500  (0.900 to 2.000)".
void printSpeedUps(llvm::raw_ostream &OS, llvm::StringRef Name,
                   llvm::StringRef Over, const SpeedUps &Of);

/// A table for each kernel, the one that takes most of the time first, and the
/// sum of it.
void printComparison(llvm::raw_ostream &OS, const VariantResults &Results);

/// What of it is a bug of Sluice, a warning each. \p Of stands before the
/// kernel's name.
void warnOfWrongResults(llvm::raw_ostream &OS, const VariantResults &Results,
                        llvm::StringRef Of = "");

/// As `benchmarks/run` has them (docs/internals/benchmarks.md), so that `sluice
/// report --results` reads it.
llvm::Error writeComparison(const std::string &Path,
                            const VariantResults &Results);
/// One of its "programs".
llvm::json::Object programToJson(const VariantResults &Results);

} // namespace sluice

#endif
