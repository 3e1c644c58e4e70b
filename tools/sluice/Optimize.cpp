// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice optimize`: from a source to a build by its own profile, in one
// command. It does what a user would by `sluice profile` and sluice-clang++,
// and leaves what came between beside the program.

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
};

namespace {

struct OptimizeArguments {
  bool Help = false;
  std::string Profile;               ///< The user's; empty: a run makes one.
  std::string Sample;                ///< The option as given; empty: it is not.
  std::string Output;                ///< Behind -o.
  std::vector<std::string> ForClang; ///< Without -o.
  std::vector<std::string> ForProgram;
};

} // namespace

static Expected<OptimizeArguments> readArguments(ArrayRef<const char *> Given) {
  auto Split = splitArguments(Given, Options);
  if (!Split)
    return Split.takeError();
  OptimizeArguments A;
  A.Help = Split->Help;
  for (const Setting &S : Split->Settings) {
    if (S.Name == "profile")
      A.Profile = S.Value.str();
    else
      A.Sample = S.Value.empty() ? "--sample" : ("--sample=" + S.Value).str();
  }
  A.ForClang = std::move(Split->ForClang);
  A.ForProgram = std::move(Split->ForProgram);
  auto Output = takeOutput(A.ForClang);
  if (!Output)
    return Output.takeError();
  A.Output = std::move(*Output);
  if (!A.Help && A.Output.empty())
    return createStringError("say what to build: -o app");
  if (!A.Help && !A.Profile.empty() && !A.ForProgram.empty())
    return createStringError("with --profile=" + A.Profile +
                             " nothing is run; leave out what is behind --");
  return A;
}

/// The GPU of this machine, where the user names none.
static Error chooseGPU(OptimizeArguments &A) {
  if (any_of(A.ForClang, namesGPU))
    return Error::success();
  const LocalDriver Driver = askDriver();
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

/// Runs the program on the CPU by `sluice profile`, whose table and what the
/// program prints is shown only if it fails.
static Error profileProgram(const OptimizeArguments &A, StringRef Path) {
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return E;
  const std::string Said = Folder.file("output.txt");
  const std::string Self = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&optimizeMain));
  std::vector<std::string> Command = {Self, "profile"};
  append_range(Command, A.ForClang);
  Command.push_back(("--output=" + Path).str());
  if (!A.Sample.empty())
    Command.push_back(A.Sample);
  Command.push_back("--");
  append_range(Command, A.ForProgram);
  errs() << "sluice optimize: note: running the program on the CPU"
         << (A.Sample.empty() ? "; --sample takes less time\n" : "\n");
  std::string Problem;
  const int Status = sys::ExecuteAndWait(
      Self, SmallVector<StringRef, 16>(Command.begin(), Command.end()),
      std::nullopt, {std::nullopt, StringRef(Said), std::nullopt}, 0, 0,
      &Problem);
  if (Status == 0)
    return Error::success();
  if (auto Text = MemoryBuffer::getFile(Said))
    errs() << (*Text)->getBuffer();
  if (Status < 0)
    return createStringError("the program could not be run: " + Problem);
  return createStringError(
      "the program ended with " + Twine(Status) +
      " on the CPU, so there is nothing to go by; its arguments stand behind "
      "--, and 'sluice emulate' finds what is wrong");
}

static Error build(const OptimizeArguments &A, StringRef Profile,
                   StringRef PlanFile, const char *Argv0) {
  std::vector<std::string> Args = {"-O3"};
  append_range(Args, A.ForClang);
  Args.push_back(("--sluice-profile=" + Profile).str());
  Args.push_back(("--sluice-emit-plan=" + PlanFile).str());
  Args.insert(Args.end(), {"-Rpass=sluice", "-o", A.Output});
  std::vector<const char *> Pointers;
  for (const std::string &Arg : Args)
    Pointers.push_back(Arg.c_str());
  sys::fs::remove(PlanFile); // clang adds to it
  auto Command = clangCommand(Pointers, Argv0);
  if (!Command)
    return Command.takeError();
  return runCommand(*Command) == 0 ? Error::success()
                                   : createStringError("the build failed");
}

static Error run(OptimizeArguments &A, const char *Argv0) {
  if (Error E = chooseGPU(A))
    return E;
  const std::string Profile =
      A.Profile.empty() ? A.Output + ".profile.yaml" : A.Profile;
  const std::string PlanFile = A.Output + ".plan.yaml";
  if (A.Profile.empty())
    if (Error E = profileProgram(A, Profile))
      return E;
  if (Error E = build(A, Profile, PlanFile, Argv0))
    return E;
  outs() << A.Output << ": built by what was measured on the CPU\n"
         << "  " << Profile << ": the measurements; for later builds "
         << "--sluice-profile=" << Profile << "\n  " << PlanFile
         << ": what was decided, and why\n";
  return Error::success();
}

int sluice::optimizeMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "optimize",
      "FILE.cu ... [clang options] -o PROGRAM -- [program arguments]\n\n"
      "Runs the program on the CPU, sees what its kernels do in the L1, and "
      "builds it by\nthat. No GPU is needed. Prints what was changed.",
      Options, readArguments, run);
}
