// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Into how many pieces of work the rounds of many searches are cut, so that
/// several GPUs end together.

#ifndef SLUICE_TUNING_PIECESCHEDULE_H
#define SLUICE_TUNING_PIECESCHEDULE_H

#include "sluice/Tuning/Tuner.h"

namespace sluice {

/// A round of one search.
struct PieceRound {
  size_t Plans = 0;
  double PlanSeconds = 0; ///< What all its plans take, about.
  double OwnSeconds = 0;  ///< What each piece takes besides.
};

/// What \p Plans plans of a kernel take, by its times without a plan.
double guessSeconds(const KernelSearch &Search, size_t Plans, unsigned Rounds,
                    unsigned Launches);

/// The work of all workers of one kind. It knows searches by their number only:
/// a search is first surveyed, then measured in rounds, each in pieces.
class PieceSchedule {
public:
  PieceSchedule() = default;
  PieceSchedule(unsigned Workers, unsigned Searches)
      : Workers(Workers), Searches(Searches), NotSurveyed(Searches) {}

  /// A search was surveyed; what is known of its length is its first round.
  void surveyed(double Seconds);
  /// A surveyed search is over.
  void over();
  /// A piece of so many seconds is waiting or at work, and is back.
  void add(double Seconds) { Left += Seconds; }
  void take(double Seconds) { Left -= Seconds; }

  /// The pieces that a round should be, each as a part of its plans; the sum is
  /// 1.
  std::vector<double> cut(const PieceRound &Round) const;

private:
  std::vector<double> cutLong(const PieceRound &Round) const;

  unsigned Workers = 1;
  unsigned Searches = 0; ///< Not over.
  unsigned NotSurveyed = 0, Surveyed = 0;
  double SurveyedSeconds = 0; ///< Of the first rounds of those.
  double Left = 0;
};

} // namespace sluice

#endif
