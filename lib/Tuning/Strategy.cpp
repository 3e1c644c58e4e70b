// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sluice/Tuning/Strategy.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace llvm;
using namespace sluice;

/// Predictions that miss by more than this are bugs of the model.
static constexpr double PruneFactor = 2;
/// Points that the model-ordered strategy measures at a time.
static constexpr size_t BatchSize = 4;

Expected<Strategy> sluice::parseStrategy(StringRef Name) {
  if (Name == "exhaustive")
    return Strategy::Exhaustive;
  if (Name == "model")
    return Strategy::Model;
  if (Name == "local")
    return Strategy::Local;
  return createStringError("there is no strategy '" + Name +
                           "' (exhaustive, model, local)");
}

static const std::pair<const Point, double> *best(const Measured &So) {
  auto Best = min_element(
      So, [](const auto &A, const auto &B) { return A.second < B.second; });
  return Best == So.end() ? nullptr : &*Best;
}

static std::vector<Point> unmeasured(std::vector<Point> Points,
                                     const Measured &So) {
  std::vector<Point> Result;
  for (Point &P : Points)
    if (!So.count(P) && !is_contained(Result, P))
      Result.push_back(std::move(P));
  return Result;
}

static std::vector<Point> nextLocal(const SearchSpace &Space,
                                    const Measured &So) {
  std::vector<Point> Start = unmeasured({Space.untuned(), Space.planned()}, So);
  if (!Start.empty())
    return Start;
  // From the faster of the two, then on from whatever is best.
  return unmeasured(Space.neighbours(best(So)->first), So);
}

static std::vector<Point> nextModel(const SearchSpace &Space,
                                    const Measured &So,
                                    const Prediction &Predict) {
  std::vector<Point> Start = unmeasured({Space.untuned(), Space.planned()}, So);
  if (!Start.empty())
    return Start;
  const auto &[BestPoint, BestTime] = *best(So);
  double Limit = PruneFactor * Predict(BestPoint);
  std::vector<std::pair<double, Point>> Ordered;
  for (Point &P : unmeasured(Space.all(), So))
    if (double Time = Predict(P); Time <= Limit)
      Ordered.push_back({Time, std::move(P)});
  stable_sort(Ordered,
              [](const auto &A, const auto &B) { return A.first < B.first; });

  // A batch later than the one with the best point in it: enough.
  size_t BestRank = 0;
  for (const auto &[P, Time] : So)
    if (Predict(P) < Predict(BestPoint))
      ++BestRank;
  if (So.size() > Start.size() + BestRank + 2 * BatchSize)
    return {};
  std::vector<Point> Batch;
  for (auto &[Time, P] : Ordered)
    if (Batch.size() < BatchSize)
      Batch.push_back(std::move(P));
  return Batch;
}

std::vector<Point> sluice::nextPoints(Strategy S, const SearchSpace &Space,
                                      const Measured &So,
                                      const Prediction &Predict) {
  switch (S) {
  case Strategy::Exhaustive:
    return unmeasured(Space.all(), So);
  case Strategy::Model:
    return nextModel(Space, So, Predict);
  case Strategy::Local:
    return nextLocal(Space, So);
  }
  llvm_unreachable("a strategy without a rule");
}

Point sluice::choosePoint(const SearchSpace &Space, const Measured &So,
                          double Margin) {
  const auto *Best = best(So);
  if (!Best || Best->second == std::numeric_limits<double>::infinity())
    return Space.untuned();
  for (const Point &P : {Space.untuned(), Space.planned()})
    if (auto At = So.find(P);
        At != So.end() && At->second <= Best->second * (1 + Margin))
      return P;
  return Best->first;
}
