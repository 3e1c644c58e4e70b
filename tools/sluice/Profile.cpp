// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice profile`: what a program's memory accesses do in the L1. Runs it with
// the emulator's profiler and shows the profile.

#include "EmulatedProgram.h"
#include "ProfileArguments.h"
#include "ProfileFiles.h"
#include "ProfileReplay.h"
#include "Subcommands.h"
#include "sluice/Analysis/ProfileFolder.h"
#include "sluice/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Tool = "sluice profile";

static int fail(const Twine &Message) {
  outs().flush();
  errs() << Tool << ": error: " << Message << "\n";
  return 1;
}

/// The emulator's settings, which write the profile to \p ProfilePath.
static Expected<std::string> settingsFor(const ProfileArguments &Args,
                                         const EmulatedProgram &Program,
                                         StringRef ProfilePath) {
  std::string Settings = Args.Settings;
  if (!Program.GPU.empty())
    if (Error E = addEmulatorSetting(Settings, "gpu", Program.GPU))
      return E;
  // What is wrong with the program is for `sluice emulate` to find.
  if (Error E = addEmulatorSetting(Settings, "check", "none"))
    return E;
  if (Error E = addEmulatorSetting(Settings, "profile", ProfilePath))
    return E;
  if (!Args.Trace.empty()) {
    // The program may change its folder.
    SmallString<128> Path(Args.Trace);
    if (std::error_code Error = sys::fs::make_absolute(Path))
      return createStringError(Error, "--trace=" + Args.Trace);
    if (Path.str().contains(','))
      return createStringError("--trace=" + Args.Trace +
                               ": a comma is not possible here");
    if (Error E = addEmulatorSetting(Settings, "access-trace", Path))
      return E;
  }
  auto Parsed = emulator::parseEmulatorOptions(Settings);
  if (!Parsed)
    return Parsed.takeError();
  return Settings;
}

/// The same for the same program, options and arguments: a later run takes the
/// place of an earlier one.
static std::string nameInFolder(const ProfileArguments &Args,
                                const EmulatedProgram &Program) {
  SmallString<128> Main(Program.Sources.empty() ? Program.Path
                                                : Program.Sources.front());
  std::string Stem = sys::path::stem(Main).str();
  if (std::error_code EC = sys::fs::make_absolute(Main))
    Main = Stem;
  std::string Key = (Main + "\n" + Args.Settings).str();
  for (const auto *Words : {&Args.ForClang, &Args.ForProgram})
    Key += "\n" + join(*Words, "\n");
  return Stem + "-" + utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
}

/// Shows what the program left in \p Path.
static Error showResult(const ProfileArguments &Args,
                        const EmulatedProgram &Program,
                        const std::string &Path) {
  if (!sys::fs::exists(Path))
    return createStringError("the program '" + Program.Path +
                             "' left no profile: it did not end by itself, or "
                             "does not use the emulator");
  auto P = readProfileFile(Path);
  if (!P)
    return P.takeError();
  if (P->Kernels.empty())
    errs() << Tool << ": warning: no kernel was launched"
           << (Args.Kernel.empty() && Args.NotKernel.empty()
                   ? ""
                   : " of those that --kernel and --not-kernel select")
           << "\n";
  if (!Args.Output.empty())
    if (Error E = writeProfileFile(Args.Output, *P))
      return E;
  if (!Args.Folder.empty())
    if (Error E =
            writeToProfileFolder(Args.Folder, nameInFolder(Args, Program), *P))
      return E;
  ProfileView View = Args.View;
  if (Args.AnnotateAll)
    View.Annotate = Program.Sources;
  return showProfile(*P, View, "the profile");
}

static int runAndShow(const ProfileArguments &Args, const char *Argv0) {
  auto Program = findEmulatedProgram(Args.ForClang, Args.GPU, Tool);
  if (!Program)
    return fail(toString(Program.takeError()));
  // A profile is of the L1, which staged rows go around, and of iterations,
  // which are fewer where several are taken together.
  for (const char *Name : {"software-l1", "loads-in-flight"})
    if (Program->IsBuilt && none_of(Program->ForClang, [&](StringRef Arg) {
          return Arg.contains("sluice-" + std::string(Name) + "=");
        }))
      Program->ForClang.push_back("--sluice-" + std::string(Name) + "=off");
  if (Args.AnnotateAll && !Program->IsBuilt)
    return fail("of a program that is built already, --annotate=SOURCE names "
                "the source");
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return fail(toString(std::move(E)));
  const std::string Path = Folder.file("profile.yaml");
  auto Settings = settingsFor(Args, *Program, Path);
  if (!Settings)
    return fail(toString(Settings.takeError()));
  if (int Status = buildEmulatedProgram(*Program, Folder, Argv0, Tool))
    return Status;
  const int Status =
      runEmulatedProgram(Program->Path, Args.ForProgram, *Settings, Tool);
  if (Error E = showResult(Args, *Program, Path)) {
    int Failed = fail(toString(std::move(E)));
    return Status ? Status : Failed;
  }
  return Status;
}

int sluice::profileMain(int argc, char **argv) {
  std::vector<const char *> Args(argv + 1, argv + argc);
  if (Args.empty()) {
    printProfileHelp(errs());
    return 1;
  }
  StringRef Name = Args.front();
  if (Name == "merge")
    return profileMergeMain(ArrayRef(Args).drop_front());
  if (Name == "show")
    return profileShowMain(ArrayRef(Args).drop_front());
  auto Read = readProfileArguments(Args);
  if (!Read)
    return fail(toString(Read.takeError()));
  if (Read->Help) {
    printProfileHelp(outs());
    return 0;
  }
  if (!Read->Replay.empty()) {
    if (Error E = replayTrace(*Read))
      return fail(toString(std::move(E)));
    return 0;
  }
  return runAndShow(*Read, argv[0]);
}
