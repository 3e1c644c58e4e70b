// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Projects on GPUs whose clock is simulated: two must be 1.9 times as fast as
/// one.

#include "sluice/Tuning/PieceSchedule.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <random>

using namespace sluice;

namespace {

/// A search: the seconds that the plans of each of its rounds take, one after
/// the other.
struct Search {
  std::vector<double> Rounds;
  size_t Plans = 64; ///< Of each round.
  double Own = 0.6;  ///< The program's own run.
};

/// As `sluice tune --project` goes about it. Pieces are of unequal length and
/// take other times than were guessed.
class Project {
public:
  Project(std::vector<Search> Of, unsigned GPUs)
      : Searches(std::move(Of)), Free(GPUs),
        Schedule(GPUs, unsigned(Searches.size())) {}

  /// Seconds.
  double run() {
    for (size_t I = 0; I < Searches.size(); ++I)
      add({1e9, Searches[I].Own, 0, [this, I] { nextRound(I, 0); }});
    while (!Events.empty()) {
      auto [Time, Number] = Events.top();
      Events.pop();
      Now = Time;
      // A copy: what it does adds to them.
      std::function<void()> Then = std::move(Actions[Number]);
      Then();
    }
    return Now;
  }

  bool IsCut = true; ///< Not: a round is one piece, first come, first served.
  unsigned Pieces = 0;
  double Compile = 1.5; ///< Before each round.

private:
  struct Piece {
    double First, Seconds, Guess;
    std::function<void()> Then;
  };

  void at(double Time, std::function<void()> Then) {
    Events.push({Time, Actions.size()});
    Actions.push_back(std::move(Then));
  }

  void add(Piece P) {
    ++Pieces;
    Waiting.push_back(std::move(P));
    begin();
  }

  void begin() {
    while (Free > 0 && !Waiting.empty()) {
      auto Next = IsCut ? std::max_element(Waiting.begin(), Waiting.end(),
                                           [](const Piece &A, const Piece &B) {
                                             return A.First < B.First;
                                           })
                        : Waiting.begin();
      Piece P = std::move(*Next);
      Waiting.erase(Next);
      --Free;
      at(Now + P.Seconds, [this, P] {
        ++Free;
        Schedule.take(P.Guess);
        P.Then();
        begin();
      });
    }
  }

  void nextRound(size_t I, size_t Round) {
    const Search &S = Searches[I];
    // Guesses are off by up to a half either way, as kernels are.
    const double Guess =
        Round < S.Rounds.size() ? S.Rounds[Round] * (1 + 0.5 * sin(3. * I)) : 0;
    if (Round == 0)
      Schedule.surveyed(Guess);
    if (Round == S.Rounds.size())
      return Schedule.over();
    const std::vector<double> Parts =
        IsCut ? Schedule.cut({S.Plans, Guess, S.Own}) : std::vector<double>{1};
    for (double Part : Parts)
      Schedule.add(S.Own + Guess * Part);
    at(Now + Compile, [=] { measure(I, Round, Guess, Parts); });
  }

  void measure(size_t I, size_t Round, double Guess,
               const std::vector<double> &Parts) {
    const Search &S = Searches[I];
    auto Left = std::make_shared<size_t>(Parts.size());
    auto Back = [this, I, Round, Left] {
      if (--*Left == 0)
        nextRound(I, Round + 1);
    };
    std::vector<double> Weights;
    for (size_t P = 0; P < Parts.size(); ++P)
      Weights.push_back(Parts[P] * (1 + 0.4 * sin(double(P + I))));
    const double Sum = std::accumulate(Weights.begin(), Weights.end(), 0.);
    for (size_t P = 0; P < Parts.size(); ++P)
      add({S.Rounds.size() == 1 ? Guess * Parts[P]
                                : std::max(Guess, S.Rounds[0]),
           S.Own + S.Rounds[Round] * Weights[P] / Sum, S.Own + Guess * Parts[P],
           Back});
  }

  using Event = std::pair<double, size_t>;

  std::vector<Search> Searches;
  unsigned Free;
  double Now = 0;
  PieceSchedule Schedule;
  std::vector<Piece> Waiting;
  std::vector<std::function<void()>> Actions;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> Events;
};

double gain(const std::vector<Search> &Searches, unsigned GPUs,
            bool IsCut = true) {
  Project One(Searches, 1), Many(Searches, GPUs);
  One.IsCut = Many.IsCut = IsCut;
  const double Alone = One.run();
  return Alone / Many.run();
}

/// The four programs of benchmarks/results/2026-11-h100-two-gpus: the longest
/// comes last.
const std::vector<Search> Exhaustive = {
    {{9}, 100}, {{12}, 200}, {{20}, 150}, {{78}, 358}};
/// Chains of rounds; the longest is a fifth of all.
const std::vector<Search> Local = {
    {{4, 1.5}, 9}, {{2, 1}, 9},     {{7, 3, 1}, 12}, {{3, 3, 3}, 5},
    {{5}, 12},     {{1, 1}, 4},     {{6, 2}, 8},     {{3, 1, 1}, 8},
    {{8, 2}, 10},  {{2}, 6},        {{4, 4}, 6},     {{15, 3}, 18},
    {{1}, 3},      {{10, 5, 2}, 9}, {{6, 6}, 8},     {{20, 12, 8}, 14}};

/// Projects of searches of some length each, 110 s in all: the gain of two GPUs
/// that nine of ten have, or more.
double usualGain(size_t Searches, const std::vector<double> &Rounds) {
  std::mt19937 Random(1);
  std::vector<double> Gains;
  for (int Project = 0; Project < 100; ++Project) {
    std::vector<double> Lengths;
    for (size_t I = 0; I < Searches; ++I) // from 1 to 20
      Lengths.push_back(std::exp(3. * (Random() % 1000) / 1000));
    const double Sum = std::accumulate(Lengths.begin(), Lengths.end(), 0.);
    std::vector<Search> All;
    for (double Length : Lengths) {
      All.push_back({Rounds, 100});
      for (double &Round : All.back().Rounds)
        Round *= 110 * Length / Sum;
    }
    Gains.push_back(gain(All, 2));
  }
  std::sort(Gains.begin(), Gains.end());
  return Gains[10];
}

TEST(PieceSchedule, TwoGPUsEndTogetherWhateverTheSearchesAre) {
  EXPECT_GE(usualGain(4, {1}), 1.8);
  EXPECT_GE(usualGain(8, {1}), 1.9);
  EXPECT_GE(usualGain(16, {1}), 1.93);
  EXPECT_GE(usualGain(16, {0.6, 0.3, 0.1}), 1.9);
  EXPECT_GE(usualGain(40, {0.6, 0.3, 0.1}), 1.93);
}

TEST(PieceSchedule, TwoGPUsEndTogether) {
  EXPECT_GE(gain(Exhaustive, 2), 1.85) << "four searches only";
  EXPECT_GE(gain(Local, 2), 1.9);
  std::vector<Search> Both = Exhaustive;
  Both.insert(Both.end(), Local.begin(), Local.end());
  EXPECT_GE(gain(Both, 2), 1.9);
  EXPECT_GE(gain(Both, 4), 3.6);
}

// What the test is for.
TEST(PieceSchedule, WithoutCutsTheLastSearchIsAlone) {
  EXPECT_LT(gain(Exhaustive, 2, /*IsCut=*/false), 1.5);
  EXPECT_LT(gain(Local, 2, /*IsCut=*/false), 1.9);
}

TEST(PieceSchedule, OneSearchIsSharedByAll) {
  EXPECT_GE(gain({{{100}}}, 2), 1.8);
  EXPECT_GE(gain({{{100}}}, 8), 5);
}

TEST(PieceSchedule, PartsAreTheWholeAndNoneIsBelowARun) {
  for (double Seconds : {0.1, 3., 10., 100., 1000.})
    for (double Own : {0., 0.3, 5.}) {
      PieceSchedule Schedule(2, 1);
      double Sum = 0;
      for (double Part : Schedule.cut({358, Seconds, Own})) {
        EXPECT_GE(Part * Seconds, std::min(Own, Seconds));
        Sum += Part;
      }
      EXPECT_NEAR(Sum, 1, 1e-9);
    }
}

TEST(PieceSchedule, OneGPUGetsWholeRounds) {
  PieceSchedule Schedule(1, 3);
  EXPECT_EQ(Schedule.cut({358, 100, 0.5}).size(), 1u);
}

// A piece costs a run of the program: short rounds stay whole.
TEST(PieceSchedule, ShortRoundsAreNotCut) {
  PieceSchedule Schedule(2, 10);
  Schedule.surveyed(5);
  EXPECT_EQ(Schedule.cut({8, 2, 0.5}).size(), 1u);
  Project Many(Local, 2);
  Many.run();
  EXPECT_LT(Many.Pieces, 80u) << "48 are whole rounds and surveys";
}

TEST(PieceSchedule, FreeWorkersShareWhatIsWorthIt) {
  PieceSchedule Schedule(4, 2);
  EXPECT_EQ(Schedule.cut({8, 4, 2}).size(), 2u) << "two for each search";
  EXPECT_EQ(Schedule.cut({8, 1, 2}).size(), 1u);
  EXPECT_EQ(Schedule.cut({1, 100, 1}).size(), 1u);
  // Nothing is known of the times.
  EXPECT_EQ(Schedule.cut({8, 0, 0}).size(), 1u);
  EXPECT_EQ(Schedule.cut({17, 0, 0}).size(), 2u);
}

// What is not surveyed yet will have work too.
TEST(PieceSchedule, ThoseThatComeAreCounted) {
  PieceSchedule Few(2, 1), Many(2, 40);
  Few.surveyed(40);
  Many.surveyed(40);
  EXPECT_GT(Few.cut({400, 40, 0.5}).size(), 4u);
  EXPECT_EQ(Many.cut({400, 40, 0.5}).size(), 1u);
}

TEST(PieceSchedule, GuessesByTheTimesWithoutAPlan) {
  KernelSearch Search;
  EXPECT_EQ(guessSeconds(Search, 10, 7, 4), 0) << "it was not launched";
  Search.Run = {1, 9.8};
  EXPECT_DOUBLE_EQ(guessSeconds(Search, 100, 16, 4), 100 * (4 + 2) * 0.01);
  Search.Run = {8, 8 * 9.8}; // launches 0, 1, 3 and 7
  EXPECT_DOUBLE_EQ(guessSeconds(Search, 100, 16, 4), 4 * 100 * (4 + 2) * 0.01);
  EXPECT_DOUBLE_EQ(guessSeconds(Search, 100, 16, 1), 100 * (4 + 2) * 0.01);
  Search.Run = {7, 7 * 9.8};
  EXPECT_DOUBLE_EQ(guessSeconds(Search, 100, 16, 4), 3 * 100 * (4 + 2) * 0.01);
}

} // namespace
