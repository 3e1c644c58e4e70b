// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiles before a search, the folders of its rounds, and its tables.

#include "TuneSearch.h"
#include "Arguments.h"
#include "Driver.h"
#include "sluice/Plan/FillEstimate.h"
#include "sluice/Plan/LaunchShapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

/// What --strategy=exhaustive measures of one kernel at most.
static constexpr uint64_t MostPoints = 20000;

std::string TuneSearch::file(const Twine &Name) const {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  return std::string(Path);
}

Error TuneSearch::runAll(std::vector<CompileTask> Tasks) {
  for (CompileTask &Task : Tasks)
    Task.What = Name + " " + Task.What;
  return Slots.run(Turn, std::move(Tasks));
}

Error TuneSearch::prepare(CompileTurn ItsTurn, const std::string &ItsName) {
  Turn = ItsTurn;
  Name = ItsName;
  if (Error E = compileBase())
    return E;
  auto Opened = ResultStore::open(Arguments.Store);
  if (!Opened)
    return Opened.takeError();
  Store = std::move(*Opened);
  std::vector<CompileTask> Tasks;
  Tasks.push_back({"registers", [this] { return findRegisters(); }});
  Tasks.push_back({"header's check", [this] {
                     checkHeader();
                     return Error::success();
                   }});
  if (Error E = runAll(std::move(Tasks)))
    errs() << "sluice tune: note: limits of registers are not tried: "
           << toString(std::move(E)) << "\n";

  std::vector<KernelSearch> Searches = searches();
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
  const std::string Images = file("images");
  if (std::error_code EC = sys::fs::create_directories(Images))
    return createStringError(EC, "cannot make the folder '" + Images +
                                     "': " + EC.message());
  Code.emplace(
      Static, Images,
      [this](const std::string &PlanFile, const std::string &Output) {
        return compileImage(PlanFile, Output);
      },
      Slots);
  TheTuner.emplace(TunerOptions{Arguments.How, Model, Store.get()},
                   std::move(Searches));
  return Error::success();
}

/// The plan, and the code without Sluice.
Error TuneSearch::compileBase() {
  const std::string Base = file("base.cubin");
  auto Planned = Expected<Plan>(Plan());
  std::string OfBase;
  std::vector<CompileTask> Tasks;
  Tasks.push_back({"plan", [&] {
                     Planned = TheCompiler.staticPlan(file("static.yaml"));
                     return Error::success();
                   }});
  Tasks.push_back({"base", [&] {
                     OfBase = toString(TheCompiler.image("", Base));
                     return Error::success();
                   }});
  Tasks.push_back({"PTX", [&] {
                     OfPTX = toString(TheCompiler.assembly(file("base.ptx")));
                     return Error::success();
                   }});
  const std::string Options = TheCompiler.headerOptions();
  const std::string Mine = Headers.claim(Options);
  bool IsMade = false;
  if (!Mine.empty())
    Tasks.push_back({"header", [&] {
                       Error E = TheCompiler.parsedHeader(Mine);
                       IsMade = !E;
                       consumeError(std::move(E));
                       return Error::success();
                     }});
  // Where all fail the plan's error says most.
  Error Stopped = runAll(std::move(Tasks));
  if (!Mine.empty())
    Headers.made(Options, IsMade);
  Header = Headers.get(Options);
  if (!Planned) {
    consumeError(std::move(Stopped));
    return Planned.takeError();
  }
  if (Stopped)
    return Stopped;
  if (!OfBase.empty())
    return createStringError(OfBase);
  Static = std::move(*Planned);
  auto GPU = findGPUModel(Static.GPU);
  if (!GPU)
    return GPU.takeError();
  Model = *GPU;
  auto Hashes = hashKernels(Base);
  if (!Hashes)
    return Hashes.takeError();
  BaseCode = std::move(*Hashes);
  return Error::success();
}

/// It is of use if the code is the same with it.
void TuneSearch::checkHeader() {
  const std::string Again = file("again.cubin");
  if (Header.empty())
    return;
  Error E = TheCompiler.image("", Again, Header);
  auto Hashes =
      E ? Expected<StringMap<std::string>>(std::move(E)) : hashKernels(Again);
  if (!Hashes || *Hashes != BaseCode)
    Header.clear();
  consumeError(Hashes.takeError());
}

Error TuneSearch::compileImage(const std::string &PlanFile,
                               const std::string &Output) const {
  if (!Header.empty()) {
    Error E = TheCompiler.image(PlanFile, Output, Header);
    if (!E)
      return Error::success();
    consumeError(std::move(E));
  }
  return TheCompiler.image(PlanFile, Output);
}

/// The critical points of the code without Sluice.
Error TuneSearch::findRegisters() {
  if (!OfPTX.empty())
    return createStringError(OfPTX);
  auto Cache = AssemblyCache::open(
      compilersAssembler(findValue(Arguments.ForClang, "--cuda-path=")),
      std::nullopt);
  if (!Cache)
    return Cache.takeError();
  auto PTX = MemoryBuffer::getFile(file("base.ptx"));
  if (!PTX)
    return createStringError(PTX.getError(), "cannot read the PTX again");
  return findRegisterPoints(*Cache, {(*PTX)->getBuffer().str(), Static.GPU},
                            *Model, Static);
}

std::vector<KernelSearch> TuneSearch::searches() const {
  std::vector<KernelSearch> Searches;
  for (const KernelPlan &Kernel : Static.Kernels) {
    if (!BaseCode.count(Kernel.Name))
      continue; // not compiled: an unused template, say
    KernelSearch Search;
    Search.Space = searchSpace(Kernel, *Model);
    Search.Context.Kernel = Kernel.Name;
    Search.Context.Code = BaseCode.lookup(Kernel.Name);
    Search.Context.Compiler = TheCompiler.describe();
    Search.Context.Arguments = describeArguments();
    Searches.push_back(std::move(Search));
  }
  return Searches;
}

/// Leaves out choices that change neither the code nor what the host is told,
/// because the transform refuses: one image for the n-th choices of all
/// kernels.
Error TuneSearch::dropIdleChoices(std::vector<KernelSearch> &Searches) {
  size_t Most = 0;
  for (const KernelSearch &Search : Searches)
    Most = std::max(Most, Search.Space.Choices.size());
  std::vector<Probed> Found(Most);
  std::vector<CompileTask> Tasks;
  for (size_t Index = 0; Index < Most; ++Index)
    if (std::optional<Plan> Probe = probeOf(Index, Searches))
      Tasks.push_back({"probe " + std::to_string(Index),
                       [this, Index, &Found, Probe = std::move(*Probe)] {
                         auto Compiled = compileProbe(Probe, Index);
                         if (Compiled)
                           Found[Index] = std::move(*Compiled);
                         return Compiled.takeError();
                       }});
  if (Error E = runAll(std::move(Tasks)))
    return E;
  for (KernelSearch &Search : Searches) {
    std::vector<Choice> Kept;
    for (auto [Index, C] : enumerate(Search.Space.Choices))
      if (isIdle(C, Search.Context, Found[Index]))
        C.Set(Search.Space.Static, 0);
      else
        Kept.push_back(std::move(C));
    Search.Space.Choices = std::move(Kept);
  }
  return Error::success();
}

/// None: no kernel's choice of that number goes into the code.
std::optional<Plan> TuneSearch::probeOf(size_t Index,
                                        ArrayRef<KernelSearch> Searches) const {
  Plan Probe = Static;
  bool Any = false;
  for (KernelPlan &Kernel : Probe.Kernels)
    for (const KernelSearch &Search : Searches) {
      const SearchSpace &Space = Search.Space;
      if (Kernel.Name != Search.Context.Kernel)
        continue;
      Point P = Space.untuned();
      if (Index < P.size() && Space.Choices[Index].Goes != Choice::AtLaunch) {
        P[Index] = 1;
        Any = true;
      }
      Kernel = Space.at(P);
      if (!Kernel.ResidentBlocks)
        Kernel.CarveoutPercent.reset();
    }
  return Any ? std::optional(std::move(Probe)) : std::nullopt;
}

bool TuneSearch::isIdle(const Choice &C, const EvaluationContext &Of,
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

Expected<TuneSearch::Probed> TuneSearch::compileProbe(const Plan &Probe,
                                                      size_t Index) {
  std::string File = file("probe" + Twine(Index));
  if (Error E = writePlanFile(File + ".yaml", Probe))
    return std::move(E);
  if (Error E = compileImage(File + ".yaml", File + ".cubin"))
    return std::move(E);
  auto Hashes = hashKernels(File + ".cubin");
  if (!Hashes)
    return Hashes.takeError();
  auto Image = MemoryBuffer::getFile(File + ".cubin");
  if (!Image)
    return createStringError(Image.getError(), "cannot read the image again");
  return Probed{std::move(*Hashes), findHostRecords((*Image)->getBuffer())};
}

std::string TuneSearch::describeArguments() const {
  return Arguments.Command.empty() ? join(Arguments.ForProgram, " ")
                                   : Arguments.Command;
}

RoundOptions TuneSearch::roundOptions(const std::string &Folder) const {
  RoundOptions Options;
  Options.Folder = Folder;
  Options.Arguments = describeArguments();
  Options.Rounds = Arguments.Rounds;
  Options.Launches = Arguments.Launches;
  Options.TimeLimit = Arguments.Budget;
  return Options;
}

Error TuneSearch::complete(RoundOptions &Options,
                           const std::string &Program) const {
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
  return Error::success();
}

Error TuneSearch::write(const std::vector<Request> &Requests,
                        RoundOptions Options, const std::string &Program) {
  if (Error E = complete(Options, Program))
    return E;
  return writeRound(Requests, Options, BaseCode, &*Code);
}

Error TuneSearch::writeSurvey(RoundOptions Options,
                              const std::string &Program) {
  if (Error E = complete(Options, Program))
    return E;
  return writeRound({}, Options, {}, nullptr);
}

void TuneSearch::printTable(const KernelSearch &Search, raw_ostream &OS) const {
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
                "Sluice unless the kernel has a race"
             << (StringRef(Text).contains("throttle")
                     ? " or the turns change the last bit of a sum "
                       "(docs/passes/throttle.md#limits)"
                     : "")
             << ": please report it with the source.\n";
  }
  if (More != 0)
    OS << "  and " << More << " more: --rows=" << Rows + More
       << " prints them, and " << Arguments.Store << " has them all\n";
  OS << "\n";
}
