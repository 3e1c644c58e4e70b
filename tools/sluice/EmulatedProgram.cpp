// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EmulatedProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;

Error sluice::addEmulatorSetting(std::string &Settings, StringRef Name,
                                 StringRef Value) {
  if (Value.contains(','))
    return createStringError("--" + Name + "=" + Value +
                             ": a comma is not possible here");
  if (!Settings.empty())
    Settings += ",";
  Settings += (Name + "=" + Value).str();
  return Error::success();
}

static volatile sig_atomic_t RunningProgram = 0;

/// The terminal sends SIGINT to the program too; what is sent to us alone is
/// passed on. Either way the program's end is waited for.
static void passOn(int Signal) {
  if (Signal != SIGINT && Signal != SIGQUIT && RunningProgram > 0)
    kill(RunningProgram, Signal);
}

int sluice::runEmulatedProgram(const std::string &Path,
                               const std::vector<std::string> &Args,
                               const std::string &Settings, StringRef Tool,
                               const std::string &SaysInto) {
  setenv("SLUICE_EMULATE", Settings.c_str(), /*overwrite=*/1);
  std::vector<char *> Argv = {const_cast<char *>(Path.c_str())};
  for (const std::string &Arg : Args)
    Argv.push_back(const_cast<char *>(Arg.c_str()));
  Argv.push_back(nullptr);

  // A handler, unlike SIG_IGN, is not inherited by the program.
  constexpr int Signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction Before[std::size(Signals)];
  struct sigaction Action = {};
  Action.sa_handler = passOn;
  Action.sa_flags = SA_RESTART;
  for (auto [Signal, Old] : zip(Signals, Before)) {
    sigaction(Signal, nullptr, &Old);
    if (Old.sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  }
  scope_exit Restore([&] {
    for (auto [Signal, Old] : zip(Signals, Before))
      sigaction(Signal, &Old, nullptr);
  });

  outs().flush();
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  scope_exit Destroy([&] { posix_spawn_file_actions_destroy(&Actions); });
  if (!SaysInto.empty())
    posix_spawn_file_actions_addopen(&Actions, STDOUT_FILENO, SaysInto.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t Child;
  if (int Problem = posix_spawn(&Child, Path.c_str(), &Actions, nullptr,
                                Argv.data(), environ)) {
    errs() << Tool << ": error: cannot run '" << Path
           << "': " << std::strerror(Problem) << "\n";
    return Problem == ENOENT ? 127 : 126; // as shells do
  }
  RunningProgram = Child;
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  RunningProgram = 0;
  if (!WIFSIGNALED(Status))
    return WEXITSTATUS(Status);
  int Signal = WTERMSIG(Status);
  errs() << Tool << ": the program was ended by signal " << Signal << " ("
         << strsignal(Signal) << ")\n";
  return 128 + Signal;
}

/// Is the file a program, and not a source? Scripts count: what they start
/// inherits SLUICE_EMULATE.
static bool isProgram(StringRef Path, bool &HasRuntime) {
  if (!sys::fs::is_regular_file(Path) || !sys::fs::can_execute(Path))
    return false;
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return false;
  StringRef Bytes = (*Buffer)->getBuffer();
  bool IsELF = Bytes.starts_with("\177ELF");
  HasRuntime = !IsELF || Bytes.contains("libSluiceCudart.so");
  return IsELF || Bytes.starts_with("#!");
}

Expected<EmulatedProgram>
sluice::findEmulatedProgram(std::vector<std::string> ForClang, StringRef GPU,
                            StringRef Tool) {
  EmulatedProgram Result;
  erase(ForClang, "--sluice-emulate"); // as good as said
  Result.ForClang = std::move(ForClang);
  auto Request = readEmulatorRequest(Result.ForClang);
  if (!Request)
    return Request.takeError();
  Result.GPU = GPU.empty() ? Request->GPU : GPU.str();
  if (Request->Inputs.empty())
    return createStringError("no CUDA source and no program is given; see " +
                             Tool + " --help");
  const std::string &First = Request->Inputs.front();
  bool HasRuntime = false;
  if (isProgram(First, HasRuntime)) {
    if (Result.ForClang.size() > 1)
      return createStringError(
          "'" + First + "' is a program already, so '" +
          Result.ForClang.back() +
          "' has no use; the program's own arguments come after --");
    if (!HasRuntime)
      errs() << Tool << ": warning: '" << First
             << "' does not use the emulator; build it with sluice-clang++ "
                "--sluice-emulate\n";
    Result.Path = First;
    return Result;
  }
  if (!Request->NoProgram.empty())
    return createStringError("with '" + Request->NoProgram +
                             "' there is no program to run");
  if (Request->GPU.empty())
    Result.ForClang.push_back("--cuda-gpu-arch=" +
                              (GPU.empty() ? "sm_90" : GPU.str()));
  if (!Request->HasOptLevel)
    Result.ForClang.push_back("-O3");
  Result.Path = Request->Output; // with -o the program is kept
  copy_if(Request->Inputs, std::back_inserter(Result.Sources),
          [](StringRef Input) { return Input.ends_with(".cu"); });
  if (Result.Sources.empty())
    Result.Sources = {First};
  Result.IsBuilt = true;
  return Result;
}

int sluice::buildEmulatedProgram(EmulatedProgram &Program,
                                 const TemporaryFolder &Folder,
                                 const char *Argv0, StringRef Tool) {
  if (!Program.IsBuilt)
    return 0;
  if (Program.Path.empty()) {
    Program.Path = Folder.file(sys::path::stem(Program.Sources.front()));
    Program.ForClang.insert(Program.ForClang.begin(), {"-o", Program.Path});
  }
  return emulatorBuild(Program.ForClang, Argv0, Tool);
}
