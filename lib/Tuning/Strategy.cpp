// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy is a function from all that was measured to what is measured next.
// It keeps no state, so a search can end at any time and go on later.

#include "sluice/Tuning/Strategy.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <set>
#include <tuple>

using namespace llvm;
using namespace sluice;

/// Predictions that miss by more than this are bugs of the model.
static constexpr double PruneFactor = 2;
/// Less than this is noise.
static constexpr double LeastGain = 0.01;
/// From points within this of the best the local search goes on.
static constexpr double NearTheBest = 1.05;
/// Points that the model-ordered strategy measures at a time.
static constexpr size_t BatchSize = 4;
/// Spaces up to this size are ordered whole.
static constexpr uint64_t MostPointsToOrder = 20000;

Expected<Strategy> sluice::parseStrategy(StringRef Name) {
  if (Name == "exhaustive")
    return Strategy::Exhaustive;
  if (Name == "fixed")
    return Strategy::Fixed;
  if (Name == "model")
    return Strategy::Model;
  if (Name == "local")
    return Strategy::Local;
  return createStringError("there is no strategy '" + Name +
                           "' (exhaustive, fixed, model, local)");
}

static const std::pair<const Point, double> *best(const Measured &So) {
  auto Best = min_element(
      So, [](const auto &A, const auto &B) { return A.second < B.second; });
  return Best == So.end() ? nullptr : &*Best;
}

static std::vector<Point> unmeasured(std::vector<Point> Points,
                                     const Measured &So) {
  std::set<Point> Seen;
  erase_if(Points, [&](const Point &P) {
    return So.count(P) || !Seen.insert(P).second;
  });
  return Points;
}

static bool isStart(const SearchSpace &Space, const Point &P) {
  return P == Space.untuned() || P == Space.planned();
}

static std::vector<Point> nextLocal(const SearchSpace &Space,
                                    const Measured &So) {
  // The starts' neighbours are measured whatever the starts' times are, so at
  // once: each round costs a run of the program.
  std::vector<Point> Around = {Space.untuned(), Space.planned()};
  for (const Point &P : {Space.untuned(), Space.planned()})
    append_range(Around, Space.neighbours(P));
  const double InReach = So.empty() ? 0 : best(So)->second * NearTheBest;
  for (const auto &[P, Time] : So) {
    // Both ends of a plateau are as good: only a real step leads on.
    bool IsAStep = all_of(Space.neighbours(P), [&, T = Time](const Point &N) {
      auto At = So.find(N);
      return At == So.end() || T < At->second * (1 - LeastGain);
    });
    if (IsAStep && Time <= InReach)
      append_range(Around, Space.neighbours(P));
  }
  return unmeasured(std::move(Around), So);
}

/// The points to order: all, or in a large space those that differ from a good
/// one in one choice. A kernel of ten loops has hundreds of millions.
static std::vector<Point> pointsInReach(const SearchSpace &Space,
                                        const Point &Best) {
  if (Space.size() <= MostPointsToOrder)
    return Space.all();
  std::vector<Point> Points;
  for (const Point &From : {Best, Space.planned(), Space.untuned()})
    for (size_t I = 0; I < From.size(); ++I)
      for (size_t Value = 0; Value < Space.Choices[I].Values.size(); ++Value) {
        Points.push_back(From);
        Points.back()[I] = Value;
      }
  return Points;
}

static std::vector<Point> nextModel(const SearchSpace &Space,
                                    const Measured &So,
                                    const Prediction &Predict) {
  std::vector<Point> Start = unmeasured({Space.untuned(), Space.planned()}, So);
  if (!Start.empty())
    return Start;
  const Point &Best = best(So)->first;
  double Limit = PruneFactor * Predict(Best);
  std::vector<std::pair<double, Point>> Ordered;
  for (Point &P : unmeasured(pointsInReach(Space, Best), {}))
    if (double Time = Predict(P); Time <= Limit && !isStart(Space, P))
      Ordered.push_back({Time, std::move(P)});
  llvm::sort(Ordered);

  // The batch with the best point in it and a later one are enough.
  size_t Rank = find_if(Ordered,
                        [&](const auto &TimeAndPoint) {
                          return TimeAndPoint.second == Best;
                        }) -
                Ordered.begin();
  if (Rank == Ordered.size())
    Rank = 0; // a point to start with
  size_t End = (Rank / BatchSize + 2) * BatchSize;
  std::vector<Point> Batch;
  for (size_t I = 0; I < std::min(End, Ordered.size()); ++I)
    if (!So.count(Ordered[I].second) && Batch.size() < BatchSize)
      Batch.push_back(Ordered[I].second);
  return Batch;
}

/// What the kernel does not have among its numbers is for it one of these.
static std::vector<Point> fixedPoints(const SearchSpace &Space) {
  std::vector<unsigned> Ns = Space.factors(), Ms = Space.blockLimits();
  Ns.insert(Ns.begin(), 1);
  Ms.insert(Ms.begin(), 0);
  std::vector<Point> Points;
  for (unsigned N : Ns)
    for (unsigned M : Ms)
      Points.push_back(Space.fixed(N, M));
  return Points;
}

std::vector<Point> sluice::nextPoints(Strategy S, const SearchSpace &Space,
                                      const Measured &So,
                                      const Prediction &Predict) {
  switch (S) {
  case Strategy::Exhaustive:
    return unmeasured(Space.all(), So);
  case Strategy::Fixed:
    return unmeasured(fixedPoints(Space), So);
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
  const double Limit = Best->second * (1 + Margin);
  Point Planned = Space.planned();
  auto Rank = [&](const auto &PointAndTime) {
    const auto &[P, Time] = PointAndTime;
    auto Changes = count_if(P, [](unsigned Index) { return Index != 0; });
    return std::make_tuple(Changes, P != Planned, Time);
  };
  for (const auto &Entry : So)
    if (Entry.second <= Limit && Rank(Entry) < Rank(*Best))
      Best = &Entry;
  return Best->first;
}
