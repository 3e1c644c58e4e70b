// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice profile merge` and `sluice profile show`.

#include "ProfileFiles.h"
#include "Arguments.h"
#include "ProfileView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;
using namespace sluice;

static constexpr ToolOption MergeOptions[] = {
    {"output", "FILE", "the sum; -o FILE does the same (default: stdout)"},
};

static constexpr ToolOption ShowOptions[] = {
    {"json", "", "all numbers, for programs"},
    {"annotate", "SOURCE", "SOURCE with the numbers in its margin"},
    {"most", "N", "of each kernel no more than N accesses and N pairs"},
};

static int fail(StringRef Subcommand, Error E) {
  errs() << "sluice profile " << Subcommand
         << ": error: " << toString(std::move(E)) << "\n";
  return 1;
}

/// \p Parse makes of the words what \p Run wants.
template <typename ArgumentsT>
static int runOn(StringRef Name, ArrayRef<const char *> Args,
                 ArrayRef<ToolOption> Options, StringRef Usage,
                 Expected<ArgumentsT> (*Parse)(const SplitArguments &),
                 Error (*Run)(const ArgumentsT &)) {
  auto Split = splitArguments(Args, Options);
  if (!Split)
    return fail(Name, Split.takeError());
  if (Split->Help) {
    outs() << Usage;
    printOptions(outs(), Options);
    return 0;
  }
  auto Arguments = Parse(*Split);
  if (!Arguments)
    return fail(Name, Arguments.takeError());
  if (Error E = Run(*Arguments))
    return fail(Name, std::move(E));
  return 0;
}

static Error unknownOption(StringRef Arg) {
  return createStringError("there is no option '" + Arg + "'; see --help");
}

/// "-" is standard input.
static bool isOption(StringRef Arg) { return Arg.size() > 1 && Arg[0] == '-'; }

//===----------------------------------------------------------------------===//
// merge
//===----------------------------------------------------------------------===//

namespace {
struct MergeArguments {
  std::vector<std::string> Inputs;
  std::string Output = "-";
};
} // namespace

static Expected<MergeArguments> mergeArguments(const SplitArguments &Split) {
  MergeArguments Result;
  for (const Setting &S : Split.Settings)
    Result.Output = S.Value.str();
  for (auto Arg = Split.ForClang.begin(); Arg != Split.ForClang.end(); ++Arg) {
    if (*Arg == "-o") {
      if (++Arg == Split.ForClang.end())
        return createStringError("-o has no value; write -o FILE");
      Result.Output = *Arg;
    } else if (isOption(*Arg)) {
      return unknownOption(*Arg);
    } else {
      Result.Inputs.push_back(*Arg);
    }
  }
  append_range(Result.Inputs, Split.ForProgram);
  if (Result.Inputs.empty())
    return createStringError("no profile was given");
  if (Result.Output.empty())
    return createStringError("the output has no name");
  return Result;
}

static Error mergeFiles(const MergeArguments &Arguments) {
  std::optional<Profile> Sum;
  for (const std::string &Path : Arguments.Inputs) {
    auto P = readProfileFile(Path);
    if (!P)
      return P.takeError();
    if (!Sum) {
      Sum = std::move(*P);
      sortProfile(*Sum);
    } else if (Error E = mergeProfile(*Sum, *P)) {
      return createStringError(Path + " does not fit " +
                               Arguments.Inputs.front() + ": " +
                               toString(std::move(E)));
    }
  }
  return writeProfileFile(Arguments.Output, *Sum);
}

int sluice::profileMergeMain(ArrayRef<const char *> Args) {
  return runOn("merge", Args, MergeOptions,
               "usage: sluice profile merge A.yaml B.yaml ... -o SUM.yaml\n\n"
               "Adds up profiles of one source and GPU: other runs, other "
               "inputs, other flags.\n\n",
               mergeArguments, mergeFiles);
}

//===----------------------------------------------------------------------===//
// show
//===----------------------------------------------------------------------===//

namespace {
struct ShowArguments {
  std::string Input;
  ProfileView View;
};
} // namespace

static Expected<ShowArguments> showArguments(const SplitArguments &Split) {
  ShowArguments Result;
  for (const Setting &S : Split.Settings)
    if (Error E = *takeViewSetting(Result.View, S))
      return E;
  if (Error E = checkView(Result.View))
    return E;

  std::vector<std::string> Inputs = Split.ForClang;
  for (const std::string &Arg : Inputs)
    if (isOption(Arg))
      return unknownOption(Arg);
  append_range(Inputs, Split.ForProgram);
  if (Inputs.size() != 1)
    return createStringError(Inputs.empty()
                                 ? "no profile was given"
                                 : "one profile is expected; `sluice profile "
                                   "merge` makes one of several");
  Result.Input = Inputs.front();
  return Result;
}

static Error showFile(const ShowArguments &Arguments) {
  auto P = readProfileFile(Arguments.Input);
  if (!P)
    return P.takeError();
  return showProfile(*P, Arguments.View, Arguments.Input);
}

int sluice::profileShowMain(ArrayRef<const char *> Args) {
  return runOn("show", Args, ShowOptions,
               "usage: sluice profile show FILE.yaml [--json | "
               "--annotate=SOURCE]\n\n"
               "A profile as a table, the most expensive accesses first.\n\n",
               showArguments, showFile);
}
