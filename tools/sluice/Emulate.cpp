// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice emulate`: builds a CUDA program in a temporary folder and runs it on
// the emulated GPU, or runs one that was built before.

#include "Arguments.h"
#include "Driver.h"
#include "EmulatedProgram.h"
#include "Subcommands.h"
#include "sluice/Emulator/Device.h"
#include "sluice/Emulator/ModuleRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr StringLiteral Tool = "sluice emulate";

namespace {

/// What the user types. Values are judged by parseEmulatorOptions.
constexpr ToolOption EmulatorOptionTable[] = {
    {"gpu", "sm_NN", "the GPU (default: --cuda-gpu-arch's, else sm_90)"},
    {"check", "LIST|none|all",
     "what to look for besides accesses out of bounds: some of memory, races, "
     "order and leaks, joined with commas (default: memory)"},
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
  if (Name == "gpu")
    Result.GPU = Text;
  return addEmulatorSetting(Result.Settings, Name, Text);
}

static Expected<EmulateArguments> readArguments(ArrayRef<const char *> Args) {
  auto Split = splitArguments(Args, EmulatorOptionTable);
  if (!Split)
    return Split.takeError();
  EmulateArguments Result;
  Result.Help = Split->Help;
  Result.ForClang = std::move(Split->ForClang);
  Result.ForProgram = std::move(Split->ForProgram);
  for (const auto &[Name, Value] : Split->Settings)
    if (Error E = addSetting(Result, Name, Value))
      return E;
  return Result;
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
                          const EmulatedProgram &Program,
                          const TemporaryFolder &Folder, const char *Argv0) {
  std::vector<std::string> Plain;
  for (const std::string &Arg : Program.ForClang)
    if (!isForSluice(Arg) && Arg != Program.Path && Arg != "-o" &&
        Arg != "-o" + Program.Path)
      Plain.push_back(Arg);
  Plain.push_back("--sluice-transforms=off");
  std::string PlainProgram = Folder.file("plain");
  Plain.insert(Plain.end(), {"-o", PlainProgram});
  if (int Status = emulatorBuild(Plain, Argv0, Tool))
    return Status;

  const std::string Names[] = {PlainProgram, Program.Path};
  std::vector<emulator::BufferContents> Left[2];
  int Statuses[2];
  for (int I : {0, 1}) {
    std::string Dump = Folder.file("dump");
    // One thread: blocks in the same order in both.
    std::string Settings =
        Args.Settings + (Args.Settings.empty() ? "" : ",") + "dump=" + Dump;
    if (Settings.find("threads=") == std::string::npos)
      Settings += ",threads=1";
    Statuses[I] = runEmulatedProgram(Names[I], Args.ForProgram, Settings, Tool,
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
  auto Program = findEmulatedProgram(Args->ForClang, Args->GPU, Tool);
  if (!Program)
    return fail(toString(Program.takeError()));
  if (Args->GPU.empty() && !Program->GPU.empty())
    if (Error E = addSetting(*Args, "gpu", Program->GPU))
      return fail(toString(std::move(E)));
  if (auto Parsed = emulator::parseEmulatorOptions(Args->Settings); !Parsed)
    return fail(toString(Parsed.takeError()));
  if (Args->Compare && !Program->IsBuilt)
    return fail("--compare builds the program twice, so it needs its sources");

  TemporaryFolder Folder;
  if (Program->IsBuilt)
    if (Error E = Folder.create())
      return fail(toString(std::move(E)));
  if (int Status = buildEmulatedProgram(*Program, Folder, argv[0], Tool))
    return Status;
  if (Args->Compare)
    return compareProgram(*Args, *Program, Folder, argv[0]);
  return runEmulatedProgram(Program->Path, Args->ForProgram, Args->Settings,
                            Tool);
}
