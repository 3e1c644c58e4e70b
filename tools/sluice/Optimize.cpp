// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice optimize`: from a source to its best build in one command: by its own
// profile, and by times of other plans where there is a GPU. It does what a
// user would by `sluice profile`, `sluice tune` and sluice-clang++, and leaves
// what came between beside the program.

#include "Arguments.h"
#include "Driver.h"
#include "LocalGpus.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr ToolOption Options[] = {
    {"profile", "FILE", "a profile that is there already: nothing is run"},
    {"sample", "[K]",
     "of each kernel run every K-th launch alone, and 16 waves of its blocks "
     "(default: 8), as sluice profile does"},
    {"budget", "SECONDS[s]",
     "measure other plans on this machine's GPU, and begin no more rounds "
     "after that (default: 60); 0: measure none"},
    {"export", "FOLDER",
     "have the other plans measured on another machine (FOLDER/run.sh)"},
    {"import", "FOLDER",
     "build by what was measured there; with --export what is measured next "
     "goes to another folder"},
};

/// Behind the name of the program.
static constexpr StringLiteral ProfileEnding = ".profile.yaml",
                               PlanEnding = ".plan.yaml",
                               StoreEnding = ".measured.db";

namespace {

struct OptimizeArguments {
  bool Help = false;
  std::string Profile;               ///< The user's; empty: a run makes one.
  std::string Sample;                ///< The option as given; empty: it is not.
  double Budget = 60;                ///< Seconds.
  std::string Export, Import;        ///< Folders.
  std::string Output;                ///< Behind -o.
  std::vector<std::string> ForClang; ///< Without -o.
  std::vector<std::string> ForProgram;
};

} // namespace

static Error takeSetting(OptimizeArguments &A, const Setting &S) {
  StringRef Seconds = S.Value;
  if (S.Name == "sample") {
    A.Sample = S.Value.empty() ? "--sample" : ("--sample=" + S.Value).str();
  } else if (S.Name == "budget") {
    Seconds.consume_back("s");
    if (Seconds.getAsDouble(A.Budget) || !(A.Budget >= 0)) // not a number
      return createStringError("--budget=" + S.Value +
                               ": seconds are expected, such as 120s");
  } else if (S.Value.empty()) {
    return createStringError("--" + S.Name + "= has no value");
  } else {
    (S.Name == "profile"  ? A.Profile
     : S.Name == "export" ? A.Export
                          : A.Import) = S.Value.str();
  }
  return Error::success();
}

static Error check(OptimizeArguments &A) {
  if (A.Output.empty())
    return createStringError("say what to build: -o app");
  // What is measured elsewhere runs there.
  if (!A.Profile.empty() && !A.ForProgram.empty() && A.Export.empty() &&
      A.Import.empty())
    return createStringError("with --profile=" + A.Profile +
                             " nothing is run; leave out what is behind --");
  if (A.Import.empty() || !A.Profile.empty())
    return Error::success();
  A.Profile = A.Output + ProfileEnding.str();
  if (!sys::fs::exists(A.Profile))
    return createStringError("'" + A.Profile +
                             "', the profile that the call with --export made, "
                             "is not there; --profile=FILE names it");
  return Error::success();
}

static Expected<OptimizeArguments> readArguments(ArrayRef<const char *> Given) {
  auto Split = splitArguments(Given, Options);
  if (!Split)
    return Split.takeError();
  OptimizeArguments A;
  A.Help = Split->Help;
  for (const Setting &S : Split->Settings)
    if (Error E = takeSetting(A, S))
      return std::move(E);
  A.ForClang = std::move(Split->ForClang);
  A.ForProgram = std::move(Split->ForProgram);
  auto Output = takeOutput(A.ForClang);
  if (!Output)
    return Output.takeError();
  A.Output = std::move(*Output);
  if (!A.Help)
    if (Error E = check(A))
      return std::move(E);
  return A;
}

/// The GPU of this machine, where the user names none.
static Error chooseGPU(OptimizeArguments &A, const LocalDriver &Driver) {
  if (any_of(A.ForClang, namesGPU))
    return Error::success();
  if (Driver.Gpus.empty())
    return createStringError("say which GPU it is for: --cuda-gpu-arch=sm_90. "
                             "None is known here: " +
                             Driver.Problem);
  const LocalGpu &GPU = Driver.Gpus.front();
  errs() << "sluice optimize: note: for this machine's " << GPU.Name << ", "
         << GPU.Architecture << "\n";
  A.ForClang.push_back("--cuda-gpu-arch=" + GPU.Architecture);
  return Error::success();
}

/// `sluice Words...` for the program; what it prints goes to \p Said, if that
/// is given. \returns its exit status.
static Expected<int> runSluice(std::vector<std::string> Words,
                               const OptimizeArguments &A,
                               std::optional<StringRef> Said) {
  const std::string Self = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&optimizeMain));
  Words.insert(Words.begin(), Self);
  Words.push_back("--");
  append_range(Words, A.ForProgram);
  std::string Problem;
  const int Status = sys::ExecuteAndWait(
      Self, SmallVector<StringRef, 16>(Words.begin(), Words.end()),
      std::nullopt, {std::nullopt, Said, std::nullopt}, 0, 0, &Problem);
  if (Status < 0)
    return createStringError("the program could not be run: " + Problem);
  return Status;
}

/// Runs the program on the CPU by `sluice profile`, whose table and what the
/// program prints is shown only if it fails.
static Error profileProgram(const OptimizeArguments &A, StringRef Path) {
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return E;
  const std::string Said = Folder.file("output.txt");
  std::vector<std::string> Words = {"profile"};
  append_range(Words, A.ForClang);
  Words.push_back(("--output=" + Path).str());
  if (!A.Sample.empty())
    Words.push_back(A.Sample);
  errs() << "sluice optimize: note: running the program on the CPU"
         << (A.Sample.empty() ? "; --sample takes less time\n" : "\n");
  auto Status = runSluice(std::move(Words), A, StringRef(Said));
  if (Status && *Status == 0)
    return Error::success();
  if (auto Text = MemoryBuffer::getFile(Said))
    errs() << (*Text)->getBuffer();
  if (!Status)
    return Status.takeError();
  return createStringError(
      "the program ended with " + Twine(*Status) +
      " on the CPU, so there is nothing to go by; its arguments stand behind "
      "--, and 'sluice emulate' finds what is wrong");
}

/// `sluice tune` from the profile's plan on. It prints what it measured.
static Error measurePlans(const OptimizeArguments &A, StringRef Profile,
                          ArrayRef<std::string> How,
                          std::optional<StringRef> Said = std::nullopt) {
  std::vector<std::string> Words = {"tune", "-O3"};
  append_range(Words, A.ForClang);
  Words.insert(Words.end(),
               {("--sluice-profile=" + Profile).str(),
                "--store=" + A.Output + StoreEnding.str(),
                "--output=" + A.Output + PlanEnding.str(), "--rows=3"});
  append_range(Words, How);
  auto Status = runSluice(std::move(Words), A, Said);
  if (!Status)
    return Status.takeError();
  return *Status == 0 ? Error::success()
                      : createStringError("no plan was measured");
}

/// \p How: clang's option that names the profile or the plan.
static Error build(const OptimizeArguments &A, const std::string &How,
                   const char *Argv0) {
  std::vector<std::string> Args = {"-O3"};
  append_range(Args, A.ForClang);
  Args.insert(Args.end(), {How, "-Rpass=sluice", "-o", A.Output});
  const std::string PlanFile = A.Output + PlanEnding.str();
  if (!StringRef(How).ends_with(PlanFile)) {
    Args.push_back("--sluice-emit-plan=" + PlanFile);
    sys::fs::remove(PlanFile); // clang adds to it
  }
  std::vector<const char *> Pointers;
  for (const std::string &Arg : Args)
    Pointers.push_back(Arg.c_str());
  auto Command = clangCommand(Pointers, Argv0);
  if (!Command)
    return Command.takeError();
  return runCommand(*Command) == 0 ? Error::success()
                                   : createStringError("the build failed");
}

/// Has this machine what can measure the program, and is it to?
static bool measuresHere(const OptimizeArguments &A,
                         const LocalDriver &Driver) {
  if (Driver.Gpus.empty() || A.Budget == 0)
    return false;
  const LocalGpu &GPU = Driver.Gpus.front();
  std::string Why;
  if (none_of(A.ForClang, [&](StringRef Arg) {
        return namesGPU(Arg) && Arg.ends_with("=" + GPU.Architecture);
      }))
    Why = "this machine's " + GPU.Name + " is " + GPU.Architecture;
  else if (count_if(A.ForClang,
                    [](StringRef Arg) { return Arg.ends_with(".cu"); }) != 1)
    Why = "that is done for one source; sluice tune --project measures several";
  else if (!A.Profile.empty())
    Why = "with --profile nothing is run";
  if (!Why.empty())
    errs() << "sluice optimize: note: no other plans are measured: " << Why
           << "\n";
  return Why.empty();
}

/// The other plans, or the next of them, for another machine.
static Error exportPlans(const OptimizeArguments &A, StringRef Profile) {
  std::vector<std::string> How = {"--export=" + A.Export};
  if (!A.Import.empty())
    How.push_back("--import=" + A.Import);
  // Its next step is not this command's.
  if (Error E = measurePlans(A, Profile, How, "/dev/null"))
    return E;
  if (sys::fs::exists(A.Export))
    outs() << "  " << A.Export << ": other plans; run " << A.Export
           << "/run.sh on the machine with the GPU, then this again with "
              "--import="
           << A.Export << "\n";
  return Error::success();
}

static Error run(OptimizeArguments &A, const char *Argv0) {
  const LocalDriver Driver = askDriver();
  if (Error E = chooseGPU(A, Driver))
    return E;
  const bool MeasuresHere =
      A.Export.empty() && A.Import.empty() && measuresHere(A, Driver);
  const std::string Profile =
      A.Profile.empty() ? A.Output + ProfileEnding.str() : A.Profile;
  const std::string PlanFile = A.Output + PlanEnding.str();
  if (A.Profile.empty())
    if (Error E = profileProgram(A, Profile))
      return E;
  bool IsMeasured = false;
  if (!A.Import.empty()) {
    if (Error E = measurePlans(A, Profile, {"--import=" + A.Import}))
      return E;
    IsMeasured = true;
  } else if (MeasuresHere) {
    errs() << "sluice optimize: note: measuring other plans on "
           << Driver.Gpus.front().Name << "; --budget=0 leaves that out\n";
    if (Error E =
            measurePlans(A, Profile, {"--budget=" + std::to_string(A.Budget)}))
      errs() << "sluice optimize: warning: " << toString(std::move(E))
             << "; built by the profile alone\n";
    else
      IsMeasured = true;
  }
  if (Error E = build(A,
                      IsMeasured ? "--sluice-plan=" + PlanFile
                                 : "--sluice-profile=" + Profile,
                      Argv0))
    return E;
  outs() << A.Output << ": built by what was measured on the "
         << (IsMeasured ? "GPU\n" : "CPU\n") << "  " << Profile
         << ": the measurements" << (IsMeasured ? " on the CPU" : "")
         << "; for later builds "
         << "--sluice-profile=" << Profile << "\n  " << PlanFile
         << ": what was decided, and why";
  if (IsMeasured)
    outs() << "; for later builds --sluice-plan=" << PlanFile;
  outs() << "\n";
  return A.Export.empty() ? Error::success() : exportPlans(A, Profile);
}

int sluice::optimizeMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "optimize",
      "FILE.cu ... [clang options] -o PROGRAM -- [program arguments]\n\n"
      "Runs the program on the CPU, sees what its kernels do in the L1, and "
      "builds it by\nthat. Where there is a GPU it measures other plans, too, "
      "and takes the fastest whose\nresults are the same. Prints what was "
      "changed.",
      Options, readArguments, run);
}
