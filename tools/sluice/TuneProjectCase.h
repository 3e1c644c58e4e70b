// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// What TuneProject.cpp keeps of its searches.

#ifndef SLUICE_TOOLS_SLUICE_TUNEPROJECTCASE_H
#define SLUICE_TOOLS_SLUICE_TUNEPROJECTCASE_H

#include "TuneProjectFile.h"
#include "TuneSearch.h"
#include <memory>
#include <mutex>
#include <optional>

namespace sluice::tuning_project {

struct Group;
struct Case;

struct Piece {
  Case *Of = nullptr;
  std::string Folder;
  size_t Plans = 0;
  double Guess = 0;   ///< Seconds of all its plans, by the untuned times.
  double Seconds = 0; ///< In the schedule.
  double First = 0;   ///< PoolPiece::First.
  CompileTurn Turn;
  std::chrono::steady_clock::time_point Asked;
};

/// A piece that is back.
struct Outcome {
  Piece Of;
  std::string Why; ///< It failed; or "".
  double Seconds = 0;
};

struct Case {
  std::string Name;
  TuneArguments Arguments;
  ProjectWorkers Workers;
  Group *Of = nullptr;
  std::string BestFile; ///< RoundOptions::BestFile of all its rounds.
  /// Only while it is held the members below are used, but for Search by who
  /// prepares it and writes pieces.
  std::mutex Lock;
  std::unique_ptr<TuneSearch> Search;
  bool IsPreparing = false;
  bool IsPrepared = false; ///< Never, if its compiles failed.
  std::optional<Outcome> Survey; ///< Back before all was prepared.
  bool IsSurveyed = false, IsScheduled = false;
  unsigned Rounds = 0;          ///< Begun so far; the survey is one.
  unsigned Pieces = 0;          ///< Of them, so far.
  unsigned Pending = 0;         ///< And not yet back.
  bool BroughtSomething = true; ///< The round that is measured now.
  double OwnSeconds = 0;        ///< Of a piece without plans; 0: not known.
  double Guessed = 0, Took = 0; ///< Seconds of all plans so far.
  double Longest = 0;           ///< Of its rounds, seconds.
  std::string Problem;          ///< Why it ended early.
  std::chrono::steady_clock::time_point Asked; ///< The round.
};

/// What makes one plan: cases of one code for one architecture.
struct Group {
  std::string Output; ///< The plan's file.
  std::vector<Case *> Cases;
  unsigned Searching = 0; ///< Cases that are not over.
  bool IsConfirmed = false;
};

} // namespace sluice::tuning_project

#endif
