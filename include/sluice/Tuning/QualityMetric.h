// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// How far numbers are from what they should be, and how far they may be.
/// Formulas: docs/passes/sfu.md, "Metrics".

#ifndef SLUICE_TUNING_QUALITYMETRIC_H
#define SLUICE_TUNING_QUALITYMETRIC_H

#include "sluice/Tuning/LambdaSearch.h"
#include <string>

namespace sluice {

/// With n numbers x of an output, and r those of the reference.
enum class QualityMetric {
  /// Mean of |x - r| / |r|: the thesis's error, of which its QoS is 1 - error.
  /// 1 where r is zero and x is not.
  MeanError,
  MaxError, ///< The largest of them.
  RMSE,     ///< Root of the mean of (x - r)^2.
  /// 10 log10(p^2 / mean of (x - r)^2) dB, p the largest |r|: more is better.
  PSNR,
  CommandError,   ///< What a command of the user prints: less is better.
  CommandQuality, ///< Likewise, but more is better.
};

/// mean-error and so on, as the user says it. The error lists them.
llvm::Expected<QualityMetric> parseQualityMetric(llvm::StringRef Name);
llvm::StringRef nameOf(QualityMetric Metric);

/// Does a command of the user's measure it?
bool isOfCommand(QualityMetric Metric);
/// Is a larger value a better one?
bool isMoreBetter(QualityMetric Metric);

/// The value of \p Metric, none of a command's, for the numbers of one output.
/// Two NaNs are equal, and so are infinities of one sign. Where else a number
/// is not finite, or \p Got has another length, nothing is right: infinite, for
/// PSNR minus infinite. Neither may be empty.
double measureQuality(QualityMetric Metric, llvm::ArrayRef<double> Reference,
                      llvm::ArrayRef<double> Got);

/// The worse of two values of \p Metric; NaN is worse than all.
double worse(QualityMetric Metric, double A, double B);

/// How a value is counted in the search, from 0, where the chord of
/// LambdaStrategy::Heuristic wants what grows by as much for each warp that
/// computes approximately: mean squares of RMSE and PSNR. \p AtZero is the
/// value with no warp, which a command's quality is counted from.
double searchError(QualityMetric Metric, double Value, double AtZero);

/// "METRIC:BOUND".
struct QualityWish {
  QualityMetric Metric = QualityMetric::MeanError;
  double Bound = 0;     ///< In the metric's unit.
  bool IsShare = false; ///< Bound, from 0 to 1, is the thesis's QoS_ratio.

  /// In the unit of searchError.
  LambdaGoal goal(double AtZero) const;
  std::string text() const; ///< "mean-error at most 1e-06".
};

/// The error names what is wrong, and lists the metrics or says which bounds
/// there are.
llvm::Expected<QualityWish> parseQualityWish(llvm::StringRef Text);

} // namespace sluice

#endif
