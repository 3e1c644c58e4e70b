// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case is one search: a build of a program, on one kind of GPU, with one list
// of arguments. It goes in rounds as `sluice tune` does: a survey, then what
// the strategy asks for. A round is cut into pieces, folders that the pool's
// workers measure. What comes back goes into the store at once. Cases do not
// wait for one another, but at the end: those of one code and architecture make
// one plan, so each measures what the others have found best.

#include "TuneProject.h"
#include "PoolProgress.h"
#include "TuneProjectFile.h"
#include "TuneSearch.h"
#include "TuneWorkers.h"
#include "WorkerPool.h"
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
#include <condition_variable>
#include <deque>
#include <thread>

using namespace llvm;
using namespace sluice;

namespace {

std::atomic<bool> Interrupted = false;

struct Group;

struct Case {
  std::string Name;
  TuneArguments Arguments;
  ProjectWorkers Workers;
  Group *Of = nullptr;
  /// Only while it is held the members below are used.
  std::mutex Lock;
  std::unique_ptr<TuneSearch> Search; ///< Null: its compiles failed.
  bool IsSurveyed = false;
  unsigned Pieces = 0;          ///< Written so far.
  unsigned Pending = 0;         ///< And not yet back.
  bool BroughtSomething = true; ///< The round that is measured now.
  double OwnSeconds = 0;  ///< Of a piece without plans; 0: not known.
  double PlanSeconds = 0; ///< What a plan adds to it, by the last piece.
  std::string Problem;    ///< Why it ended early.
};

/// What makes one plan: cases of one code for one architecture.
struct Group {
  std::string Output; ///< The plan's file.
  std::vector<Case *> Cases;
  unsigned Searching = 0; ///< Cases that are not over.
  bool IsConfirmed = false;
};

struct Piece {
  Case *Of = nullptr;
  std::string Folder;
  size_t Plans = 0;
};

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
  Error compileAll(Case &C);
  void nextRound(Case &C);
  void measure(Case &C, const std::vector<Request> &Requests);
  Error write(Case &C, const std::vector<Request> &Requests,
              const std::string &Name);
  void takeBack(const std::string &Name, const std::string &Why,
                double Seconds);
  Error take(Case &C, const Piece &P);
  void end(Case &C);
  void confirm(Group &G);

  void readEvents();
  void waitForAll();
  bool finish();

  TuneArguments Given;
  const char *Argv0;
  std::string Folder; ///< Of all pieces, and the cases' own.
  std::map<std::string, unsigned> Counts; ///< Workers by kind.
  std::deque<Case> Cases;
  std::map<std::string, Group> Groups; ///< By plan file and architecture.
  WorkerPool Pool;
  PoolProgress Progress{"sluice tune", "pieces"};
  std::chrono::steady_clock::time_point Began =
      std::chrono::steady_clock::now();

  std::mutex Lock; ///< For what is below, and for Groups.
  std::condition_variable Changed;
  std::map<std::string, Piece> Out; ///< Pieces that are with the pool.
  unsigned Open = 0;                ///< Cases that are not over.
  bool PoolEnded = false;

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
    C.Of = &Groups[A.Output + " " + C.Workers.Architecture];
    C.Of->Output = A.Output;
    C.Of->Cases.push_back(&C);
    ++C.Of->Searching;
  }
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
  std::lock_guard<std::mutex> Guard(C.Lock);
  if (Interrupted)
    return end(C);
  if (Error E = compileAll(C)) {
    C.Problem = toString(std::move(E));
    C.Search.reset();
    return end(C);
  }
  measure(C, {}); // the survey
}

Error ProjectTuner::compileAll(Case &C) {
  std::string Own = Folder + "/" + C.Name;
  if (std::error_code EC = sys::fs::create_directories(Own))
    return createStringError(EC, "cannot make the folder '" + Own +
                                     "': " + EC.message());
  C.Search = std::make_unique<TuneSearch>(C.Arguments, Argv0, Own);
  if (Error E = C.Search->prepare())
    return E;
  if (!C.Arguments.Command.empty())
    return Error::success();
  return C.Search->compiler().program(Own + "/program");
}

/// A kernel's choices that share code lie side by side: each of \p Parts gets a
/// part of each kernel's.
static std::vector<std::vector<Request>> cut(const std::vector<Request> &All,
                                             size_t Parts) {
  std::vector<std::vector<Request>> Result(Parts);
  for (auto From = All.begin(); From != All.end();) {
    auto To = std::find_if(From, All.end(), [&](const Request &R) {
      return R.Plan.Name != From->Plan.Name;
    });
    const size_t Count = To - From;
    for (size_t Part = 0; Part < Parts; ++Part)
      Result[Part].insert(Result[Part].end(), From + Count * Part / Parts,
                          From + Count * (Part + 1) / Parts);
    From = To;
  }
  erase_if(Result, [](const std::vector<Request> &R) { return R.empty(); });
  return Result;
}

/// Into how many pieces a round of \p Plans goes, where \p Free workers have
/// nothing else to do. Each repeats the program's own run, so each is to have
/// as much else to do as that takes.
static size_t partsOf(const Case &C, size_t Plans, size_t Free) {
  constexpr size_t FewPlans = 8; // where nothing is known of their times
  const size_t Worth =
      C.OwnSeconds > 0 && C.PlanSeconds > 0
          ? size_t(double(Plans) * C.PlanSeconds / C.OwnSeconds)
          : divideCeil(Plans, FewPlans);
  return std::max<size_t>(1, std::min({Plans, Worth, Free}));
}

void ProjectTuner::measure(Case &C, const std::vector<Request> &Requests) {
  unsigned Cases;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Cases = std::max(1u, Open);
  }
  const size_t Parts = partsOf(C, Requests.size(),
                               Counts.at(C.Workers.Name) / Cases);
  auto Pieces = Requests.empty() ? std::vector<std::vector<Request>>(1)
                                 : cut(Requests, Parts);
  C.BroughtSomething = false;
  C.Pending = Pieces.size();
  for (const std::vector<Request> &Part : Pieces) {
    std::string Name = C.Name + "#" + std::to_string(C.Pieces++);
    if (Error E = write(C, Part, Name)) {
      C.Problem = toString(std::move(E));
      --C.Pending;
      continue;
    }
    Piece P{&C, Folder + "/" + Name, Part.size()};
    std::lock_guard<std::mutex> Guard(Lock);
    Out[Name] = P;
    Progress.add();
    Pool.add(Name, P.Folder, C.Workers.Name, Given.PieceLimit);
  }
  if (C.Pending == 0)
    end(C);
}

Error ProjectTuner::write(Case &C, const std::vector<Request> &Requests,
                          const std::string &Name) {
  RoundOptions Options = C.Search->roundOptions(Folder + "/" + Name);
  Options.Jobs = std::max<unsigned>(1, Options.Jobs / Cases.size());
  std::string Program = Folder + "/" + C.Name + "/program";
  if (Given.Engine == "ray" && C.Arguments.Command.empty()) {
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
  }
  Case &C = *P.Of;
  std::lock_guard<std::mutex> Guard(C.Lock);
  Error E = take(C, P);
  if (E && Why.empty())
    C.Problem = toString(std::move(E));
  else
    consumeError(std::move(E));
  sys::fs::remove_directories(P.Folder);
  if (P.Plans == 0)
    C.OwnSeconds = Seconds;
  else
    C.PlanSeconds =
        std::max(0., Seconds - C.OwnSeconds) / static_cast<double>(P.Plans);
  if (--C.Pending != 0)
    return;
  if (!C.BroughtSomething && C.Problem.empty() && !Interrupted)
    C.Problem = Why.empty() ? "the last round brought nothing" : Why;
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
  if (G.Searching == 0 && !G.IsConfirmed && G.Cases.size() > 1 &&
      !Interrupted) {
    G.IsConfirmed = true;
    ++Open; // of the task
    Compilers.async([this, &G] { confirm(G); });
  }
  --Open;
  Changed.notify_all();
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
    Open += Asked.size();
    --Open; // of this task
    G.Searching = Asked.size();
    Changed.notify_all();
  }
  for (auto &[C, Requests] : Asked) {
    std::lock_guard<std::mutex> Guard(C->Lock);
    measure(*C, Requests);
  }
}

//===- All cases ----------------------------------------------------------===//

void ProjectTuner::readEvents() {
  while (std::optional<json::Object> Event = Pool.next()) {
    std::string Kind = Event->getString("event").value_or("").str();
    std::string Name = Event->getString("piece").value_or("").str();
    std::string Why = Event->getString("why").value_or("").str();
    Progress.take(Kind, Name, Event->getString("where").value_or(""), Why);
    const double Seconds = Event->getNumber("seconds").value_or(0);
    if (Kind == "ended" || Kind == "failed")
      Compilers.async(
          [this, Name, Why, Seconds] { takeBack(Name, Why, Seconds); });
  }
  std::lock_guard<std::mutex> Guard(Lock);
  PoolEnded = true;
  Changed.notify_all();
}

void ProjectTuner::waitForAll() {
  std::unique_lock<std::mutex> Guard(Lock);
  while (Open != 0 && !PoolEnded && !Interrupted)
    Changed.wait_for(Guard, std::chrono::milliseconds(200));
}

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
  auto Found = Pool.start(Folder + "/pool.py", Given.Engine, File->Workers);
  if (!Found)
    return Found.takeError();
  Counts = std::move(*Found);
  for (const auto &[Kind, Count] : Counts)
    if (Count == 0)
      return createStringError("there are no workers of '" + Kind + "'");
  makeCases(*File);
  Progress.begin(std::to_string(Cases.size()) + " searches", Counts);
  Open = Cases.size();
  std::thread Reader([this] { readEvents(); });
  for (Case &C : Cases)
    Compilers.async([this, &C] { prepare(C); });
  waitForAll();
  if (Open != 0 && !Interrupted.exchange(true))
    errs() << "sluice tune: error: the process with the workers has ended\n";
  Pool.closeInput();
  Reader.join();
  Compilers.wait();
  // What ended in the middle has measured something too.
  while (!Out.empty())
    takeBack(Out.begin()->first, "interrupted", 0);
  Compilers.wait();
  Pool.end();
  Progress.end();
  return finish();
}

} // namespace

Expected<bool> sluice::tuneProject(TuneArguments Given, const char *Argv0) {
  return ProjectTuner(std::move(Given), Argv0).run();
}
