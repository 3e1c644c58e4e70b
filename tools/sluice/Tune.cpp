// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice tune`: measures plans for a program's kernels and keeps the best.

#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "TuneProject.h"
#include "TuneQuality.h"
#include "TuneSearch.h"
#include "sluice/Emulator/Progress.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>

using namespace llvm;
using namespace sluice;

namespace {

std::atomic<bool> Interrupted = false;

/// `sluice tune`, step by step.
class TuneCommand {
public:
  TuneCommand(TuneArguments Given, const char *Argv0)
      : Arguments(std::move(Given)), Argv0(Argv0) {}

  Error run() {
    if (Error E = Temporary.create())
      return E;
    // An interrupt ends the search, not the program: the best so far is kept.
    sys::SetInterruptFunction([] { Interrupted = true; });
    Headers.emplace(Temporary.file(""));
    Search.emplace(Arguments, Argv0, Temporary.file(""), Slots, *Headers);
    if (Error E = Search->prepare())
      return E;
    if (!Arguments.Import.empty())
      if (Error E = import())
        return E;
    if (!Arguments.Export.empty())
      return exportRound();
    if (Arguments.Import.empty())
      if (Error E = searchHere())
        return E;
    return finish();
  }

private:
  /// Of each plan \p MostLaunches at most; none before the survey has told how
  /// many launches there are.
  uint64_t countMeasurements(const std::vector<Request> &Requests,
                             unsigned MostLaunches) const {
    uint64_t Count = 0;
    for (const Request &R : Requests)
      Count += std::min(Launches.lookup(R.Plan.Name), MostLaunches);
    return Count;
  }

  /// Measures on this machine's GPU.
  Expected<Answers> measure(const std::vector<Request> &Requests) {
    RoundOptions Options =
        Search->roundOptions(Temporary.file("round" + Twine(RoundsDone++)));
    SmallString<128> Here;
    if (std::error_code EC = sys::fs::current_path(Here))
      return createStringError(EC, "the current folder is not there");
    Options.WorkingFolder = std::string(Here);
    if (Error E = Search->write(Requests, Options, Temporary.file("program")))
      return std::move(E);
    const uint64_t Measurements = countMeasurements(Requests, Options.Launches);
    std::optional<Progress> Bar;
    if (Measurements)
      Bar.emplace("round " + std::to_string(RoundsDone - 1), Measurements,
                  "measurements");
    int Status = runRound(Options.Folder, [&](uint64_t Done) {
      if (Bar)
        Bar->update(std::min(Done, Measurements));
    });
    Bar.reset();
    std::string Said;
    if (auto Output = MemoryBuffer::getFile(Options.Folder + "/output.txt"))
      Said = (*Output)->getBuffer().trim().str();
    auto Read = readRound(Options.Folder);
    if (!Read || Read->GPU.empty()) {
      if (!Read)
        consumeError(Read.takeError());
      return createStringError(
          "the program launched no kernel on a GPU (exit status " +
          Twine(Status) + "; it said: " + Twine(Said.substr(0, 500)) +
          "). Without a GPU here, use --export=FOLDER and measure on another "
          "machine.");
    }
    if (Status != 0 && !Interrupted)
      errs() << "sluice tune: warning: the program ended with status " << Status
             << ": " << StringRef(Said).take_back(500) << "\n";
    return std::move(*Read);
  }

  class LocalGPU : public Evaluator {
  public:
    explicit LocalGPU(TuneCommand &Command) : Command(Command) {}
    Expected<Answers> evaluate(const std::vector<Request> &Requests) override {
      return Command.measure(Requests);
    }

  private:
    TuneCommand &Command;
  };

  Error searchHere() {
    if (!Arguments.Answers.empty()) {
      auto Opened = ResultStore::open(Arguments.Answers);
      if (!Opened)
        return Opened.takeError();
      std::vector<EvaluationContext> Contexts;
      for (const KernelSearch &Kernel : Search->tuner().searches())
        Contexts.push_back(Kernel.Context);
      StoredEvaluator Answerer(**Opened, std::move(Contexts));
      return searchBy(Answerer);
    }
    if (Arguments.Command.empty())
      if (Error E = Search->compiler().program(Temporary.file("program")))
        return E;
    LocalGPU Answerer(*this);
    return searchBy(Answerer);
  }

  Error searchBy(Evaluator &Answerer) {
    auto Began = std::chrono::steady_clock::now();
    auto Gone = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           Began)
          .count();
    };
    auto Survey = Answerer.evaluate({});
    if (!Survey && Interrupted) {
      consumeError(Survey.takeError());
      return createStringError("interrupted before anything was measured");
    }
    if (!Survey)
      return Survey.takeError();
    if (Survey->GPU.empty()) // a store: without a GPU measure() fails
      return createStringError(
          "'" + Arguments.Answers +
          "' has nothing of these kernels with this compiler, these options "
          "and these program arguments");
    Search->tuner().keepHot(Survey->Runs, /*Share=*/0.01);
    for (const auto &[Kernel, Run] : Survey->Runs)
      Launches[Kernel] = Run.Launches;
    if (Error E = Search->tuner().setGPU(Survey->GPU))
      return E;
    for (unsigned Round = 1;; ++Round) {
      std::vector<Request> Requests = Search->tuner().next();
      if (Requests.empty() || Interrupted)
        break;
      if (Arguments.Budget > 0 && Gone() > Arguments.Budget) {
        errs() << "sluice tune: note: the budget is spent, and there is more "
                  "to measure\n";
        break;
      }
      errs() << formatv("sluice tune: round {0}, {1} plans, {2:F0} s gone\n",
                        Round, Requests.size(), Gone());
      auto Answer = Answerer.evaluate(Requests);
      if (!Answer && Interrupted) {
        consumeError(Answer.takeError());
        break;
      }
      if (!Answer)
        return Answer.takeError();
      if (Error E = Search->tuner().take(*Answer))
        return E;
      if (Answer->Evaluations.empty()) {
        errs() << "sluice tune: warning: the round brought nothing; giving "
                  "up\n";
        break;
      }
    }
    return Error::success();
  }

  Error import() {
    auto Read = readRound(Arguments.Import);
    if (!Read)
      return Read.takeError();
    if (Read->GPU.empty())
      return createStringError("'" + Arguments.Import +
                               "/results.jsonl' has no launch of a kernel in "
                               "it; see output.txt there");
    if (Read->Arguments && *Read->Arguments != Search->describeArguments())
      return createStringError(
          "'" + Arguments.Import + "' was measured with the arguments '" +
          *Read->Arguments + "', not '" + Search->describeArguments() +
          "': say the same after --, or the same --command");
    // No kernel is asked for again that the program does not launch. A program
    // that was killed has not said.
    if (!Read->Runs.empty())
      Search->tuner().keepHot(Read->Runs, /*Share=*/0);
    if (Error E = Search->tuner().setGPU(Read->GPU))
      return E;
    return Search->tuner().take(*Read);
  }

  Error exportRound() {
    std::vector<Request> Requests = Search->tuner().next();
    if (Requests.empty()) {
      errs() << "sluice tune: the search is over; nothing to export\n";
      return finish();
    }
    RoundOptions Options = Search->roundOptions(Arguments.Export);
    if (sys::fs::exists(Arguments.Export + "/round.json"))
      return createStringError("'" + Arguments.Export +
                               "' has a round in it already; name another "
                               "folder, or import it first and remove it");
    // The program first: a folder with a round in it is whole.
    if (std::error_code EC = sys::fs::create_directories(Arguments.Export))
      return createStringError(EC, "cannot make the folder '" +
                                       Arguments.Export + "': " + EC.message());
    if (Arguments.Command.empty())
      if (Error E = Search->compiler().program(Arguments.Export + "/program"))
        return E;
    if (Error E = Search->write(Requests, Options, "./program"))
      return E;
    outs() << Requests.size() << " plans in " << Arguments.Export << ": run "
           << Arguments.Export
           << "/run.sh on the machine with the GPU, then sluice tune with "
              "--import="
           << Arguments.Export << "\n";
    return Error::success();
  }

  //===--- After it ---===//

  Error finish() {
    for (const KernelSearch &Kernel : Search->tuner().searches())
      Search->printTable(Kernel, outs());
    if (Error E = writePlanFile(Arguments.Output,
                                Search->tuner().bestPlan(Search->staticPlan())))
      return E;
    outs() << "The best plan is in " << Arguments.Output
           << "; compile with --sluice-plan=" << Arguments.Output << "\n";
    return Error::success();
  }

  TuneArguments Arguments;
  const char *Argv0;
  TemporaryFolder Temporary;
  CompileSlots Slots{hardware_concurrency().compute_thread_count()};
  std::optional<ParsedHeaders> Headers;
  std::optional<TuneSearch> Search;
  unsigned RoundsDone = 0;
  StringMap<unsigned> Launches; ///< Of each kernel in a run of the program.
};

} // namespace

int sluice::tuneMain(int argc, char **argv) {
  std::vector<const char *> Args(argv + 1, argv + argc);
  auto Fail = [&](Error E) {
    errs() << "sluice tune: error: " << toString(std::move(E)) << "\n";
    return 1;
  };
  auto Arguments = readTuneArguments(Args);
  if (!Arguments)
    return Fail(Arguments.takeError());
  if (Arguments->Help) {
    printTuneHelp(outs());
    return 0;
  }
  if (Arguments->Quality) {
    if (Error E = tuneQuality(*Arguments, argv[0]))
      return Fail(std::move(E));
    return 0;
  }
  if (!Arguments->Project.empty()) {
    auto IsWhole = tuneProject(std::move(*Arguments), argv[0]);
    return IsWhole ? !*IsWhole : Fail(IsWhole.takeError());
  }
  if (Error E = TuneCommand(std::move(*Arguments), argv[0]).run())
    return Fail(std::move(E));
  return 0;
}
