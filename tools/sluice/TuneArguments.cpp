// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneArguments.h"
#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

namespace {

struct TuneOption : ToolOption {
  Error (*Set)(TuneArguments &, const Setting &);
};

template <unsigned TuneArguments::*Member>
Error setCount(TuneArguments &A, const Setting &S) {
  if (S.Value.getAsInteger(10, A.*Member) || A.*Member == 0)
    return createStringError("--" + S.Name + "=" + S.Value +
                             ": a number from 1 is expected");
  return Error::success();
}

template <std::string TuneArguments::*Member>
Error setText(TuneArguments &A, const Setting &S) {
  A.*Member = S.Value.str();
  return Error::success();
}

Error setStrategy(TuneArguments &A, const Setting &S) {
  auto How = parseStrategy(S.Value);
  if (!How)
    return How.takeError();
  A.How = *How;
  return Error::success();
}

Error setBudget(TuneArguments &A, const Setting &S) {
  StringRef Number = S.Value;
  Number.consume_back("s");
  if (Number.getAsDouble(A.Budget) || !(A.Budget > 0)) // not a number
    return createStringError("--budget=" + S.Value +
                             ": seconds are expected, such as 120s");
  return Error::success();
}

constexpr TuneOption TuneOptionTable[] = {
    {{"strategy", "exhaustive|fixed|model|local",
      "which plans to measure (default: local)"},
     setStrategy},
    {{"budget", "SECONDS[s]", "begin no more rounds after that"}, setBudget},
    {{"output", "FILE", "the best plan (default: SOURCE.tuned.yaml)"},
     setText<&TuneArguments::Output>},
    {{"store", "FILE",
      "what was measured before, and what will be (default: sluice-tune.db)"},
     setText<&TuneArguments::Store>},
    {{"command", "COMMAND",
      "runs the program, which was built elsewhere from the same source"},
     setText<&TuneArguments::Command>},
    {{"export", "FOLDER",
      "write a round to be measured on another machine (FOLDER/run.sh)"},
     setText<&TuneArguments::Export>},
    {{"import", "FOLDER", "take in what a round measured there"},
     setText<&TuneArguments::Import>},
    {{"answers", "STORE",
      "measure nothing: answer from what STORE has (to try strategies)"},
     setText<&TuneArguments::Answers>},
    {{"rounds", "N", "measurements of each plan (default: 7)"},
     setCount<&TuneArguments::Rounds>},
    {{"launches", "N",
      "launches of each kernel to measure at most (default: 4)"},
     setCount<&TuneArguments::Launches>},
    {{"rows", "N", "of a kernel's table print the best N (default: 20)"},
     setCount<&TuneArguments::Rows>},
};

} // namespace

static std::vector<ToolOption> options() {
  return {std::begin(TuneOptionTable), std::end(TuneOptionTable)};
}

void sluice::printTuneHelp(raw_ostream &OS) {
  OS << "usage: sluice tune FILE.cu [clang options] [--sluice-K=V ...] "
        "[tune options] -- [program arguments]\n\n"
        "Builds the program, measures plans for its kernels on this machine's "
        "GPU, and writes\nthe best one, to be compiled with "
        "--sluice-plan=FILE. Results that differ from the\nuntuned program's "
        "are rejected and reported.\n\n";
  printOptions(OS, options());
}

Expected<TuneArguments> sluice::readTuneArguments(ArrayRef<const char *> Args) {
  std::vector<ToolOption> Table = options();
  auto Split = splitArguments(Args, Table);
  if (!Split)
    return Split.takeError();
  TuneArguments Result;
  Result.Help = Split->Help;
  if (Result.Help)
    return Result;
  for (const Setting &S : Split->Settings) {
    if (S.Value.empty())
      return createStringError("--" + S.Name + "= has no value");
    const auto *Option = find_if(
        TuneOptionTable, [&](const TuneOption &O) { return O.Name == S.Name; });
    if (Error E = Option->Set(Result, S))
      return E;
  }
  Result.ForClang = std::move(Split->ForClang);
  Result.ForProgram = std::move(Split->ForProgram);
  auto Source = find_if(Result.ForClang,
                        [](StringRef Arg) { return Arg.ends_with(".cu"); });
  if (Source == Result.ForClang.end())
    return createStringError("no .cu file was given");
  Result.Source = *Source;
  if (Result.Output.empty()) {
    SmallString<128> Path(sys::path::filename(Result.Source));
    sys::path::replace_extension(Path, "tuned.yaml");
    Result.Output = std::string(Path);
  }
  return Result;
}
