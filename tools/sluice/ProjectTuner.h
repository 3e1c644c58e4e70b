// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Many searches at once: TuneProject.cpp begins and ends them, and
/// TuneProjectRounds.cpp is what goes on in between.

#ifndef SLUICE_TOOLS_SLUICE_PROJECTTUNER_H
#define SLUICE_TOOLS_SLUICE_PROJECTTUNER_H

#include "ProjectPool.h"
#include "TuneProjectCase.h"
#include "TuneTimeline.h"
#include "sluice/Tuning/PieceSchedule.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <deque>

namespace sluice::tuning_project {

class ProjectTuner {
public:
  ProjectTuner(TuneArguments Given, const char *Argv0)
      : Given(std::move(Given)), Argv0(Argv0) {}

  llvm::Expected<bool> run();

private:
  void makeCases(const TuneProjectFile &File);
  llvm::Error makeFolder();
  unsigned compilers() const;

  void prepareNext();
  void prepare(Case &C);
  bool beginSurvey(Case &C);
  llvm::Error makeSearch(Case &C);
  void nextRound(Case &C);
  void measure(Case &C, const std::vector<Request> &Requests);
  std::vector<Piece> cut(Case &C, const std::vector<Request> &Requests,
                         std::vector<std::vector<Request>> &Parts);
  void write(const Piece &P, const std::vector<Request> &Requests);
  llvm::Error tryToWrite(Case &C, const Piece &P,
                         const std::vector<Request> &Requests);
  void takeBack(const std::string &Name, const std::string &Why,
                double Seconds);
  void back(Case &C, Outcome From);
  void goOn(Case &C, const Outcome &From);
  std::string firstChip(const std::string &Kind, const std::string &Chip);
  llvm::Error take(Case &C, const Piece &P);
  void end(Case &C);
  void confirm(Group &G);

  void writeTimeline();
  bool finish();

  /// Ctrl-C was pressed.
  static inline std::atomic<bool> Interrupted = false;

  TuneArguments Given;
  const char *Argv0;
  std::string Folder; ///< Of all pieces, and the cases' own.
  std::deque<Case> Cases;
  std::map<std::string, Group> Groups; ///< By plan file and architecture.
  ProjectPool Pool{"sluice tune", "pieces", Interrupted};
  std::chrono::steady_clock::time_point Began =
      std::chrono::steady_clock::now();

  std::mutex Lock;                  ///< For what is below, and for Groups.
  std::map<std::string, Piece> Out; ///< Pieces that are with the pool.
  std::map<std::string, PieceSchedule> Schedules; ///< By kind of workers.
  std::map<std::string, std::string> Chips;       ///< By kind of workers.
  size_t Begun = 0;                               ///< Cases.

  TuneTimeline Timeline;
  std::optional<CompileSlots> Slots;
  std::optional<ParsedHeaders> Headers;
  /// They wait most of the time, for compiles. Last: they use all else.
  llvm::DefaultThreadPool Threads{llvm::hardware_concurrency(256)};
};

} // namespace sluice::tuning_project

#endif
