// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Searches of kernels whose times are a function.

#include "sluice/Tuning/Strategy.h"
#include "KernelsByHand.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <random>

using namespace llvm;
using namespace sluice;

namespace {

using Times = std::function<double(const Point &)>;

constexpr double Infinity = std::numeric_limits<double>::infinity();

double nothingKnown(const Point &) { return 1; }

/// Measures until the strategy has had enough; the untuned point is known, as
/// it is in the tuner.
Measured search(Strategy S, const SearchSpace &Space, const Times &Time,
                const Prediction &Predict, Measured So = {}) {
  So[Space.untuned()] = Time(Space.untuned());
  for (;;) {
    std::vector<Point> Next = nextPoints(S, Space, So, Predict);
    if (Next.empty())
      return So;
    for (const Point &P : Next)
      EXPECT_TRUE(So.try_emplace(P, Time(P)).second) << "asked for twice";
    if (testing::Test::HasFailure())
      return So;
  }
}

Point fastest(const SearchSpace &Space, const Times &Time) {
  Point Best = Space.untuned();
  for (const Point &P : Space.all())
    if (Time(P) < Time(Best))
      Best = P;
  return Best;
}

/// One minimum, at \p Best.
Times bowl(Point Best) {
  return [Best](const Point &P) {
    double Time = 1;
    for (size_t I = 0; I < P.size(); ++I)
      Time += 0.1 * std::abs(double(P[I]) - double(Best[I]));
    return Time;
  };
}

constexpr Strategy Every[] = {Strategy::Exhaustive, Strategy::Model,
                              Strategy::Local};

TEST(Strategy, Names) {
  EXPECT_EQ(cantFail(parseStrategy("exhaustive")), Strategy::Exhaustive);
  EXPECT_EQ(cantFail(parseStrategy("fixed")), Strategy::Fixed);
  EXPECT_EQ(cantFail(parseStrategy("model")), Strategy::Model);
  EXPECT_EQ(cantFail(parseStrategy("local")), Strategy::Local);
  auto None = parseStrategy("random");
  ASSERT_FALSE(bool(None));
  EXPECT_EQ(toString(None.takeError()),
            "there is no strategy 'random' (exhaustive, fixed, model, local)");
}

TEST(Strategy, SpaceOfOnePointIsOver) {
  for (Strategy S : Every)
    EXPECT_TRUE(nextPoints(S, spaceOf({}), {{{}, 1.0}}, nothingKnown).empty());
}

TEST(Model, BeginsWithThePlannedPoint) {
  SearchSpace Space = spaceOf({6, 11}, {3, 0});
  EXPECT_EQ(nextPoints(Strategy::Model, Space, {{{0, 0}, 1.0}}, nothingKnown),
            (std::vector<Point>{{3, 0}}));
}

// They are measured whatever the starts' times are.
TEST(Local, BeginsWithTheStartsAndTheirNeighbours) {
  SearchSpace Space = spaceOf({6, 11}, {3, 0});
  EXPECT_EQ(
      nextPoints(Strategy::Local, Space, {{{0, 0}, 1.0}}, nothingKnown),
      (std::vector<Point>{{3, 0}, {1, 0}, {0, 1}, {2, 0}, {4, 0}, {3, 1}}));
}

// Neither an order of the prediction that is upside down nor one that says
// nothing makes a search endless, and nothing is asked for twice.
TEST(Strategy, EverySearchEnds) {
  SearchSpace Space = spaceOf({6, 4, 11}, {2, 1, 0});
  Times Time = bowl({4, 0, 7});
  const Prediction Predictions[] = {
      nothingKnown,
      Time,
      [&](const Point &P) { return 10 - Time(P); },
      [](const Point &) { return 0.0; },
      [](const Point &) { return std::nan(""); },
      [](const Point &) { return Infinity; },
  };
  for (Strategy S : Every)
    for (const Prediction &Predict : Predictions)
      EXPECT_LE(search(S, Space, Time, Predict).size(), Space.size());
}

TEST(Strategy, EverySearchEndsWhereNothingRuns) {
  SearchSpace Space = spaceOf({6, 11}, {2, 0});
  for (Strategy S : Every) {
    Measured So = search(
        S, Space, [](const Point &) { return Infinity; }, nothingKnown);
    EXPECT_EQ(choosePoint(Space, So), Space.untuned());
  }
}

// A search that was interrupted anywhere asks for the rest alone, and ends with
// what the whole one found.
TEST(Strategy, GoesOnFromWhateverIsKnown) {
  SearchSpace Space = spaceOf({6, 11}, {5, 9});
  Times Time = bowl({2, 3});
  for (Strategy S : Every) {
    Measured Whole = search(S, Space, Time, Time);
    std::mt19937 Random(1);
    for (int Round = 0; Round < 20; ++Round) {
      Measured Part;
      for (const auto &Entry : Whole)
        if (Random() % 2)
          Part.insert(Entry);
      Measured All = search(S, Space, Time, Time, Part);
      EXPECT_EQ(choosePoint(Space, All, 0), choosePoint(Space, Whole, 0));
    }
    EXPECT_TRUE(nextPoints(S, Space, Whole, Time).empty());
  }
}

//===--- Exhaustive ---===//

TEST(Exhaustive, AsksForEveryPointOnce) {
  SearchSpace Space = spaceOf({6, 4, 11}, {2, 1, 0});
  std::vector<Point> Next =
      nextPoints(Strategy::Exhaustive, Space,
                 {{{0, 0, 0}, 1.0}, {{1, 2, 3}, 1.0}}, nothingKnown);
  std::vector<Point> Expected = Space.all();
  erase_if(Expected, [](const Point &P) {
    return P == Point{0, 0, 0} || P == Point{1, 2, 3};
  });
  EXPECT_EQ(Next, Expected);
}

//===--- Local ---===//

TEST(Local, FindsTheOptimumOfAUnimodalFunction) {
  SearchSpace Space = spaceOf({6, 6, 11}, {0, 5, 10}); // a far corner
  for (const Point &Best :
       {Point{5, 0, 0}, Point{2, 3, 4}, Point{0, 0, 0}, Point{5, 5, 10}}) {
    Measured So = search(Strategy::Local, Space, bowl(Best), nothingKnown);
    EXPECT_EQ(choosePoint(Space, So, 0), Best);
  }
}

TEST(Local, MeasuresOnlyAroundItsWay) {
  // Along one axis: the way, and one point beyond the best.
  Measured Line =
      search(Strategy::Local, spaceOf({30}, {0}), bowl({9}), nothingKnown);
  EXPECT_EQ(Line.size(), 11u);
  // Nothing is better than the start: its neighbours.
  SearchSpace Space = spaceOf({6, 6, 11}, {0, 0, 0});
  EXPECT_EQ(
      search(Strategy::Local, Space, bowl({0, 0, 0}), nothingKnown).size(), 4u);
}

TEST(Local, GoesAroundWhatDoesNotRun) {
  SearchSpace Space = spaceOf({5, 5});
  Times Bowl = bowl({2, 2});
  Measured So = search(
      Strategy::Local, Space,
      [&](const Point &P) {
        return P == Point{1, 1} ? Infinity : Bowl(P);
      },
      nothingKnown);
  EXPECT_EQ(choosePoint(Space, So, 0), (Point{2, 2}));
}

//===--- Model ---===//

/// Ten kernels: two loops of which the second matters less, and a carveout; the
/// best point, the cost of missing it and the static plan differ.
struct Synthetic {
  SearchSpace Space;
  Times Time;
};
std::vector<Synthetic> tenKernels() {
  std::vector<Synthetic> Kernels;
  for (unsigned K = 0; K < 10; ++K) {
    Point Best = {K % 6, (3 * K) % 4, (7 * K) % 11};
    Kernels.push_back(
        {spaceOf({6, 4, 11}, {(K + 2) % 6, K % 4, 0}), [=](const Point &P) {
           auto Off = [&](unsigned I) {
             return std::abs(double(P[I]) - double(Best[I]));
           };
           return (1 + 0.3 * Off(0)) * (1 + 0.05 * K * Off(1)) *
                  (1 + 0.01 * Off(2) * Off(2));
         }});
  }
  return Kernels;
}

TEST(Model, MonotonePredictionFindsTheBestWithAQuarter) {
  for (const Synthetic &Kernel : tenKernels()) {
    // Right in the order, wrong in the size.
    auto Predict = [&](const Point &P) {
      return 3 + std::pow(Kernel.Time(P), 1.5);
    };
    Measured So = search(Strategy::Model, Kernel.Space, Kernel.Time, Predict);
    Point Chosen = choosePoint(Kernel.Space, So, 0);
    EXPECT_EQ(Kernel.Time(Chosen),
              Kernel.Time(fastest(Kernel.Space, Kernel.Time)));
    EXPECT_LE(So.size(), Kernel.Space.size() / 4);
  }
}

TEST(Model, NoisyPredictionComesNear) {
  for (const Synthetic &Kernel : tenKernels()) {
    auto Predict = [&](const Point &P) {
      unsigned Hash = 0;
      for (unsigned Index : P)
        Hash = (Hash + Index + 1) * 2654435761u;
      return Kernel.Time(P) * (1 + 0.2 * (Hash >> 16) / 65536);
    };
    Measured So = search(Strategy::Model, Kernel.Space, Kernel.Time, Predict);
    EXPECT_LE(Kernel.Time(choosePoint(Kernel.Space, So, 0)),
              1.2 * Kernel.Time(fastest(Kernel.Space, Kernel.Time)));
  }
}

TEST(Model, EndsWhenTheStartIsBestWhateverWasPredicted) {
  // All is predicted to be faster than the untuned code, and nothing is.
  SearchSpace Space = spaceOf({6, 4, 11});
  Times Time = bowl({0, 0, 0});
  Measured So = search(Strategy::Model, Space, Time,
                       [&](const Point &P) { return 10 - Time(P); });
  EXPECT_LE(So.size(), 12u);
}

TEST(Model, GoesOnAsLongAsItBringsSomething) {
  // The prediction is upside down: each point is better than those before.
  SearchSpace Space = spaceOf({30});
  Measured So = search(
      Strategy::Model, Space, [](const Point &P) { return 100.0 - P[0]; },
      [](const Point &P) { return 100.0 + P[0]; });
  EXPECT_EQ(So.size(), 30u);
}

TEST(Model, LeavesOutWhatIsPredictedTwiceAsSlow) {
  SearchSpace Space = spaceOf({40});
  auto Predict = [](const Point &P) { return 1.0 + P[0]; };
  std::vector<Point> Next =
      nextPoints(Strategy::Model, Space, {{{0}, 1.0}}, Predict);
  EXPECT_EQ(Next, (std::vector<Point>{{1}}));
}

TEST(Model, LargeSpaceIsSearchedInSteps) {
  // 6^20 points cannot be listed.
  Point Best(20, 0);
  Best[3] = Best[17] = 2;
  SearchSpace Space = spaceOf(std::vector<unsigned>(20, 6));
  Times Time = bowl(Best);
  Measured So = search(Strategy::Model, Space, Time, Time);
  EXPECT_EQ(choosePoint(Space, So, 0), Best);
  EXPECT_LE(So.size(), 100u);
}

//===--- The choice ---===//

TEST(ChoosePoint, FastestBeyondTheMargin) {
  SearchSpace Space = spaceOf({8}, {4});
  Measured So = {{{0}, 1.0}, {{4}, 0.9}, {{6}, 0.8}};
  EXPECT_EQ(choosePoint(Space, So, 0.01), Point{6});
}

TEST(ChoosePoint, UntunedWithinTheMargin) {
  SearchSpace Space = spaceOf({8}, {4});
  Measured So = {{{0}, 1.0}, {{4}, 0.999}, {{6}, 0.995}};
  EXPECT_EQ(choosePoint(Space, So, 0.01), Point{0});
  EXPECT_EQ(choosePoint(Space, So, 0.001), Point{6});
}

TEST(ChoosePoint, PlannedWithinTheMargin) {
  SearchSpace Space = spaceOf({8}, {4});
  Measured So = {{{0}, 1.0}, {{2}, 0.801}, {{4}, 0.805}, {{6}, 0.8}};
  EXPECT_EQ(choosePoint(Space, So, 0.01), Point{4});
}

TEST(ChoosePoint, WhatChangesLessWithinTheMargin) {
  SearchSpace Space = spaceOf({8, 11}, {4, 3});
  Measured So = {{{0, 0}, 1.0}, {{4, 3}, 0.8}, {{4, 0}, 0.801}, {{2, 7}, 0.8}};
  EXPECT_EQ(choosePoint(Space, So, 0.01), (Point{4, 0}));
  EXPECT_EQ(choosePoint(Space, So, 0), (Point{4, 3}));
}

// Within the margin of the fastest, not of the one that was taken so far.
TEST(ChoosePoint, MarginDoesNotAddUp) {
  SearchSpace Space = spaceOf({8, 8, 8});
  Measured So = {{{0, 0, 0}, 1.015}, {{1, 0, 0}, 1.009}, {{1, 1, 0}, 1.0}};
  EXPECT_EQ(choosePoint(Space, So, 0.01), (Point{1, 0, 0}));
}

TEST(ChoosePoint, NeverWhatIsOfNoUse) {
  SearchSpace Space = spaceOf({8}, {4});
  EXPECT_EQ(choosePoint(Space, {}), Point{0});
  EXPECT_EQ(choosePoint(Space, {{{4}, Infinity}}), Point{0});
  EXPECT_EQ(choosePoint(Space, {{{0}, 1.0}, {{4}, Infinity}}, 1000), Point{0});
  EXPECT_EQ(choosePoint(Space, {{{4}, Infinity}, {{6}, 1.5}}), Point{6});
}

} // namespace
