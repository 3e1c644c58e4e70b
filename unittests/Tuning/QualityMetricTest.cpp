// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/QualityMetric.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace sluice;

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
const double NotANumber = std::nan("");

constexpr QualityMetric OfNumbers[] = {
    QualityMetric::MeanError, QualityMetric::MaxError, QualityMetric::RMSE,
    QualityMetric::PSNR};

double measure(QualityMetric Metric, std::vector<double> Reference,
               std::vector<double> Got) {
  return measureQuality(Metric, Reference, Got);
}

TEST(QualityMetricTest, Formulas) {
  const std::vector<double> Reference = {1, -2, 4, 10};
  const std::vector<double> Got = {1, -1, 5, 8};
  EXPECT_DOUBLE_EQ(measure(QualityMetric::MeanError, Reference, Got),
                   (0 + 0.5 + 0.25 + 0.2) / 4);
  EXPECT_DOUBLE_EQ(measure(QualityMetric::MaxError, Reference, Got), 0.5);
  EXPECT_DOUBLE_EQ(measure(QualityMetric::RMSE, Reference, Got),
                   std::sqrt(1.5));
  EXPECT_DOUBLE_EQ(measure(QualityMetric::PSNR, Reference, Got),
                   10 * std::log10(100 / 1.5));
}

TEST(QualityMetricTest, EqualNumbers) {
  const std::vector<double> Same = {0, -1.5, Infinity, -Infinity, NotANumber};
  for (QualityMetric Metric : OfNumbers)
    EXPECT_EQ(measure(Metric, Same, Same),
              Metric == QualityMetric::PSNR ? Infinity : 0);
  EXPECT_EQ(measure(QualityMetric::PSNR, {0, 0}, {0, -0.}), Infinity);
}

TEST(QualityMetricTest, ZeroReference) {
  EXPECT_DOUBLE_EQ(measure(QualityMetric::MeanError, {0, 0, 2}, {0, 1e-9, 2}),
                   1. / 3);
  EXPECT_EQ(measure(QualityMetric::MaxError, {0}, {-1e300}), 1);
  EXPECT_DOUBLE_EQ(measure(QualityMetric::RMSE, {0, 0}, {1, -1}), 1);
  EXPECT_EQ(measure(QualityMetric::PSNR, {0, 0}, {1, -1}), -Infinity);
  // Flushed to zero: as wrong as a zero that became something.
  EXPECT_EQ(measure(QualityMetric::MaxError, {1e-310}, {0}), 1);
}

TEST(QualityMetricTest, NotFiniteNumbers) {
  const std::pair<double, double> Wrong[] = {
      {1, NotANumber}, {NotANumber, 1},       {1, Infinity},
      {Infinity, 1},   {Infinity, -Infinity}, {NotANumber, Infinity},
      {0, NotANumber}, {Infinity, NotANumber}};
  for (auto [Reference, Got] : Wrong)
    for (QualityMetric Metric : OfNumbers)
      EXPECT_EQ(measure(Metric, {5, Reference}, {5, Got}),
                Metric == QualityMetric::PSNR ? -Infinity : Infinity)
          << nameOf(Metric).str() << " of " << Got << " for " << Reference;
}

TEST(QualityMetricTest, OtherLengths) {
  for (QualityMetric Metric : OfNumbers)
    EXPECT_EQ(measure(Metric, {5, 6}, {5}),
              Metric == QualityMetric::PSNR ? -Infinity : Infinity);
}

TEST(QualityMetricTest, LargeNumbersDoNotOverflow) {
  EXPECT_DOUBLE_EQ(measure(QualityMetric::RMSE, {0, 0}, {1e200, 1e200}), 1e200);
  EXPECT_NEAR(measure(QualityMetric::PSNR, {1e200, 1e200}, {1e200, 1.1e200}),
              20 * std::log10(std::sqrt(2.) / 0.1), 1e-9);
  EXPECT_EQ(measure(QualityMetric::MaxError, {-1.7e308}, {1.7e308}), Infinity);
}

TEST(QualityMetricTest, Worse) {
  EXPECT_EQ(worse(QualityMetric::MaxError, 1, 2), 2);
  EXPECT_EQ(worse(QualityMetric::PSNR, 30, 40), 30);
  EXPECT_TRUE(std::isnan(worse(QualityMetric::PSNR, 30, NotANumber)));
  EXPECT_TRUE(std::isnan(worse(QualityMetric::RMSE, NotANumber, 1)));
}

// The part of the numbers that is wrong grows with lambda: so do the means, and
// what the search counts.
TEST(QualityMetricTest, SearchErrorsGrowInALine) {
  const std::vector<double> Reference(100, 4);
  for (QualityMetric Metric :
       {QualityMetric::MeanError, QualityMetric::RMSE, QualityMetric::PSNR}) {
    double One = 0;
    for (unsigned Wrong = 0; Wrong <= 100; Wrong += 10) {
      std::vector<double> Got = Reference;
      std::fill_n(Got.begin(), Wrong, 4.5);
      const double Error = searchError(
          Metric, measureQuality(Metric, Reference, Got), /*AtZero=*/0);
      if (Wrong == 10)
        One = Error;
      EXPECT_NEAR(Error, One * Wrong / 10, 1e-12) << nameOf(Metric).str();
    }
    EXPECT_GT(One, 0);
  }
}

TEST(QualityMetricTest, Goals) {
  auto Goal = [](StringRef Text, double AtZero) {
    return cantFail(parseQualityWish(Text)).goal(AtZero);
  };
  EXPECT_DOUBLE_EQ(Goal("mean-error:1e-6", 0).Bound, 1e-6);
  EXPECT_DOUBLE_EQ(Goal("rmse:0.5", 0).Bound, 0.25);
  EXPECT_DOUBLE_EQ(Goal("psnr:30", Infinity).Bound, 1e-3);
  EXPECT_DOUBLE_EQ(Goal("quality:0.9", 0.98).Bound, 0.98 - 0.9);
  EXPECT_FALSE(Goal("quality:0.9", 0.98).IsShare);
  EXPECT_DOUBLE_EQ(Goal("mean-error:80%", 0).Bound, 0.8);
  EXPECT_DOUBLE_EQ(Goal("rmse:80%", 0).Bound, 0.64);
  EXPECT_TRUE(Goal("rmse:80%", 0).IsShare);
}

TEST(QualityMetricTest, WishesAsText) {
  auto Text = [](StringRef Wish) {
    return cantFail(parseQualityWish(Wish)).text();
  };
  EXPECT_EQ(Text("mean-error:1e-6"), "mean-error at most 1e-06");
  EXPECT_EQ(Text("psnr:60"), "psnr at least 60 dB");
  EXPECT_EQ(Text("quality:-2"), "quality at least -2");
  EXPECT_EQ(Text("error:80%"),
            "error at most 80% of that with all warps approximate");
}

TEST(QualityMetricTest, WishesThatAreNone) {
  const std::pair<const char *, const char *> Wrong[] = {
      {"ssim:1", "there is no metric 'ssim'; there are mean-error, max-error, "
                 "rmse, psnr, error, quality (the last two are what "
                 "--qos-command prints)"},
      {"rmse", "a bound is expected behind 'rmse:', such as rmse:1e-6, or 80% "
               "of the error with all warps approximate"},
      {"psnr:x", "a bound is expected behind 'psnr:', such as psnr:60"},
      {"quality:%", "a bound is expected behind 'quality:', such as "
                    "quality:0.97"},
      {"rmse:-1", "no error is below 0"},
      {"rmse:inf", "a finite number is expected"},
      {"rmse:nan", "a finite number is expected"},
      {"rmse:101%", "a percentage is from 0% to 100%"},
      {"rmse:-1%", "a percentage is from 0% to 100%"},
      {"rmse:nan%", "a percentage is from 0% to 100%"},
      {"psnr:80%", "a percentage is of an error, and psnr is none"},
  };
  for (auto [Text, Message] : Wrong)
    EXPECT_EQ(toString(parseQualityWish(Text).takeError()),
              "--qos=" + std::string(Text) + ": " + Message);
}

} // namespace
