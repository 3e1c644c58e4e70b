// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuneProject.h"
#include "ProjectTuner.h"
#include "TuneWorkers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::tuning_project;

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

/// At a time. A worker of this machine needs a core for its program.
unsigned ProjectTuner::compilers() const {
  const unsigned Cores = hardware_concurrency().compute_thread_count();
  unsigned Workers = 0;
  if (Given.Engine == "local")
    for (const auto &[Kind, Count] : Pool.workers())
      Workers += Count;
  return Cores - std::min(Workers, Cores / 2);
}

//===- All cases ----------------------------------------------------------===//

void ProjectTuner::writeTimeline() {
  if (Given.Timeline.empty())
    return;
  auto Busy = Timeline.write(Given.Timeline, Began, Slots->count());
  if (Busy)
    errs() << "sluice tune: " << *Busy << "; the timeline is in "
           << Given.Timeline << "\n";
  else
    errs() << "sluice tune: error: " << toString(Busy.takeError()) << "\n";
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
      if (!C->IsSurveyed)
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
  Headers.emplace(Folder);
  Slots.emplace(compilers(),
                [this](unsigned Slot, const std::string &What,
                       TuneTimeline::Time Began, TuneTimeline::Time Ended) {
                  Timeline.compiled(Slot, What, Began, Ended);
                });
  Pool.open(Cases.size());
  Pool.run(
      std::to_string(Cases.size()) + " searches",
      [this](const std::string &Name, const std::string &Why, double Seconds) {
        Threads.async(
            [this, Name, Why, Seconds] { takeBack(Name, Why, Seconds); });
      },
      [this](StringRef Event, StringRef Piece, StringRef Where) {
        Timeline.take(Event, Piece, Where);
      });
  for (unsigned I = 0; I <= Slots->count(); ++I)
    prepareNext();
  Pool.wait();
  if (Interrupted)
    Slots->stop();
  Threads.wait();
  // What ended in the middle has measured something too.
  while (!Out.empty())
    takeBack(Out.begin()->first, "interrupted", 0);
  Threads.wait();
  Pool.end();
  writeTimeline();
  return finish();
}

Expected<bool> sluice::tuneProject(TuneArguments Given, const char *Argv0) {
  return ProjectTuner(std::move(Given), Argv0).run();
}
