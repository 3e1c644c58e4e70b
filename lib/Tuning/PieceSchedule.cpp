// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workers take the pieces of the longest searches first. So a piece need
// not be shorter than a part of what is left altogether: shorter ones come
// later, and fill the gaps at the end. Each piece repeats the program's own
// run.

#include "sluice/Tuning/PieceSchedule.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

// By simulation (PieceScheduleTest.cpp).
/// A piece is at most this part of what a worker has to do.
static constexpr double PiecesOfAWorker = 2;
/// How much faster than the work that is left pieces become shorter.
static constexpr double Shrink = 1.5;
/// What part of the other searches' work comes in pieces that are short enough
/// to fill the gaps at the end: of so many searches all, but not more and not
/// less than these.
static constexpr double AllFill = 16, LeastFilling = 0.25, MostFilling = 0.75;
/// A piece is this much longer than what it repeats.
static constexpr double LeastWork = 5;
/// Of all plans, about so many are near the best and measured to the end.
static constexpr double NearTheBest = 1. / 8;
/// Rounds before a plan is given up, with the run that checks it.
static constexpr unsigned LeastRuns = 4;
/// To put memory back and empty the caches.
static constexpr double MsBesideARun = 0.2;
/// Where nothing is known of times.
static constexpr size_t FewPlans = 8;

double sluice::guessSeconds(const KernelSearch &Search, size_t Plans,
                            unsigned Rounds, unsigned Launches) {
  if (Search.Run.Launches == 0)
    return 0;
  // Launches 0, 1, 3, 7 and so on are replayed.
  const unsigned Replayed =
      std::min(Launches, Log2_32(Search.Run.Launches) + 1);
  const double Ms = Search.Run.Ms / Search.Run.Launches + MsBesideARun;
  const double Runs = LeastRuns + NearTheBest * Rounds;
  return double(Plans) * Replayed * Runs * Ms / 1000;
}

void PieceSchedule::surveyed(double Seconds) {
  NotSurveyed -= NotSurveyed > 0;
  ++Surveyed;
  SurveyedSeconds += Seconds;
}

void PieceSchedule::over() { Searches -= Searches > 0; }

std::vector<double> PieceSchedule::cut(const PieceRound &Round) const {
  if (Workers < 2 || Round.Plans < 2)
    return {1};
  // Workers that have nothing else to do.
  const double Free = Workers / std::max(1u, Searches);
  const bool IsKnown = Round.OwnSeconds > 0 && Round.PlanSeconds > 0;
  const double Worth = IsKnown ? Round.PlanSeconds / Round.OwnSeconds
                               : double(divideCeil(Round.Plans, FewPlans));
  std::vector<double> Parts;
  if (IsKnown)
    Parts = cutLong(Round);
  const double Least = std::min({Free, Worth, double(Round.Plans)});
  if (double(Parts.size()) < Least)
    Parts.assign(size_t(Least), 1 / std::floor(Least));
  return Parts.empty() ? std::vector<double>{1} : Parts;
}

/// Long pieces first, then shorter ones.
std::vector<double> PieceSchedule::cutLong(const PieceRound &Round) const {
  const double Mean = Surveyed ? SurveyedSeconds / Surveyed : 0;
  const double Others = std::max(0., Left) + NotSurveyed * Mean;
  const double Longest =
      (Round.PlanSeconds + Others) / (Workers * PiecesOfAWorker);
  const double Least = LeastWork * Round.OwnSeconds;
  const double Filling =
      std::clamp(Searches / AllFill, LeastFilling, MostFilling);
  std::vector<double> Parts;
  for (double Rest = Round.PlanSeconds; Rest > 0;) {
    const double Fair = (Rest + Filling * Others) / (Workers * Shrink);
    double Part = std::max(Least, std::min(Longest, Fair));
    if (Rest < Part + Least)
      Part = Rest;
    Parts.push_back(Part / Round.PlanSeconds);
    Rest -= Part;
  }
  return Parts;
}
