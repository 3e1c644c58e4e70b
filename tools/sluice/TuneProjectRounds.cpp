// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is one search: a build of a program, on one kind of GPU, with one list
// of arguments. It goes in rounds as `sluice tune` does: a survey, during which
// the search is prepared, then what the strategy asks for. A round is cut into
// pieces, folders that the pool's workers measure. What comes back goes into
// the store at once. Cases do not wait for one another, but at the end: those
// of one code and architecture make one plan, so each measures what the others
// have found best.

#include "ProjectTuner.h"
#include "TunePieces.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::tuning_project;

/// What feeds a worker now goes before what will: any round.
static constexpr CompileTurn PreparingTurn = {-1, 0};

//===- A case -------------------------------------------------------------===//

/// As many at a time as keep the slots busy: a search that is prepared feeds
/// the workers while others are.
void ProjectTuner::prepareNext() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Begun == Cases.size())
    return;
  Threads.async([this, &C = Cases[Begun++]] {
    prepare(C);
    prepareNext();
  });
}

/// In one of Threads, as all below.
void ProjectTuner::prepare(Case &C) {
  if (!beginSurvey(C))
    return;
  Error E = C.Search->prepare(PreparingTurn, C.Name);
  std::lock_guard<std::mutex> Guard(C.Lock);
  Timeline.searched(C.Name, "is prepared", C.Asked);
  C.IsPreparing = false;
  C.IsPrepared = !E;
  if (C.Problem.empty() && !Interrupted)
    C.Problem = toString(std::move(E));
  else
    consumeError(std::move(E));
  if (C.Survey)
    goOn(C, *C.Survey);
}

/// Needs the program only. False: the case is over.
bool ProjectTuner::beginSurvey(Case &C) {
  std::lock_guard<std::mutex> Guard(C.Lock);
  if (!Interrupted)
    if (Error E = makeSearch(C))
      C.Problem = toString(std::move(E));
  C.IsPreparing = C.Search != nullptr;
  if (C.IsPreparing)
    measure(C, {});
  else
    end(C);
  return C.IsPreparing;
}

Error ProjectTuner::makeSearch(Case &C) {
  std::string Own = Folder + "/" + C.Name;
  if (std::error_code EC = sys::fs::create_directories(Own))
    return createStringError(EC, "cannot make the folder '" + Own +
                                     "': " + EC.message());
  C.Search =
      std::make_unique<TuneSearch>(C.Arguments, Argv0, Own, *Slots, *Headers);
  return Error::success();
}

/// The pieces are written side by side, each by a thread.
void ProjectTuner::measure(Case &C, const std::vector<Request> &Requests) {
  std::vector<std::vector<Request>> Parts(1);
  const std::vector<Piece> Pieces = cut(C, Requests, Parts);
  C.BroughtSomething = false;
  C.Pending = Parts.size();
  for (size_t I = 0; I < Parts.size(); ++I)
    Threads.async(
        [this, P = Pieces[I], Part = std::move(Parts[I])] { write(P, Part); });
}

/// \p Parts: what each piece measures, for a survey nothing.
std::vector<Piece> ProjectTuner::cut(Case &C,
                                     const std::vector<Request> &Requests,
                                     std::vector<std::vector<Request>> &Parts) {
  const bool IsSurvey = Requests.empty();
  auto Guess = [&](const std::vector<Request> &Of) {
    return IsSurvey ? 0 : guessOf(C.Search->tuner().searches(), Of, Given);
  };
  const double Factor = C.Guessed > 0 ? C.Took / C.Guessed : 1;
  const double Seconds = Guess(Requests) * Factor;
  std::lock_guard<std::mutex> Guard(Lock);
  PieceSchedule &Schedule = Schedules.at(C.Workers.Name);
  if (!IsSurvey) {
    if (!std::exchange(C.IsScheduled, true))
      Schedule.surveyed(Seconds);
    Parts = cutRound(Requests,
                     Schedule.cut({Requests.size(), Seconds, C.OwnSeconds}));
    C.Longest = std::max(C.Longest, Seconds);
  }
  C.Asked = std::chrono::steady_clock::now();
  ++C.Rounds;
  std::vector<Piece> Pieces;
  for (const std::vector<Request> &Part : Parts) {
    const unsigned Number = C.Pieces++;
    Piece P;
    P.Of = &C;
    P.Folder = Folder + "/" + C.Name + "#" + std::to_string(Number);
    P.Plans = Part.size();
    P.Guess = Guess(Part);
    P.Seconds = P.Guess * Factor + C.OwnSeconds;
    // Surveys, for what they tell; then the longest. Rounds to come go with
    // the longest of their search.
    const bool IsLast = C.Arguments.How == Strategy::Exhaustive;
    P.First = IsSurvey ? 1e9 : IsLast ? P.Seconds : C.Longest;
    P.Turn = {IsSurvey ? 1e9 : C.Longest, Number};
    P.Asked = C.Asked;
    Schedule.add(P.Seconds);
    Pieces.push_back(std::move(P));
  }
  return Pieces;
}

void ProjectTuner::write(const Piece &P, const std::vector<Request> &Requests) {
  Case &C = *P.Of;
  const std::string Name = sys::path::filename(P.Folder).str();
  Error E = tryToWrite(C, P, Requests);
  if (!E) {
    Timeline.sent(Name, P.Asked);
    std::lock_guard<std::mutex> Guard(Lock);
    Out[Name] = P;
    Pool.progress().add();
    Pool.add({Name, P.Folder, C.Workers.Name, Given.PieceLimit, P.First,
              Folder + "/" + C.BestFile});
    return;
  }
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Schedules.at(C.Workers.Name).take(P.Seconds);
  }
  std::lock_guard<std::mutex> Guard(C.Lock);
  const std::string Why = toString(std::move(E));
  if (!Interrupted)
    C.Problem = Why;
  back(C, {P, Why, 0});
}

Error ProjectTuner::tryToWrite(Case &C, const Piece &P,
                               const std::vector<Request> &Requests) {
  const std::string Program = Folder + "/" + C.Name + "/program";
  const bool IsSurvey = Requests.empty(),
             IsBuilt = !C.Arguments.Command.empty();
  if (IsSurvey && !IsBuilt)
    if (Error E =
            Slots->run(P.Turn, {{C.Name + " program", [&] {
                                   return C.Search->compiler().program(Program);
                                 }}}))
      return E;
  RoundOptions Options = C.Search->roundOptions(P.Folder);
  Options.Turn = P.Turn;
  Options.What = sys::path::filename(P.Folder).str();
  const bool IsOnRay = Given.Engine == "ray"; // where folders stand alone
  Options.BestFile = IsOnRay ? "best" : "../" + C.BestFile;
  auto Write = [&](const std::string &Program) {
    return IsSurvey ? C.Search->writeSurvey(Options, Program)
                    : C.Search->write(Requests, Options, Program);
  };
  if (IsOnRay && !IsBuilt) {
    // All that a piece needs travels with it.
    if (std::error_code EC = sys::fs::create_directories(Options.Folder))
      return createStringError(EC, "cannot make the folder '" + Options.Folder +
                                       "': " + EC.message());
    std::string Copy = Options.Folder + "/program";
    if (std::error_code EC = sys::fs::copy_file(Program, Copy))
      return createStringError(EC,
                               "cannot write '" + Copy + "': " + EC.message());
    sys::fs::setPermissions(Copy, sys::fs::all_exe | sys::fs::all_read);
    return Write("./program");
  }
  SmallString<128> Here;
  if (std::error_code EC = sys::fs::current_path(Here))
    return createStringError(EC, "the current folder is not there");
  Options.WorkingFolder = std::string(Here);
  return Write(Program);
}

void ProjectTuner::takeBack(const std::string &Name, const std::string &Why,
                            double Seconds) {
  Piece P;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    P = Out.at(Name);
    Out.erase(Name);
    Schedules.at(P.Of->Workers.Name).take(P.Seconds);
  }
  Case &C = *P.Of;
  std::lock_guard<std::mutex> Guard(C.Lock);
  back(C, {P, Why, Seconds});
}

void ProjectTuner::back(Case &C, Outcome From) {
  if (C.IsPreparing)
    C.Survey = std::move(From);
  else
    goOn(C, From);
}

void ProjectTuner::goOn(Case &C, const Outcome &From) {
  const Piece &P = From.Of;
  if (C.IsPrepared) {
    Error E = take(C, P);
    if (E && From.Why.empty())
      C.Problem = toString(std::move(E));
    else
      consumeError(std::move(E));
  }
  sys::fs::remove_directories(P.Folder);
  if (P.Plans == 0)
    C.OwnSeconds = From.Seconds;
  C.Guessed += P.Guess;
  if (P.Guess > 0)
    C.Took += std::max(0., From.Seconds - C.OwnSeconds);
  if (--C.Pending != 0)
    return;
  if (P.Plans != 0)
    Timeline.searched(C.Name, "round " + std::to_string(C.Rounds - 1), C.Asked);
  if (!C.BroughtSomething && C.Problem.empty() && !Interrupted)
    C.Problem = From.Why.empty() ? "the last round brought nothing" : From.Why;
  if (!C.Problem.empty())
    return end(C);
  nextRound(C);
}

/// Of all workers of a kind, whose plans are for one chip.
std::string ProjectTuner::firstChip(const std::string &Kind,
                                    const std::string &Chip) {
  std::lock_guard<std::mutex> Guard(Lock);
  return Chips.try_emplace(Kind, Chip).first->second;
}

Error ProjectTuner::take(Case &C, const Piece &P) {
  auto Read = readRound(P.Folder);
  if (!Read)
    return Read.takeError();
  if (Read->GPU.empty())
    return createStringError("the program launched no kernel on a GPU");
  if (const std::string First = firstChip(C.Workers.Name, Read->GPU);
      First != Read->GPU)
    return createStringError(
        "a worker of '" + C.Workers.Name + "' has '" + Read->GPU +
        "', and another has '" + First +
        "': tell them apart by two [[workers]] in the project");
  Tuner &T = C.Search->tuner();
  if (!C.IsSurveyed) {
    if (Read->Runs.empty())
      return createStringError("the program did not come to its end");
    T.keepHot(Read->Runs, /*Share=*/0.01);
    if (Error E = T.setGPU(Read->GPU))
      return E;
    C.IsSurveyed = C.BroughtSomething = true;
  }
  C.BroughtSomething |= !Read->Evaluations.empty();
  return T.take(*Read);
}

void ProjectTuner::nextRound(Case &C) {
  const double Gone =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Began)
          .count();
  bool IsConfirmed;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    IsConfirmed = C.Of->IsConfirmed;
  }
  if (IsConfirmed || Interrupted)
    return end(C);
  std::vector<Request> Requests = C.Search->tuner().next();
  if (Requests.empty())
    return end(C);
  putPlannedFirst(C.Search->tuner().searches(), Requests);
  if (Given.Budget > 0 && Gone > Given.Budget) {
    C.Problem = "the budget is spent, and there is more to measure";
    return end(C);
  }
  measure(C, Requests);
}

void ProjectTuner::end(Case &C) {
  std::lock_guard<std::mutex> Guard(Lock);
  Group &G = *C.Of;
  --G.Searching;
  PieceSchedule &Schedule = Schedules.at(C.Workers.Name);
  if (!std::exchange(C.IsScheduled, true))
    Schedule.surveyed(0);
  Schedule.over();
  if (G.Searching == 0 && !G.IsConfirmed && G.Cases.size() > 1 &&
      !Interrupted) {
    G.IsConfirmed = true;
    Pool.open(); // the task
    Threads.async([this, &G] { confirm(G); });
  }
  Pool.over();
}

/// All cases of the group are over: what each of them found best, the others
/// measure too.
void ProjectTuner::confirm(Group &G) {
  std::vector<const Tuner *> All;
  for (Case *C : G.Cases)
    if (C->IsSurveyed)
      All.push_back(&C->Search->tuner());
  std::vector<std::pair<Case *, std::vector<Request>>> Asked;
  for (Case *C : G.Cases)
    if (C->IsSurveyed)
      if (auto Requests = C->Search->tuner().missing(All); !Requests.empty())
        Asked.push_back({C, std::move(Requests)});
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Pool.open(Asked.size());
    Pool.over(); // this task
    G.Searching = Asked.size();
  }
  for (auto &[C, Requests] : Asked) {
    std::lock_guard<std::mutex> Guard(C->Lock);
    measure(*C, Requests);
  }
}
