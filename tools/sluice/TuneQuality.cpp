// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program runs with one number of approximate warps after the other, as the
// strategy asks (LambdaSearch.h), and its outputs are compared with those of
// the run without. Then inputs that were held back are tried with what was
// found; where one of them is beyond the bound, the number is lowered, one warp
// at a time, until all keep it: the thesis's last phase (section 6.4.4), which
// is for errors that do not follow a line.

#include "TuneQuality.h"
#include "Arguments.h"
#include "LocalGpus.h"
#include "QualityGpu.h"
#include "QualityJudge.h"
#include "QualityReport.h"
#include "RecordedRemarks.h"
#include "TemporaryFolder.h"
#include "TuneCompiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace sluice;

namespace {

class QualitySearch {
public:
  QualitySearch(const TuneArguments &Arguments, const char *Argv0)
      : Arguments(Arguments), Quality(*Arguments.Quality), Argv0(Argv0),
        Judge(Quality, [this](const Twine &Name) { return file(Name); }) {}

  Error run();

private:
  using Words = std::vector<std::string>;

  std::string file(const Twine &Name) const { return Temporary.file(Name); }
  Expected<StringSet<>> findConcerned() const;
  Error chooseMachine();
  Expected<std::unique_ptr<QualityMachine>> makeMachine() const;
  Expected<Reading> runExact(const Words &Input, MachineRun &Run);
  Error start();
  Expected<QualityRun> runWith(unsigned Lambda, const Words &Input,
                               const Reading &Exact);
  Error search();
  Error settle();
  Error tryHeldBack();
  Expected<bool> keepHeldBack(unsigned Lambda);
  Error lower();
  Error writePlan() const;
  Error writeFiles() const;

  /// In the search's unit.
  double errorOf(double Value) const {
    return searchError(Quality.Wish.Metric, Value, AtZero);
  }
  double bound() const {
    return errorBound(Quality.Wish.goal(AtZero), Report.Most, Runs);
  }
  void note(const QualityRun &Run);

  const TuneArguments &Arguments;
  const QualityArguments &Quality;
  const char *Argv0;
  TemporaryFolder Temporary;
  QualityJudge Judge;
  std::optional<MachineRequest> Request;
  std::unique_ptr<QualityMachine> Machine;
  Reading Exact;
  std::vector<Reading> ExactHeldBack;
  double AtZero = 0; ///< The metric's value with no warp approximate.
  std::vector<LambdaRun> Runs;
  QualityReport Report;
};

} // namespace

//===- Before the search --------------------------------------------------===//

static std::string printable(const StringSet<> &Kernels) {
  std::vector<std::string> Names;
  for (const auto &Kernel : Kernels)
    Names.push_back(demangle(Kernel.first()));
  llvm::sort(Names);
  return join(Names, ", ");
}

/// The kernels that have something to approximate, by the pass's remarks.
Expected<StringSet<>> QualitySearch::findConcerned() const {
  TuneArguments Probe = Arguments;
  Probe.ForClang.push_back("--sluice-sfu=1");
  const std::string File = file("remarks.yaml");
  if (Error E = TuneCompiler(Probe.ForClang, Argv0, file("compile.log"))
                    .record("sluice-sfu", File))
    return std::move(E);
  auto Record = MemoryBuffer::getFile(File);
  auto Remarks =
      readRecordedRemarks(Record ? (*Record)->getBuffer() : StringRef());
  if (!Remarks)
    return Remarks.takeError();
  StringSet<> Concerned;
  for (const RecordedRemark &R : *Remarks)
    if (R.Pass == "sfu" && R.Kind == "passed")
      Concerned.insert(R.Function);
  if (Concerned.empty())
    return createStringError(
        "no kernel of '" + Arguments.Source +
        "' has a function that the special function units have, such as "
        "sinf(), expf(), a root or a division, so none can be approximate");
  return Concerned;
}

Error QualitySearch::chooseMachine() {
  auto Concerned = findConcerned();
  if (!Concerned)
    return Concerned.takeError();
  errs() << "sluice tune: note: kernels that can be approximate: "
         << printable(*Concerned) << "\n";
  Request.emplace(
      MachineRequest{Arguments, Argv0, std::move(*Concerned),
                     [this](const Twine &Name) { return file(Name); }});
  if (!Arguments.Export.empty())
    return Error::success();
  auto Made = makeMachine();
  if (!Made)
    return Made.takeError();
  Machine = std::move(*Made);
  return Error::success();
}

Expected<std::unique_ptr<QualityMachine>> QualitySearch::makeMachine() const {
  if (!Arguments.Import.empty())
    return importedMachine(*Request);
  if (Quality.Emulate)
    return emulatorMachine(*Request);
  const LocalDriver Driver = askDriver();
  if (!Driver.Gpus.empty())
    return localGpuMachine(*Request);
  errs() << "sluice tune: note: on the emulator, as there is no GPU here: "
         << Driver.Problem << "\n";
  return emulatorMachine(*Request);
}

/// A run that others are compared with has to end well.
Expected<Reading> QualitySearch::runExact(const Words &Input, MachineRun &Run) {
  Judge.before();
  auto Done = Machine->run(0, Input);
  if (!Done)
    return Done.takeError();
  Run = std::move(*Done);
  if (!Run.Problem.empty())
    return createStringError(
        "the program '" + Arguments.Source + "', with the arguments '" +
        join(Input, " ") + "' and no warp approximate, did not run well: " +
        Run.Problem + "; 'sluice emulate' finds what is wrong");
  return Judge.read(0, Run, /*IsExact=*/true);
}

/// Twice with no warp approximate: what differs then is not lambda's.
Error QualitySearch::start() {
  MachineRun First, Second;
  for (MachineRun *Run : {&First, &Second}) {
    auto Read = runExact(Arguments.ForProgram, *Run);
    if (!Read)
      return Read.takeError();
    if (Run == &Second)
      if (Error E = Judge.checkSame(Exact, *Read))
        return E;
    Exact = std::move(*Read);
  }
  Report.Most = First.MostWarps;
  if (Report.Most == 0)
    return createStringError("the program launches none of the kernels that "
                             "can be approximate");
  AtZero = Judge.value(Exact, Exact);
  QualityRun Run;
  Run.Ms = Second.Ms;
  Run.Value = AtZero;
  note(Run);
  return Error::success();
}

//===- The search ---------------------------------------------------------===//

static std::string shortly(double Value) {
  std::string Text;
  raw_string_ostream(Text) << format("%.6g", Value);
  return Text;
}

void QualitySearch::note(const QualityRun &Run) {
  errs() << "sluice tune: " << Run.Lambda << " of " << Report.Most
         << " warps: " << nameOf(Quality.Wish.Metric) << " "
         << shortly(Run.Value) << ", " << format("%.4f", Run.Ms) << " ms\n";
  Report.Runs.push_back(Run);
  Runs.push_back({Run.Lambda, Run.Ms, errorOf(Run.Value)});
}

/// A run that does not end well is beyond all bounds.
Expected<QualityRun> QualitySearch::runWith(unsigned Lambda, const Words &Input,
                                            const Reading &Reference) {
  Judge.before();
  auto Done = Machine->run(Lambda, Input);
  if (!Done)
    return Done.takeError();
  QualityRun Run;
  Run.Lambda = Lambda;
  Run.Ms = Done->Ms;
  Run.Problem = Done->Problem;
  if (!Run.Problem.empty()) {
    const double Infinity = std::numeric_limits<double>::infinity();
    Run.Value = isMoreBetter(Quality.Wish.Metric) ? -Infinity : Infinity;
    return Run;
  }
  auto Read = Judge.read(Lambda, *Done, /*IsExact=*/false);
  if (!Read)
    return Read.takeError();
  Run.Value = Judge.value(Reference, *Read);
  return Run;
}

Error QualitySearch::search() {
  const auto Began = std::chrono::steady_clock::now();
  const LambdaGoal Goal = Quality.Wish.goal(AtZero);
  while (auto Lambda = nextLambda(Quality.How, Report.Most, Goal, Runs)) {
    const std::chrono::duration<double> Gone =
        std::chrono::steady_clock::now() - Began;
    // Without the run with all warps no share is known.
    if (Arguments.Budget > 0 && Gone.count() > Arguments.Budget &&
        Runs.size() > 1) {
      errs() << "sluice tune: note: the budget is spent, and there is more to "
                "run\n";
      break;
    }
    auto Run = runWith(*Lambda, Arguments.ForProgram, Exact);
    if (!Run)
      return Run.takeError();
    note(*Run);
  }
  return settle();
}

/// Takes the best run.
Error QualitySearch::settle() {
  const LambdaRun *Best =
      Machine->isMeasured() ? bestRun(Runs, bound()) : lastRun(Runs, bound());
  if (!Best)
    return createStringError(
        "the wish, " + Quality.Wish.text() + ", is not kept with no warp " +
        "approximate either: there " + nameOf(Quality.Wish.Metric) + " is " +
        shortly(AtZero));
  Report.Taken = Best->Lambda;
  Report.Bound = Quality.Wish.Bound;
  for (const QualityRun &Run : Report.Runs)
    if (Quality.Wish.IsShare && Run.Lambda == Report.Most)
      Report.Bound =
          std::isfinite(Run.Value) ? Run.Value * Quality.Wish.Bound : 0;
  return Error::success();
}

//===- Inputs that were held back -----------------------------------------===//

/// Do all of them keep the bound?
Expected<bool> QualitySearch::keepHeldBack(unsigned Lambda) {
  bool Keeps = true;
  for (const Words &Input : Quality.HeldBack) {
    const size_t Number = &Input - Quality.HeldBack.data();
    // The user's command compares with files of this input's exact run.
    if (Number == ExactHeldBack.size() || isOfCommand(Quality.Wish.Metric)) {
      MachineRun Run;
      auto Read = runExact(Input, Run);
      if (!Read)
        return Read.takeError();
      ExactHeldBack.resize(std::max(ExactHeldBack.size(), Number + 1));
      ExactHeldBack[Number] = std::move(*Read);
    }
    auto Run = runWith(Lambda, Input, ExactHeldBack[Number]);
    if (!Run)
      return Run.takeError();
    Run->Input = join(Input, " ");
    Run->Keeps = errorOf(Run->Value) <= bound();
    Keeps &= Run->Keeps;
    Report.HeldBack.push_back(*Run);
  }
  return Keeps;
}

/// The next number below that keeps the bound with the search's own input.
Error QualitySearch::lower() {
  while (Report.Taken > 0) {
    --Report.Taken;
    auto Known = [&] {
      return find_if(
          Runs, [&](const LambdaRun &R) { return R.Lambda == Report.Taken; });
    };
    if (Known() == Runs.end()) {
      auto Run = runWith(Report.Taken, Arguments.ForProgram, Exact);
      if (!Run)
        return Run.takeError();
      note(*Run);
    }
    if (Known()->Error <= bound())
      break;
  }
  return Error::success();
}

Error QualitySearch::tryHeldBack() {
  while (Report.Taken > 0 && !Quality.HeldBack.empty()) {
    auto Keeps = keepHeldBack(Report.Taken);
    if (!Keeps)
      return Keeps.takeError();
    if (*Keeps)
      break;
    if (Error E = lower())
      return E;
  }
  return Error::success();
}

//===- After it -----------------------------------------------------------===//

Error QualitySearch::writePlan() const {
  TuneArguments Taken = Arguments;
  Taken.ForClang.push_back("--sluice-sfu=" + std::to_string(Report.Taken));
  auto Plan = TuneCompiler(Taken.ForClang, Argv0, file("compile.log"))
                  .staticPlan(file("plan.yaml"));
  if (!Plan)
    return Plan.takeError();
  if (Error E = writePlanFile(Arguments.Output, *Plan))
    return E;
  outs() << "The plan is in " << Arguments.Output
         << "; compile with --sluice-plan=" << Arguments.Output << "\n";
  return Error::success();
}

Error QualitySearch::writeFiles() const {
  auto Write = [&](StringRef Path, auto &&Writer) -> Error {
    std::string Text;
    raw_string_ostream OS(Text);
    Writer(OS, Report);
    return Path.empty() ? Error::success() : writeOutput(Path, Text);
  };
  if (Error E = Write(Quality.Table, StringRef(Quality.Table).ends_with(".csv")
                                         ? writeQualityCSV
                                         : writeQualityJSON))
    return E;
  return Write(Quality.Plot, plotQuality);
}

Error QualitySearch::run() {
  if (Error E = Temporary.create())
    return E;
  Report.Source = sys::path::filename(Arguments.Source).str();
  Report.Wish = Quality.Wish;
  Report.How = Quality.How;
  Report.Outputs = Judge.outputs();
  if (Error E = chooseMachine())
    return E;
  if (!Arguments.Export.empty())
    return exportRuns(*Request);
  if (Error E = start())
    return E;
  if (Error E = search())
    return E;
  if (Error E = tryHeldBack())
    return E;
  for (auto [Shown, Run] : zip_equal(Report.Runs, Runs))
    Shown.Keeps = Run.Error <= bound();
  Report.TimesAre = Machine->timesAre();
  printQuality(outs(), Report);
  if (Error E = writeFiles())
    return E;
  return writePlan();
}

Error sluice::tuneQuality(const TuneArguments &Arguments, const char *Argv0) {
  return QualitySearch(Arguments, Argv0).run();
}
