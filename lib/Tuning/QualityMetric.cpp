// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/QualityMetric.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace sluice;

namespace {

struct NamedMetric {
  StringLiteral Name;
  QualityMetric Metric;
};

constexpr NamedMetric Metrics[] = {
    {"mean-error", QualityMetric::MeanError},
    {"max-error", QualityMetric::MaxError},
    {"rmse", QualityMetric::RMSE},
    {"psnr", QualityMetric::PSNR},
    {"error", QualityMetric::CommandError},
    {"quality", QualityMetric::CommandQuality},
};

constexpr double Infinity = std::numeric_limits<double>::infinity();

} // namespace

Expected<QualityMetric> sluice::parseQualityMetric(StringRef Name) {
  const auto *Found =
      find_if(Metrics, [&](const NamedMetric &M) { return M.Name == Name; });
  if (Found != std::end(Metrics))
    return Found->Metric;
  return createStringError(
      "there is no metric '" + Name + "'; there are " +
      join(map_range(Metrics, [](const NamedMetric &M) { return M.Name; }),
           ", ") +
      " (the last two are what --qos-command prints)");
}

StringRef sluice::nameOf(QualityMetric Metric) {
  return find_if(Metrics,
                 [&](const NamedMetric &M) { return M.Metric == Metric; })
      ->Name;
}

bool sluice::isOfCommand(QualityMetric Metric) {
  return Metric == QualityMetric::CommandError ||
         Metric == QualityMetric::CommandQuality;
}

bool sluice::isMoreBetter(QualityMetric Metric) {
  return Metric == QualityMetric::PSNR ||
         Metric == QualityMetric::CommandQuality;
}

//===- Values -------------------------------------------------------------===//

/// |x - r|; 0 of two NaNs, infinite where one number alone is not finite.
static double distance(double Reference, double Got) {
  if (Reference == Got || (std::isnan(Reference) && std::isnan(Got)))
    return 0;
  const double Distance = std::abs(Got - Reference);
  return std::isnan(Distance) ? Infinity : Distance;
}

static double relativeError(double Reference, double Got) {
  const double Distance = distance(Reference, Got);
  if (Distance == 0 || std::isinf(Distance))
    return Distance;
  return Reference == 0 ? 1 : Distance / std::abs(Reference);
}

/// Squares are of parts of the largest number: they do not overflow.
static double meanSquare(ArrayRef<double> Reference, ArrayRef<double> Got,
                         double Unit) {
  double Sum = 0;
  for (auto [R, X] : zip_equal(Reference, Got)) {
    const double Part = distance(R, X) / Unit;
    Sum += Part * Part;
  }
  return Sum / double(Got.size());
}

/// The largest finite |r|.
static double peakOf(ArrayRef<double> Numbers) {
  double Peak = 0;
  for (double X : Numbers)
    if (std::isfinite(X))
      Peak = std::max(Peak, std::abs(X));
  return Peak;
}

static double rootMeanSquare(ArrayRef<double> Reference, ArrayRef<double> Got) {
  double Unit = 0;
  for (auto [R, X] : zip_equal(Reference, Got))
    Unit = std::max(Unit, distance(R, X));
  if (Unit == 0 || std::isinf(Unit))
    return Unit;
  return Unit * std::sqrt(meanSquare(Reference, Got, Unit));
}

double sluice::measureQuality(QualityMetric Metric, ArrayRef<double> Reference,
                              ArrayRef<double> Got) {
  if (Reference.size() != Got.size())
    return isMoreBetter(Metric) ? -Infinity : Infinity;
  double Sum = 0, Most = 0;
  switch (Metric) {
  case QualityMetric::MeanError:
    for (auto [R, X] : zip_equal(Reference, Got))
      Sum += relativeError(R, X);
    return Sum / double(Got.size());
  case QualityMetric::MaxError:
    for (auto [R, X] : zip_equal(Reference, Got))
      Most = std::max(Most, relativeError(R, X));
    return Most;
  case QualityMetric::RMSE:
    return rootMeanSquare(Reference, Got);
  case QualityMetric::PSNR:
    if (double Root = rootMeanSquare(Reference, Got); Root != 0)
      return 20 * std::log10(peakOf(Reference) / Root);
    return Infinity;
  case QualityMetric::CommandError:
  case QualityMetric::CommandQuality:
    break;
  }
  llvm_unreachable("a command measures it");
}

double sluice::worse(QualityMetric Metric, double A, double B) {
  if (std::isnan(A) || std::isnan(B))
    return std::isnan(A) ? A : B;
  return isMoreBetter(Metric) ? std::min(A, B) : std::max(A, B);
}

double sluice::searchError(QualityMetric Metric, double Value, double AtZero) {
  switch (Metric) {
  case QualityMetric::MeanError:
  case QualityMetric::MaxError:
  case QualityMetric::CommandError:
    return Value;
  case QualityMetric::RMSE:
    return Value * Value;
  case QualityMetric::PSNR:
    return std::pow(10, -Value / 10);
  case QualityMetric::CommandQuality:
    return AtZero - Value;
  }
  llvm_unreachable("all are above");
}

//===- Wishes -------------------------------------------------------------===//

LambdaGoal QualityWish::goal(double AtZero) const {
  if (!IsShare)
    return {searchError(Metric, Bound, AtZero), false};
  return {Metric == QualityMetric::RMSE ? Bound * Bound : Bound, true};
}

std::string QualityWish::text() const {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << nameOf(Metric) << (isMoreBetter(Metric) ? " at least " : " at most ")
     << format("%g", IsShare ? Bound * 100 : Bound);
  if (IsShare)
    OS << "% of that with all warps approximate";
  else if (Metric == QualityMetric::PSNR)
    OS << " dB";
  return Text;
}

/// Empty: \p W has a bound that there is.
static std::string whatIsWrong(const QualityWish &W) {
  if (W.IsShare && isMoreBetter(W.Metric))
    return "a percentage is of an error, and " + nameOf(W.Metric).str() +
           " is none";
  if (W.IsShare && !(W.Bound >= 0 && W.Bound <= 1))
    return "a percentage is from 0% to 100%";
  if (!std::isfinite(W.Bound))
    return "a finite number is expected";
  if (W.Bound < 0 && W.Metric != QualityMetric::PSNR &&
      W.Metric != QualityMetric::CommandQuality)
    return "no error is below 0";
  return "";
}

Expected<QualityWish> sluice::parseQualityWish(StringRef Text) {
  auto [Name, Number] = Text.split(':');
  auto Metric = parseQualityMetric(Name);
  if (!Metric)
    return createStringError("--qos=" + Text + ": " +
                             toString(Metric.takeError()));
  QualityWish W{*Metric, 0, false};
  W.IsShare = Number.consume_back("%");
  if (Number.getAsDouble(W.Bound))
    return createStringError(
        "--qos=" + Text + ": a bound is expected behind '" + Name +
        ":', such as " + Name +
        (*Metric == QualityMetric::PSNR ? ":60"
         : isMoreBetter(*Metric)        ? ":0.97"
                                        : ":1e-6, or 80% of the error with "
                                          "all warps approximate"));
  if (W.IsShare)
    W.Bound /= 100;
  if (std::string Why = whatIsWrong(W); !Why.empty())
    return createStringError("--qos=" + Text + ": " + Why);
  return W;
}
