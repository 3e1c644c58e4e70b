// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The search for one source on one architecture with one list of program
/// arguments: its compiles, its store and the folders of its rounds. Who
/// measures the folders is not known here.

#ifndef SLUICE_TOOLS_SLUICE_TUNESEARCH_H
#define SLUICE_TOOLS_SLUICE_TUNESEARCH_H

#include "ParsedHeaders.h"
#include "TuneArguments.h"
#include "TuneCompiler.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Tuning/ReplayRound.h"
#include "sluice/Tuning/Tuner.h"

namespace sluice {

class TuneSearch {
public:
  /// \p Folder is there, and is for what the search needs while it runs. For
  /// \p Argv0 see findLibraryFolder.
  TuneSearch(TuneArguments Given, const char *Argv0, std::string Folder,
             CompileSlots &Slots, ParsedHeaders &Headers)
      : Arguments(std::move(Given)), Argv0(Argv0), Folder(std::move(Folder)),
        TheCompiler(Arguments.ForClang, Argv0, file("compile.log")),
        Slots(Slots), Headers(Headers) {}
  TuneSearch(const TuneSearch &) = delete;
  TuneSearch &operator=(const TuneSearch &) = delete;

  /// Plans, compiles without Sluice, opens the store. All else comes after it,
  /// but for the compiler and a survey. \p Name: for a timeline.
  llvm::Error prepare(CompileTurn Turn = {}, const std::string &Name = "");

  Tuner &tuner() { return *TheTuner; }
  const TuneCompiler &compiler() const { return TheCompiler; }
  const TuneArguments &arguments() const { return Arguments; }
  const Plan &staticPlan() const { return Static; }
  /// What the program's work depends on.
  std::string describeArguments() const;
  RoundOptions roundOptions(const std::string &Folder) const;
  /// Fills Options.Folder with the round's candidates, for \p Program or what
  /// --command names. Any thread may call it.
  llvm::Error write(const std::vector<Request> &Requests, RoundOptions Options,
                    const std::string &Program);
  /// The same without candidates: a run that tells which kernels count.
  llvm::Error writeSurvey(RoundOptions Options, const std::string &Program);
  /// What is known of the kernel, the best plans first.
  void printTable(const KernelSearch &Search, llvm::raw_ostream &OS) const;

private:
  struct Probed {
    llvm::StringMap<std::string> Hashes;
    HostRequests Records;
  };

  std::string file(const llvm::Twine &Name) const;
  llvm::Error runAll(std::vector<CompileTask> Tasks);
  llvm::Error compileBase();
  void checkHeader();
  llvm::Error compileImage(const std::string &PlanFile,
                           const std::string &Output) const;
  llvm::Error findRegisters();
  std::vector<KernelSearch> searches() const;
  llvm::Error dropIdleChoices(std::vector<KernelSearch> &Searches);
  std::optional<Plan> probeOf(size_t Index,
                              llvm::ArrayRef<KernelSearch> Searches) const;
  static bool isIdle(const Choice &C, const EvaluationContext &Of,
                     const Probed &Found);
  llvm::Expected<Probed> compileProbe(const Plan &Probe, size_t Index);
  llvm::Error complete(RoundOptions &Options, const std::string &Program) const;

  TuneArguments Arguments;
  const char *Argv0;
  std::string Folder;
  TuneCompiler TheCompiler;
  CompileSlots &Slots;
  ParsedHeaders &Headers;
  CompileTurn Turn; ///< Of what prepares it.
  std::string Name;
  const GPUModel *Model = nullptr;
  Plan Static;
  std::string OfPTX;  ///< Why there is no base.ptx, or "".
  std::string Header; ///< TuneCompiler::parsedHeader, or "".
  llvm::StringMap<std::string> BaseCode;
  std::optional<CandidateCode> Code;
  std::unique_ptr<ResultStore> Store;
  std::optional<Tuner> TheTuner;
};

} // namespace sluice

#endif
