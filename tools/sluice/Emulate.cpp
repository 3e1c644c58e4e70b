// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice emulate`: builds a CUDA program in a temporary folder and runs it on
// the emulated GPU, or runs one that was built before.

#include "Arguments.h"
#include "Driver.h"
#include "EmulatorBuild.h"
#include "Subcommands.h"
#include "TemporaryFolder.h"
#include "sluice/Emulator/Device.h"
#include "sluice/Emulator/ModuleRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
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

namespace {

/// What the user types. Values are judged by parseEmulatorOptions.
constexpr ToolOption EmulatorOptionTable[] = {
    {"gpu", "sm_NN", "the GPU (default: --cuda-gpu-arch's, else sm_90)"},
    {"check", "memory,races,leaks|none|all",
     "what to look for besides accesses out of bounds (default: memory)"},
    {"fail-fast", "", "end the program at the first error"},
    {"schedule-seed", "N", "run blocks and warps in another order"},
    {"threads", "N", "CPU threads (default: one on each core)"},
    {"instruction-limit", "N", "end a launch after N lane-instructions"},
    {"memory", "BYTES[K|M|G]", "memory of the GPU (default: 16G)"},
    {"isa", "base|avx2|avx512", "CPU instructions to use (default: the best)"},
    {"annotate", "FILE", "write what each source line did"},
    {"histogram", "FILE", "write how often each instruction ran"},
    {"trace", "FILE", "write every access and barrier"},
    {"dump", "FILE", "write the bytes of every buffer at exit"},
    {"statistics", "", "print the work and time of each launch"},
    // These are not the emulated device's but ours.
    {"launch", "FILE", "run the kernels of an IR module as FILE describes"},
    {"compare", "[MODULE]",
     "run also without Sluice's transforms (a module: run also MODULE), and "
     "compare every buffer"},
    {"order-dependent", "BUFFER,...", "buffers that --compare leaves out"},
};

struct EmulateArguments {
  std::string Settings; ///< SLUICE_EMULATE.
  std::string GPU;      ///< Of --gpu.
  std::string Launch;   ///< Of --launch: the description's file.
  bool Compare = false;
  std::string CompareWith; ///< Of --compare=: the other module.
  std::vector<std::string> OrderDependent;
  std::vector<std::string> ForClang;
  std::vector<std::string> ForProgram;
  bool Help = false;
};

} // namespace

static void printHelp(raw_ostream &OS) {
  OS << "usage: sluice emulate FILE.cu ... [clang options] [emulator options] "
        "-- [program arguments]\n"
        "       sluice emulate PROGRAM [emulator options] -- [program "
        "arguments]\n"
        "       sluice emulate MODULE --launch=FILE [emulator options]\n\n"
        "Builds the program, or takes one built by sluice-clang++ "
        "--sluice-emulate, and\nruns it; its kernels run on the CPU. The exit "
        "status is the program's, or 86 if\nthat is 0 and errors were "
        "reported, or 87 if --compare found a difference. MODULE is "
        "device\nbitcode or "
        "IR.\n\n";
  printOptions(OS, EmulatorOptionTable);
}

static Error addSetting(EmulateArguments &Result, StringRef Name,
                        StringRef Value) {
  if (Name == "launch") {
    Result.Launch = Value.str();
    return Error::success();
  }
  if (Name == "compare") {
    Result.Compare = true;
    Result.CompareWith = Value.str();
    return Error::success();
  }
  if (Name == "order-dependent") {
    for (StringRef Buffer : split(Value, ','))
      Result.OrderDependent.push_back(Buffer.str());
    return Error::success();
  }
  std::string Text = Value.str();
  if (Name == "check")
    llvm::replace(Text, ',', '+');
  if (StringRef(Text).contains(','))
    return createStringError("--" + Name + "=" + Value +
                             ": a comma is not possible here");
  if (Name == "gpu")
    Result.GPU = Text;
  if (!Result.Settings.empty())
    Result.Settings += ",";
  Result.Settings += (Name + "=" + Text).str();
  return Error::success();
}

static Expected<EmulateArguments> readArguments(ArrayRef<const char *> Args) {
  auto Split = splitArguments(Args, EmulatorOptionTable);
  if (!Split)
    return Split.takeError();
  EmulateArguments Result;
  Result.Help = Split->Help;
  Result.ForClang = std::move(Split->ForClang);
  erase(Result.ForClang, "--sluice-emulate"); // as good as said
  Result.ForProgram = std::move(Split->ForProgram);
  for (const auto &[Name, Value] : Split->Settings)
    if (Error E = addSetting(Result, Name, Value))
      return E;
  return Result;
}

//===- Running ------------------------------------------------------------===//

static volatile sig_atomic_t RunningProgram = 0;

/// The terminal sends SIGINT to the program too; what is sent to us alone is
/// passed on. Either way the program's end is waited for.
static void passOn(int Signal) {
  if (Signal != SIGINT && Signal != SIGQUIT && RunningProgram > 0)
    kill(RunningProgram, Signal);
}

/// \p SaysInto: the file that the program's output goes to, if not ours.
static int runProgram(const std::string &Path,
                      const std::vector<std::string> &Args,
                      const std::string &SaysInto = "") {
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
    errs() << "sluice emulate: error: cannot run '" << Path
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
  errs() << "sluice emulate: the program was ended by signal " << Signal << " ("
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

//===- Comparing ----------------------------------------------------------===//

constexpr int ReportedErrors = 86;
constexpr int FoundDifferences = 87;

static int fail(const Twine &Message) {
  errs() << "sluice emulate: error: " << Message << "\n";
  return 1;
}

/// Says what differs and returns the exit status.
static int compare(std::vector<emulator::BufferContents> Before,
                   ArrayRef<emulator::BufferContents> After,
                   ArrayRef<std::string> OrderDependent) {
  for (StringRef Name : OrderDependent) {
    auto Found = find_if(Before, [&](const emulator::BufferContents &B) {
      return StringRef(B.Name).split(" (").first == Name;
    });
    if (Found == Before.end()) {
      std::string Message =
          ("--order-dependent=" + Name + ": there is no such buffer; there are")
              .str();
      for (const emulator::BufferContents &B : Before)
        Message += " '" + StringRef(B.Name).split(" (").first.str() + "'";
      return fail(Message);
    }
    Found->OrderDependent = true;
  }
  std::string Different = emulator::differences(Before, After);
  if (Different.empty()) {
    errs() << "sluice emulate: note: all " << Before.size()
           << " buffers are the same\n";
    return 0;
  }
  for (StringRef Line : split(StringRef(Different).rtrim('\n'), '\n'))
    errs() << "sluice emulate: difference: " << Line << "\n";
  return FoundDifferences;
}

/// `sluice emulate MODULE --launch=FILE`.
static int runModules(const EmulateArguments &Args,
                      const emulator::EmulatorOptions &Options) {
  auto Describes = MemoryBuffer::getFileOrSTDIN(Args.Launch, /*IsText=*/true);
  if (!Describes)
    return fail("cannot read '" + Args.Launch +
                "': " + Describes.getError().message());
  auto Description = emulator::readModuleDescription(**Describes);
  if (!Description)
    return fail(toString(Description.takeError()));
  std::vector<std::string> Modules = {Args.ForClang.front()};
  if (Args.Compare)
    Modules.push_back(Args.CompareWith);
  std::vector<emulator::ModuleResult> Results;
  for (const std::string &Path : Modules) {
    auto Module = MemoryBuffer::getFileOrSTDIN(Path);
    if (!Module)
      return fail("cannot read '" + Path + "': " + Module.getError().message());
    auto Result =
        emulator::runModule((*Module)->getBuffer(), *Description, Options);
    if (!Result)
      return fail(Path + ": " + toString(Result.takeError()));
    Results.push_back(std::move(*Result));
  }
  int Status = 0;
  if (Args.Compare)
    Status =
        compare(Results[0].Buffers, Results[1].Buffers, Args.OrderDependent);
  for (const emulator::ModuleResult &Result : Results)
    if (!Status && Result.Counts.Errors)
      Status = ReportedErrors;
  return Status;
}

/// Builds the program also without transforms, runs both, and compares what
/// they leave. The output is that of the transformed one.
static int compareProgram(const EmulateArguments &Args,
                          const TemporaryFolder &Folder,
                          const std::string &Program, const char *Argv0) {
  std::vector<std::string> Plain;
  for (const std::string &Arg : Args.ForClang)
    if (!StringRef(Arg).starts_with("--sluice-") && Arg != Program &&
        Arg != "-o" && Arg != "-o" + Program)
      Plain.push_back(Arg);
  for (const char *Off :
       {"throttle", "hints", "bypass", "sfu", "registers", "software-l1"})
    Plain.push_back(std::string("--sluice-") + Off + "=off");
  std::string PlainProgram = Folder.file("plain");
  Plain.insert(Plain.end(), {"-o", PlainProgram});
  if (int Status = emulatorBuild(Plain, Argv0, "sluice emulate"))
    return Status;

  const std::string Names[] = {PlainProgram, Program};
  std::vector<emulator::BufferContents> Left[2];
  int Statuses[2];
  for (int I : {0, 1}) {
    std::string Dump = Folder.file("dump");
    // One thread: blocks in the same order in both.
    std::string Settings =
        Args.Settings + (Args.Settings.empty() ? "" : ",") + "dump=" + Dump;
    if (Settings.find("threads=") == std::string::npos)
      Settings += ",threads=1";
    setenv("SLUICE_EMULATE", Settings.c_str(), /*overwrite=*/1);
    Statuses[I] = runProgram(Names[I], Args.ForProgram,
                             I == 0 ? Folder.file("said") : "");
    auto Buffers = emulator::readBufferDump(Dump);
    if (!Buffers)
      return fail((I == 0 ? "the program without transforms left no dump: "
                          : "the transformed program left no dump: ") +
                  toString(Buffers.takeError()));
    Left[I] = std::move(*Buffers);
  }
  int Status = compare(std::move(Left[0]), Left[1], Args.OrderDependent);
  if (Status)
    return Status;
  if (Statuses[0] != Statuses[1]) {
    errs() << "sluice emulate: difference: the exit status is " << Statuses[0]
           << " before, " << Statuses[1] << " after\n";
    return FoundDifferences;
  }
  return Statuses[1];
}

int sluice::emulateMain(int argc, char **argv) {
  if (argc < 2) {
    printHelp(errs());
    return 1;
  }
  auto Args = readArguments(ArrayRef<const char *>(argv + 1, argc - 1));
  if (!Args)
    return fail(toString(Args.takeError()));
  if (Args->Help) {
    printHelp(outs());
    return 0;
  }
  if (!Args->Launch.empty()) {
    auto Options = emulator::parseEmulatorOptions(Args->Settings);
    if (!Options)
      return fail(toString(Options.takeError()));
    if (Args->ForClang.size() != 1)
      return fail("--launch runs one module, device bitcode or IR");
    if (Args->Compare && Args->CompareWith.empty())
      return fail("with --launch, --compare names the other module: "
                  "--compare=MODULE");
    return runModules(*Args, *Options);
  }
  if (!Args->CompareWith.empty())
    return fail("--compare=" + Args->CompareWith +
                " compares modules; for a program write --compare");
  auto Request = readEmulatorRequest(Args->ForClang);
  if (!Request)
    return fail(toString(Request.takeError()));
  if (Args->GPU.empty() && !Request->GPU.empty())
    if (Error E = addSetting(*Args, "gpu", Request->GPU))
      return fail(toString(std::move(E)));
  if (auto Parsed = emulator::parseEmulatorOptions(Args->Settings); !Parsed)
    return fail(toString(Parsed.takeError()));
  if (Request->Inputs.empty())
    return fail("no CUDA source and no program is given; see sluice emulate "
                "--help");
  setenv("SLUICE_EMULATE", Args->Settings.c_str(), /*overwrite=*/1);

  bool HasRuntime = false;
  if (isProgram(Request->Inputs.front(), HasRuntime)) {
    if (Args->Compare)
      return fail(
          "--compare builds the program twice, so it needs its sources");
    if (Args->ForClang.size() > 1)
      return fail("'" + Request->Inputs.front() +
                  "' is a program already, so '" + Args->ForClang.back() +
                  "' has no use; the program's own arguments come after --");
    if (!HasRuntime)
      errs() << "sluice emulate: warning: '" << Request->Inputs.front()
             << "' does not use the emulator; build it with sluice-clang++ "
                "--sluice-emulate\n";
    return runProgram(Request->Inputs.front(), Args->ForProgram);
  }
  if (!Request->NoProgram.empty())
    return fail("with '" + Request->NoProgram + "' there is no program to run");

  if (Request->GPU.empty())
    Args->ForClang.push_back("--cuda-gpu-arch=" +
                             (Args->GPU.empty() ? "sm_90" : Args->GPU));
  if (!Request->HasOptLevel)
    Args->ForClang.push_back("-O3");
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return fail(toString(std::move(E)));
  SmallString<128> Program(Request->Output); // with -o the program is kept
  if (Program.empty()) {
    Program = Folder.file(sys::path::stem(Request->Inputs.front()));
    Args->ForClang.insert(Args->ForClang.begin(), {"-o", Program.str().str()});
  }
  if (int Status = emulatorBuild(Args->ForClang, argv[0], "sluice emulate"))
    return Status;
  if (Args->Compare)
    return compareProgram(*Args, Folder, Program.str().str(), argv[0]);
  return runProgram(Program.str().str(), Args->ForProgram);
}
