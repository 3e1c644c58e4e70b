// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is one search: a build of a program, on one kind of GPU, with one list
// of arguments. It goes in rounds as `sluice tune` does: a survey, during which
// the search is prepared, then what the strategy asks for. A round is cut into
// pieces, folders that the pool's workers measure. What comes back goes into
// the store at once. Cases do not wait for one another, but at the end: those
// of one code and architecture make one plan, so each measures what the others
// have found best.

#include "TuneProject.h"
#include "ProjectPool.h"
#include "TunePieces.h"
#include "TuneProjectCase.h"
#include "TuneWorkers.h"
#include "sluice/Tuning/PieceSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <deque>

using namespace llvm;
using namespace sluice;
using namespace sluice::tuning_project;

namespace {

std::atomic<bool> Interrupted = false;

class ProjectTuner {
public:
  ProjectTuner(TuneArguments Given, const char *Argv0)
      : Given(std::move(Given)), Argv0(Argv0),
        Compilers(hardware_concurrency()) {}

  Expected<bool> run();

private:
  void makeCases(const TuneProjectFile &File);
  Error makeFolder();

  void prepare(Case &C);
  bool beginSurvey(Case &C);
  Error compileProgram(Case &C);
  void nextRound(Case &C);
  bool measure(Case &C, const std::vector<Request> &Requests);
  Error write(Case &C, const std::vector<Request> &Requests,
              const std::string &Name);
  void takeBack(const std::string &Name, const std::string &Why,
                double Seconds);
  void goOn(Case &C, const Outcome &From);
  Error take(Case &C, const Piece &P);
  void end(Case &C);
  void confirm(Group &G);

  bool finish();

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

  DefaultThreadPool Compilers; ///< Last: its threads use all else.
};

//===- Before the search --------------------------------------------------===//

void ProjectTuner::makeCases(const TuneProjectFile &File) {
  for (ProjectCase &Of : casesOf(File.Programs, File.Workers)) {
    Case &C = Cases.emplace_back();
    TuneArguments &A = C.Arguments = Given;
    A.Source = std::move(Of.Source);
    A.ForClang = std::move(Of.ForClang);
    A.ForProgram = std::move(Of.ForProgram);
    A.Command = std::move(Of.Command);
    A.Output = Of.Build + ".tuned.yaml";
    C.Name = std::move(Of.Name);
    C.Workers = std::move(Of.Workers);
    // A word: names may have blanks.
    C.BestFile = "best-" + std::to_string(Cases.size());
    C.Of = &Groups[A.Output + " " + C.Workers.Architecture];
    C.Of->Output = A.Output;
    C.Of->Cases.push_back(&C);
    ++C.Of->Searching;
  }
  for (const auto &[Kind, Count] : Pool.workers())
    Schedules[Kind] =
        PieceSchedule(Count, count_if(Cases, [Name = &Kind](const Case &C) {
                        return C.Workers.Name == *Name;
                      }));
}

/// Beside the store: Slurm's nodes see it. Removed at the end.
Error ProjectTuner::makeFolder() {
  SmallString<128> Path(Given.Store);
  Path += ".pieces-%%%%%%";
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return createStringError(EC, "the current folder is not there");
  SmallString<128> Unique;
  sys::fs::createUniquePath(Path, Unique, /*MakeAbsolute=*/false);
  if (std::error_code EC = sys::fs::create_directories(Unique))
    return createStringError(EC, "cannot make the folder '" + Unique +
                                     "': " + EC.message());
  Folder = std::string(Unique);
  return Error::success();
}

//===- A case -------------------------------------------------------------===//

/// In a thread of Compilers, as all below.
void ProjectTuner::prepare(Case &C) {
  if (!beginSurvey(C))
    return;
  Error E = C.Search->prepare();
  std::lock_guard<std::mutex> Guard(C.Lock);
  C.IsPreparing = false;
  if (E) {
    C.Problem = toString(std::move(E));
    C.Search.reset();
  }
  if (C.Survey)
    goOn(C, *C.Survey);
}

/// Needs the program only. False: the case is over.
bool ProjectTuner::beginSurvey(Case &C) {
  std::lock_guard<std::mutex> Guard(C.Lock);
  if (!Interrupted) {
    Error E = compileProgram(C);
    C.IsPreparing = !E;
    if (!E && measure(C, {}))
      return true;
    if (E)
      C.Problem = toString(std::move(E));
    C.Search.reset();
  }
  end(C);
  return false;
}

Error ProjectTuner::compileProgram(Case &C) {
  std::string Own = Folder + "/" + C.Name;
  if (std::error_code EC = sys::fs::create_directories(Own))
    return createStringError(EC, "cannot make the folder '" + Own +
                                     "': " + EC.message());
  C.Search = std::make_unique<TuneSearch>(C.Arguments, Argv0, Own);
  if (!C.Arguments.Command.empty())
    return Error::success();
  return C.Search->compiler().program(Own + "/program");
}

/// False: nothing is with the pool, for the case's Problem.
bool ProjectTuner::measure(Case &C, const std::vector<Request> &Requests) {
  const bool IsSurvey = Requests.empty();
  auto Guess = [&](const std::vector<Request> &Of) {
    return IsSurvey ? 0 : guessOf(C.Search->tuner().searches(), Of, Given);
  };
  const double Factor = C.Guessed > 0 ? C.Took / C.Guessed : 1;
  std::vector<std::vector<Request>> Parts(1);
  std::vector<Piece> Pieces;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    PieceSchedule &Schedule = Schedules.at(C.Workers.Name);
    const double Seconds = Guess(Requests) * Factor;
    if (!IsSurvey) {
      if (!std::exchange(C.IsScheduled, true))
        Schedule.surveyed(Seconds);
      Parts = cutRound(Requests,
                       Schedule.cut({Requests.size(), Seconds, C.OwnSeconds}));
      C.Longest = std::max(C.Longest, Seconds);
    }
    for (const std::vector<Request> &Part : Parts) {
      Piece P{&C, Folder + "/" + C.Name + "#" + std::to_string(C.Pieces++),
              Part.size()};
      P.Guess = Guess(Part);
      P.Seconds = P.Guess * Factor + C.OwnSeconds;
      Schedule.add(P.Seconds);
      Pieces.push_back(std::move(P));
    }
  }
  C.BroughtSomething = false;
  C.Pending = Parts.size();
  for (auto [Part, P] : zip_equal(Parts, Pieces)) {
    const std::string Name = sys::path::filename(P.Folder).str();
    Error E = write(C, Part, Name);
    std::lock_guard<std::mutex> Guard(Lock);
    if (E) {
      C.Problem = toString(std::move(E));
      --C.Pending;
      Schedules.at(C.Workers.Name).take(P.Seconds);
      continue;
    }
    Out[Name] = P;
    Pool.progress().add();
    // Surveys, for what they tell; then the longest. Rounds to come go with
    // the longest of their search.
    const bool IsLast = C.Arguments.How == Strategy::Exhaustive;
    const double First = IsSurvey ? 1e9 : IsLast ? P.Seconds : C.Longest;
    Pool.add({Name, P.Folder, C.Workers.Name, Given.PieceLimit, First,
              Folder + "/" + C.BestFile});
  }
  return C.Pending != 0;
}

Error ProjectTuner::write(Case &C, const std::vector<Request> &Requests,
                          const std::string &Name) {
  RoundOptions Options = C.Search->roundOptions(Folder + "/" + Name);
  Options.Jobs =
      std::max<size_t>(1, Options.Jobs / std::max<size_t>(1, Pool.opened()));
  const bool IsOnRay = Given.Engine == "ray"; // where folders stand alone
  Options.BestFile = IsOnRay ? "best" : "../" + C.BestFile;
  std::string Program = Folder + "/" + C.Name + "/program";
  if (IsOnRay && C.Arguments.Command.empty()) {
    // All that a piece needs travels with it.
    if (std::error_code EC = sys::fs::create_directories(Options.Folder))
      return createStringError(EC, "cannot make the folder '" + Options.Folder +
                                       "': " + EC.message());
    std::string Copy = Options.Folder + "/program";
    if (std::error_code EC = sys::fs::copy_file(Program, Copy))
      return createStringError(EC,
                               "cannot write '" + Copy + "': " + EC.message());
    sys::fs::setPermissions(Copy, sys::fs::all_exe | sys::fs::all_read);
    return C.Search->write(Requests, Options, "./program");
  }
  SmallString<128> Here;
  if (std::error_code EC = sys::fs::current_path(Here))
    return createStringError(EC, "the current folder is not there");
  Options.WorkingFolder = std::string(Here);
  return C.Search->write(Requests, Options, Program);
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
  Outcome From{P, Why, Seconds};
  if (C.IsPreparing)
    C.Survey = std::move(From);
  else
    goOn(C, From);
}

void ProjectTuner::goOn(Case &C, const Outcome &From) {
  const Piece &P = From.Of;
  if (C.Search) {
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
  if (!C.BroughtSomething && C.Problem.empty() && !Interrupted)
    C.Problem = From.Why.empty() ? "the last round brought nothing" : From.Why;
  if (!C.Problem.empty())
    return end(C);
  nextRound(C);
}

Error ProjectTuner::take(Case &C, const Piece &P) {
  auto Read = readRound(P.Folder);
  if (!Read)
    return Read.takeError();
  if (Read->GPU.empty())
    return createStringError("the program launched no kernel on a GPU");
  Tuner &T = C.Search->tuner();
  if (!C.IsSurveyed) {
    if (Read->Runs.empty())
      return createStringError("the program did not come to its end");
    T.keepHot(Read->Runs, /*Share=*/0.01);
    if (Error E = T.setGPU(Read->GPU))
      return E;
    C.IsSurveyed = C.BroughtSomething = true;
  }
  for (const KernelSearch &Search : T.searches())
    if (Search.Context.GPU != Read->GPU)
      return createStringError(
          "a worker of '" + C.Workers.Name + "' has '" + Read->GPU +
          "', and another had '" + Search.Context.GPU +
          "': tell them apart by two [[workers]] in the project");
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
  if (!measure(C, Requests))
    end(C);
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
    Compilers.async([this, &G] { confirm(G); });
  }
  Pool.over();
}

/// All cases of the group are over: what each of them found best, the others
/// measure too.
void ProjectTuner::confirm(Group &G) {
  std::vector<const Tuner *> All;
  for (Case *C : G.Cases)
    if (C->Search && C->IsSurveyed)
      All.push_back(&C->Search->tuner());
  std::vector<std::pair<Case *, std::vector<Request>>> Asked;
  for (Case *C : G.Cases)
    if (C->Search && C->IsSurveyed)
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
    if (!measure(*C, Requests))
      end(*C);
  }
}

//===- All cases ----------------------------------------------------------===//

/// Tables and plans. All threads have ended.
bool ProjectTuner::finish() {
  bool IsWhole = !Interrupted;
  for (Case &C : Cases)
    if (!C.Problem.empty()) {
      IsWhole = false;
      errs() << "sluice tune: " << C.Name << ": " << C.Problem << "\n";
    }
  for (auto &[Name, G] : Groups) {
    std::vector<const Tuner *> All;
    const TuneSearch *First = nullptr;
    for (Case *C : G.Cases) {
      if (!C->Search || !C->IsSurveyed)
        continue;
      outs() << "=== " << C->Name << "\n";
      for (const KernelSearch &Search : C->Search->tuner().searches())
        C->Search->printTable(Search, outs());
      First = First ? First : C->Search.get();
      All.push_back(&C->Search->tuner());
    }
    if (!First)
      continue;
    Plan Best = Tuner::bestPlan(First->staticPlan(), All);
    if (Error E = updatePlanFile(G.Output, Best)) {
      errs() << "sluice tune: error: " << toString(std::move(E)) << "\n";
      IsWhole = false;
      continue;
    }
    outs() << "The best plan for " << Best.GPU << " is in " << G.Output
           << "; compile with --sluice-plan=" << G.Output << "\n";
  }
  if (!IsWhole)
    errs() << "sluice tune: not all was measured; what was is in "
           << Given.Store << ", and the same call does what is left\n";
  return IsWhole;
}

Expected<bool> ProjectTuner::run() {
  auto File = readTuneProject(Given.Project);
  if (!File)
    return File.takeError();
  // What the project names stands beside it.
  SmallString<128> Home(Given.Project);
  if (std::error_code EC = sys::fs::make_absolute(Home))
    return createStringError(EC, "the current folder is not there");
  sys::path::remove_filename(Home);
  if (std::error_code EC = sys::fs::set_current_path(Home))
    return createStringError(EC, "cannot go to '" + Home + "'");
  if (Error E = findWorkers(File->Workers, Given.Engine, Given.GPUs))
    return std::move(E);
  if (Error E = makeFolder())
    return std::move(E);
  scope_exit Remove([&] { sys::fs::remove_directories(Folder); });
  sys::SetInterruptFunction([] { Interrupted = true; });
  if (Error E = Pool.start(Folder + "/pool.py", Given.Engine, File->Workers))
    return std::move(E);
  makeCases(*File);
  Pool.open(Cases.size());
  Pool.run(
      std::to_string(Cases.size()) + " searches",
      [this](const std::string &Name, const std::string &Why, double Seconds) {
        Compilers.async(
            [this, Name, Why, Seconds] { takeBack(Name, Why, Seconds); });
      });
  for (Case &C : Cases)
    Compilers.async([this, &C] { prepare(C); });
  Pool.wait();
  Compilers.wait();
  // What ended in the middle has measured something too.
  while (!Out.empty())
    takeBack(Out.begin()->first, "interrupted", 0);
  Compilers.wait();
  Pool.end();
  return finish();
}

} // namespace

Expected<bool> sluice::tuneProject(TuneArguments Given, const char *Argv0) {
  return ProjectTuner(std::move(Given), Argv0).run();
}
