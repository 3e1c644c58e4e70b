// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice tune`: measures plans for a program's kernels and keeps the best.
//
// Long because its steps share one state, in the order in which they run.

#include "Arguments.h"
#include "Driver.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "TuneArguments.h"
#include "TuneCompiler.h"
#include "TuneQuality.h"
#include "sluice/Plan/FillEstimate.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Plan/LaunchShapes.h"
#include "sluice/Tuning/ReplayRound.h"
#include "sluice/Tuning/Tuner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace llvm;
using namespace sluice;

namespace {

std::atomic<bool> Interrupted = false;

/// What --strategy=exhaustive measures of one kernel at most.
constexpr uint64_t MostPoints = 20000;

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
    TheCompiler.emplace(Arguments.ForClang, Argv0, Temporary.file("compile.log"));
    if (Error E = prepare())
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
  //===--- Before the search ---===//

  Error prepare() {
    auto Planned = TheCompiler->staticPlan(Temporary.file("static.yaml"));
    if (!Planned)
      return Planned.takeError();
    Static = std::move(*Planned);
    auto GPU = findGPUModel(Static.GPU);
    if (!GPU)
      return GPU.takeError();
    Model = *GPU;
    std::string Base = Temporary.file("base.cubin");
    if (Error E = TheCompiler->image("", Base))
      return E;
    auto Hashes = hashKernels(Base);
    if (!Hashes)
      return Hashes.takeError();
    BaseCode = std::move(*Hashes);
    auto Opened = ResultStore::open(Arguments.Store);
    if (!Opened)
      return Opened.takeError();
    Store = std::move(*Opened);
    if (Error E = findRegisters())
      errs() << "sluice tune: note: limits of registers are not tried: "
             << toString(std::move(E)) << "\n";

    std::vector<KernelSearch> Searches;
    for (const KernelPlan &Kernel : Static.Kernels) {
      if (!BaseCode.count(Kernel.Name))
        continue; // not compiled: an unused template, say
      KernelSearch Search;
      Search.Space = searchSpace(Kernel, *Model);
      Search.Context.Kernel = Kernel.Name;
      Search.Context.Code = BaseCode.lookup(Kernel.Name);
      Search.Context.Compiler = TheCompiler->describe();
      Search.Context.Arguments = describeArguments();
      Searches.push_back(std::move(Search));
    }
    if (Searches.empty())
      return createStringError("'" + Arguments.Source +
                               "' has no kernels to tune");
    if (Error E = dropIdleChoices(Searches))
      return E;
    for (const KernelSearch &Search : Searches)
      if (Arguments.How == Strategy::Exhaustive &&
          Search.Space.size() > MostPoints)
        return createStringError(
            "'" + demangle(Search.Context.Kernel) + "' has " +
            Twine(Search.Space.size()) +
            " plans, too many to measure all: use --strategy=local");
    TheTuner.emplace(TunerOptions{Arguments.How, Model, Store.get()},
                     std::move(Searches));
    return Error::success();
  }

  /// The critical points of the code without Sluice.
  Error findRegisters() {
    auto Cache = AssemblyCache::open(
        compilersAssembler(findValue(Arguments.ForClang, "--cuda-path=")),
        std::nullopt);
    if (!Cache)
      return Cache.takeError();
    std::string File = Temporary.file("base.ptx");
    if (Error E = TheCompiler->assembly(File))
      return E;
    auto PTX = MemoryBuffer::getFile(File);
    if (!PTX)
      return createStringError(PTX.getError(), "cannot read the PTX again");
    return findRegisterPoints(*Cache, {(*PTX)->getBuffer().str(), Static.GPU},
                              *Model, Static);
  }

  /// Leaves out choices that change neither the code nor what the host is told,
  /// because the transform refuses: one image for the n-th choices of all
  /// kernels.
  Error dropIdleChoices(std::vector<KernelSearch> &Searches) {
    size_t Most = 0;
    for (const KernelSearch &Search : Searches)
      Most = std::max(Most, Search.Space.Choices.size());
    std::vector<std::vector<bool>> Idle(Searches.size());
    for (size_t Index = 0; Index < Most; ++Index) {
      Plan Probe = Static;
      bool Any = false;
      for (KernelPlan &Kernel : Probe.Kernels)
        for (const KernelSearch &Search : Searches) {
          const SearchSpace &Space = Search.Space;
          if (Kernel.Name != Search.Context.Kernel)
            continue;
          Point P = Space.untuned();
          if (Index < P.size() &&
              Space.Choices[Index].Goes != Choice::AtLaunch) {
            P[Index] = 1;
            Any = true;
          }
          Kernel = Space.at(P);
          if (!Kernel.ResidentBlocks)
            Kernel.CarveoutPercent.reset();
        }
      Probed Found;
      if (Any) {
        auto Compiled = compileProbe(Probe, Index);
        if (!Compiled)
          return Compiled.takeError();
        Found = std::move(*Compiled);
      }
      for (auto [Search, Flags] : zip_equal(Searches, Idle))
        if (Index < Search.Space.Choices.size())
          Flags.push_back(
              isIdle(Search.Space.Choices[Index], Search.Context, Found));
    }
    for (auto [Search, Flags] : zip_equal(Searches, Idle)) {
      std::vector<Choice> Kept;
      for (auto [C, IsIdle] : zip_equal(Search.Space.Choices, Flags))
        if (IsIdle)
          C.Set(Search.Space.Static, 0);
        else
          Kept.push_back(std::move(C));
      Search.Space.Choices = std::move(Kept);
    }
    return Error::success();
  }

  struct Probed {
    StringMap<std::string> Hashes;
    HostRequests Records;
  };

  static bool isIdle(const Choice &C, const EvaluationContext &Of,
                     const Probed &Found) {
    switch (C.Goes) {
    case Choice::InCode:
      return Found.Hashes.lookup(Of.Kernel) == Of.Code;
    case Choice::AtLaunch:
      return false;
    case Choice::InRecord:
      return !Found.Records.count(Of.Kernel);
    }
    llvm_unreachable("all are above");
  }

  Expected<Probed> compileProbe(const Plan &Probe, size_t Index) {
    std::string File = Temporary.file("probe" + Twine(Index));
    if (Error E = writePlanFile(File + ".yaml", Probe))
      return std::move(E);
    if (Error E = TheCompiler->image(File + ".yaml", File + ".cubin"))
      return std::move(E);
    auto Hashes = hashKernels(File + ".cubin");
    if (!Hashes)
      return Hashes.takeError();
    auto Image = MemoryBuffer::getFile(File + ".cubin");
    if (!Image)
      return createStringError(Image.getError(), "cannot read the image again");
    return Probed{std::move(*Hashes), findHostRecords((*Image)->getBuffer())};
  }

  //===--- The search ---===//

  /// What the program's work depends on.
  std::string describeArguments() const {
    return Arguments.Command.empty() ? join(Arguments.ForProgram, " ")
                                     : Arguments.Command;
  }

  RoundOptions roundOptions(const std::string &Folder) const {
    RoundOptions Options;
    Options.Folder = Folder;
    Options.Arguments = describeArguments();
    Options.Rounds = Arguments.Rounds;
    Options.Launches = Arguments.Launches;
    Options.TimeLimit = Arguments.Budget;
    Options.Jobs = std::max(1u, std::thread::hardware_concurrency());
    return Options;
  }

  CompileImage compile() {
    return [this](const std::string &PlanFile, const std::string &Output) {
      return TheCompiler->image(PlanFile, Output);
    };
  }

  /// Fills \p Folder with the round's program and candidates.
  Error write(const std::vector<Request> &Requests, RoundOptions Options,
              const std::string &Program) {
    auto Libraries = findLibraryFolder(Argv0);
    if (!Libraries)
      return Libraries.takeError();
    Options.ReplayLibrary = *Libraries + "/SluiceReplay.so";
    if (Arguments.Command.empty()) {
      Options.Command = {Program};
      append_range(Options.Command, Arguments.ForProgram);
    } else {
      Options.Command = {"/bin/sh", "-c", Arguments.Command};
    }
    return writeRound(Requests, Static, Options, BaseCode, compile());
  }

  /// Measures on this machine's GPU.
  Expected<Answers> measure(const std::vector<Request> &Requests) {
    RoundOptions Options =
        roundOptions(Temporary.file("round" + Twine(RoundsDone++)));
    SmallString<128> Here;
    if (std::error_code EC = sys::fs::current_path(Here))
      return createStringError(EC, "the current folder is not there");
    Options.WorkingFolder = std::string(Here);
    if (Error E = write(Requests, Options, Temporary.file("program")))
      return std::move(E);
    int Status = runRound(Options.Folder);
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
      for (const KernelSearch &Search : TheTuner->searches())
        Contexts.push_back(Search.Context);
      StoredEvaluator Answerer(**Opened, std::move(Contexts));
      return search(Answerer);
    }
    if (Arguments.Command.empty())
      if (Error E = TheCompiler->program(Temporary.file("program")))
        return E;
    LocalGPU Answerer(*this);
    return search(Answerer);
  }

  Error search(Evaluator &Answerer) {
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
    TheTuner->keepHot(Survey->Runs, /*Share=*/0.01);
    if (Error E = TheTuner->setGPU(Survey->GPU))
      return E;
    for (unsigned Round = 1;; ++Round) {
      std::vector<Request> Requests = TheTuner->next();
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
      if (Error E = TheTuner->take(*Answer))
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
    if (Read->Arguments && *Read->Arguments != describeArguments())
      return createStringError(
          "'" + Arguments.Import + "' was measured with the arguments '" +
          *Read->Arguments + "', not '" + describeArguments() +
          "': say the same after --, or the same --command");
    // No kernel is asked for again that the program does not launch. A program
    // that was killed has not said.
    if (!Read->Runs.empty())
      TheTuner->keepHot(Read->Runs, /*Share=*/0);
    if (Error E = TheTuner->setGPU(Read->GPU))
      return E;
    return TheTuner->take(*Read);
  }

  Error exportRound() {
    std::vector<Request> Requests = TheTuner->next();
    if (Requests.empty()) {
      errs() << "sluice tune: the search is over; nothing to export\n";
      return finish();
    }
    RoundOptions Options = roundOptions(Arguments.Export);
    if (sys::fs::exists(Arguments.Export + "/round.json"))
      return createStringError("'" + Arguments.Export +
                               "' has a round in it already; name another "
                               "folder, or import it first and remove it");
    // The program first: a folder with a round in it is whole.
    if (std::error_code EC = sys::fs::create_directories(Arguments.Export))
      return createStringError(EC, "cannot make the folder '" +
                                       Arguments.Export + "': " + EC.message());
    if (Arguments.Command.empty())
      if (Error E = TheCompiler->program(Arguments.Export + "/program"))
        return E;
    if (Error E = write(Requests, Options, "./program"))
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
    for (const KernelSearch &Search : TheTuner->searches())
      printTable(Search);
    if (Error E = writePlanFile(Arguments.Output, TheTuner->bestPlan(Static)))
      return E;
    outs() << "The best plan is in " << Arguments.Output
           << "; compile with --sluice-plan=" << Arguments.Output << "\n";
    return Error::success();
  }

  void printTable(const KernelSearch &Search) {
    raw_ostream &OS = outs();
    const SearchSpace &Space = Search.Space;
    Measured So = Search.measured();
    So.try_emplace(Space.untuned(), 1.0);
    Point Best = TheTuner->chosen(Search);
    double Untuned = estimateFills(Space.at(Space.untuned()), *Model);
    OS << demangle(Search.Context.Kernel) << "\n";
    OS << formatv("  {0} plans in the space, {1} known, {2} of them measured "
                  "now; {3} launches",
                  Space.size(), So.size(), Search.newTrials(),
                  Search.Run.Launches);
    if (!Search.Context.GPU.empty())
      OS << " on " << Search.Context.GPU;
    OS << "\n      ms  speed-up  predicted  plan\n";

    // Each replay measured it anew; any will do here.
    double UntunedMs = 0;
    for (const auto &Known : Search.Trials)
      UntunedMs = std::max(UntunedMs, Known.second.BaseMs);
    std::vector<std::pair<double, Point>> Ordered;
    for (const auto &[P, Relative] : So)
      Ordered.push_back({Relative, P});
    llvm::sort(Ordered);
    unsigned Rows = 0, More = 0;
    for (const auto &[Relative, P] : Ordered) {
      auto At = Search.Trials.find(P);
      Trial T = At == Search.Trials.end() ? Trial() : At->second;
      const bool IsNamed =
          P == Best || P == Space.planned() || P == Space.untuned();
      if (Rows >= Arguments.Rows && !IsNamed && !T.WrongWords) {
        ++More;
        continue;
      }
      ++Rows;
      if (P == Space.untuned() && T.Ms == 0)
        T.Ms = UntunedMs;
      std::string Text = Space.describe(P);
      OS << format("%8.4f  %8.3f  %9.3f  ", T.Ms,
                   std::isinf(Relative) ? 0 : 1 / Relative,
                   Untuned / estimateFills(Space.at(P), *Model))
         << (Text.empty() ? "untuned" : Text);
      if (P == Best)
        OS << "  <- taken";
      if (P == Space.planned())
        OS << "  (the static plan)";
      if (T.Stopped)
        OS << "  (given up early)";
      if (!T.Error.empty())
        OS << "  (did not run: " << T.Error << ")";
      if (T.WrongWords)
        OS << "  (WRONG: " << T.WrongWords << " words differ)";
      OS << "\n";
      if (T.WrongWords)
        errs() << "sluice tune: warning: " << demangle(Search.Context.Kernel)
               << " with '" << Text
               << "' gives other results and was rejected. This is a bug in "
                  "Sluice unless the kernel has a race: please report it with "
                  "the source.\n";
    }
    if (More != 0)
      OS << "  and " << More << " more: --rows=" << Rows + More
         << " prints them, and " << Arguments.Store << " has them all\n";
    OS << "\n";
  }

  TuneArguments Arguments;
  const char *Argv0;
  TemporaryFolder Temporary;
  std::optional<TuneCompiler> TheCompiler;
  const GPUModel *Model = nullptr;
  Plan Static;
  StringMap<std::string> BaseCode;
  std::unique_ptr<ResultStore> Store;
  std::optional<Tuner> TheTuner;
  unsigned RoundsDone = 0;
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
  if (Error E = TuneCommand(std::move(*Arguments), argv[0]).run())
    return Fail(std::move(E));
  return 0;
}
