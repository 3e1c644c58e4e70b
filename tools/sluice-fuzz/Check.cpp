// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kernels of a file are compiled and run together, in a process of their
// own. Where that does not work as a whole, each half is tried by itself.

#include "Check.h"
#include "HostLaunches.h"
#include "KernelCode.h"
#include "TemporaryFolder.h"
#include "sluice/Plan/HostRecord.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::fuzz;
using emulator::BufferContents;
using emulator::LaunchStatus;
using emulator::ModuleDescription;
using emulator::ModuleResult;

/// Lane-instructions. Some kernels of the generator need a third of it.
static constexpr uint64_t LaunchLimit = 200'000'000;
static constexpr unsigned RunSeconds = 240;

bool fuzz::isOfTransform(Finding F) {
  return F == Finding::Difference || F == Finding::Error ||
         F == Finding::Crash || F == Finding::Code;
}

StringRef fuzz::nameOf(Finding F) {
  switch (F) {
  case Finding::None:
    return "none";
  case Finding::BadKernel:
    return "bad-kernel";
  case Finding::PlainCrash:
    return "plain-crash";
  case Finding::Difference:
    return "difference";
  case Finding::Error:
    return "error";
  case Finding::Crash:
    return "crash";
  case Finding::CompileFailed:
    return "compile-failed";
  case Finding::Code:
    return "code";
  }
  llvm_unreachable("all are above");
}

static StringRef nameOf(LaunchStatus S) {
  switch (S) {
  case LaunchStatus::Success:
    return "success";
  case LaunchStatus::InvalidConfiguration:
    return "invalid configuration";
  case LaunchStatus::OutOfResources:
    return "out of resources";
  case LaunchStatus::IllegalAddress:
    return "illegal address";
  case LaunchStatus::MisalignedAddress:
    return "misaligned address";
  case LaunchStatus::Assert:
    return "assert";
  case LaunchStatus::Trap:
    return "trap";
  case LaunchStatus::Hang:
    return "hang";
  case LaunchStatus::CheckFailed:
    return "check failed";
  case LaunchStatus::Unsupported:
    return "unsupported";
  }
  llvm_unreachable("all are above");
}

//===- Modules ------------------------------------------------------------===//

namespace {

/// What a module's kernels look like: "define" lines and metadata numbers
/// differ even if nothing was done.
struct KernelTexts {
  std::vector<std::string> Names; ///< Mangled.
  StringMap<std::string> Text;
  /// Of loads: they are metadata, so not in the text.
  StringMap<unsigned> Hints;
};

} // namespace

/// \p Slots has the numbers of values without names: by itself each print would
/// number the whole module again.
static std::string textOf(const Function &F, ModuleSlotTracker &Slots) {
  std::string Text, Result;
  raw_string_ostream OS(Text);
  Slots.incorporateFunction(F);
  for (const BasicBlock &B : F)
    for (const Instruction &I : B) {
      Text.clear();
      I.print(OS, Slots);
      // Without attributes and metadata.
      Result += StringRef(Text).split(", !").first.split(" #").first;
      Result += '\n';
    }
  return Result;
}

static unsigned hintsOf(const Function &F) {
  unsigned Count = 0;
  for (const BasicBlock &B : F)
    for (const Instruction &I : B)
      Count += I.hasMetadata("mem.cache_hint") +
               I.hasMetadata(LLVMContext::MD_invariant_load);
  return Count;
}

static Expected<KernelTexts> readKernels(StringRef Bitcode) {
  LLVMContext Context;
  auto M = parseBitcodeFile(MemoryBufferRef(Bitcode, "kernels"), Context);
  if (!M)
    return M.takeError();
  KernelTexts Result;
  ModuleSlotTracker Slots(M->get());
  for (const Function &F : **M)
    if (F.getCallingConv() == CallingConv::PTX_Kernel) {
      Result.Names.push_back(F.getName().str());
      Result.Text[F.getName()] = textOf(F, Slots);
      Result.Hints[F.getName()] = hintsOf(F);
    }
  return Result;
}

/// Of the kernel whose name that is, or a part of its mangled name.
static std::string mangledName(const KernelTexts &Texts, StringRef Name) {
  auto Found = find_if(Texts.Names, [&](const std::string &Mangled) {
    return StringRef(Mangled).contains(Name);
  });
  return Found == Texts.Names.end() ? Name.str() : *Found;
}

//===- Running ------------------------------------------------------------===//

static Expected<ModuleResult> run(StringRef Bitcode,
                                  const ModuleDescription &Description,
                                  uint64_t Schedule) {
  emulator::EmulatorOptions Options;
  Options.CheckRaces = true;
  Options.Threads = 1;
  Options.ScheduleSeed = Schedule;
  Options.InstructionLimit = LaunchLimit;
  return emulator::runModule(Bitcode, Description, Options);
}

/// The part of a result that is of one launch's buffers.
static std::vector<BufferContents>
partOf(const ModuleResult &All, const emulator::ModuleLaunch &Launch) {
  std::vector<BufferContents> Part;
  for (const BufferContents &B : All.Buffers)
    if (any_of(Launch.Arguments, [&](const emulator::ModuleArgument &A) {
          return A.Buffer == B.Name;
        }))
      Part.push_back(B);
  return Part;
}

namespace {

/// What the process that runs the modules tells, one line for each launch.
class Teller {
public:
  explicit Teller(int File) : OS(File, /*shouldClose=*/true) {}
  void ranPlain() { OS << "plain\n", OS.flush(); }
  void found(size_t Launch, Finding F, StringRef Details) {
    OS << Launch << ' ' << unsigned(F) << ' '
       << join(split(Details.rtrim(), '\n'), "; ") << '\n';
  }
  void done() { OS << "done\n", OS.flush(); }

private:
  raw_fd_ostream OS;
};

} // namespace

static void runBoth(StringRef Plain, StringRef Transformed,
                    const ModuleDescription &Given, uint64_t Schedule,
                    Teller Tell) {
  const ModuleDescription Description = onOneSM(Given);
  auto Before = run(Plain, Description, /*Schedule=*/0);
  if (!Before)
    return Tell.found(0, Finding::BadKernel, toString(Before.takeError())),
           Tell.done();
  Tell.ranPlain();
  auto After =
      run(Transformed,
          asHostLaunches(Description, findHostRecords(Transformed)), Schedule);
  if (!After)
    return Tell.found(0, Finding::Error, toString(After.takeError())),
           Tell.done();
  for (auto [I, Launch] : enumerate(Description.Launches)) {
    if (Before->Launches[I] != LaunchStatus::Success)
      Tell.found(I, Finding::BadKernel, nameOf(Before->Launches[I]));
    else if (After->Launches[I] != LaunchStatus::Success)
      Tell.found(I, Finding::Error, nameOf(After->Launches[I]));
    else if (std::string Text = emulator::differences(partOf(*Before, Launch),
                                                      partOf(*After, Launch));
             !Text.empty())
      Tell.found(I, Finding::Difference, Text);
  }
  Tell.done();
}

/// Whether the process ended well. If not, it is in the first result.
static bool runIsolated(StringRef Plain, StringRef Transformed,
                        const ModuleDescription &Description, uint64_t Schedule,
                        StringRef Errors,
                        MutableArrayRef<KernelResult> Results) {
  int Pipe[2];
  if (pipe(Pipe) != 0) {
    Results[0] = {Finding::PlainCrash, false, "no pipe could be made"};
    return false;
  }
  outs().flush();
  errs().flush();
  pid_t Child = fork();
  if (Child == 0) {
    close(Pipe[0]);
    alarm(RunSeconds);
    int Said = open(Errors.str().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(Said, STDERR_FILENO);
    runBoth(Plain, Transformed, Description, Schedule, Teller(Pipe[1]));
    _exit(0);
  }
  close(Pipe[1]);
  std::string Told;
  char Bytes[4096];
  for (ssize_t N; (N = read(Pipe[0], Bytes, sizeof(Bytes))) > 0;)
    Told.append(Bytes, size_t(N));
  close(Pipe[0]);
  int Status = 0;
  waitpid(Child, &Status, 0);

  bool RanPlain = false, Done = false;
  for (StringRef Line : split(Told, '\n')) {
    if (Line == "plain")
      RanPlain = true;
    if (Line == "done")
      Done = true;
    auto [Number, Rest] = Line.split(' ');
    auto [Kind, Details] = Rest.split(' ');
    size_t Index;
    unsigned Found;
    if (Number.getAsInteger(10, Index) || Kind.getAsInteger(10, Found) ||
        Index >= Results.size())
      continue;
    Results[Index].Found = Finding(Found);
    Results[Index].Details = Details.str();
  }
  std::string Said;
  if (auto Text = MemoryBuffer::getFile(Errors))
    Said = (*Text)->getBuffer().take_front(3000).str();
  for (KernelResult &R : Results)
    if (Results.size() == 1 && R.Found != Finding::None)
      R.Details += "\n" + Said;
  if (Done)
    return true;
  Results[0].Found = RanPlain ? Finding::Crash : Finding::PlainCrash;
  Results[0].Details =
      (WIFSIGNALED(Status) && WTERMSIG(Status) == SIGALRM
           ? "it did not end in " + Twine(RunSeconds) + " s\n"
       : WIFSIGNALED(Status) ? "signal " + Twine(WTERMSIG(Status)) + "\n"
                             : Twine("it ended early\n"))
          .str() +
      Said;
  return false;
}

//===- Files of kernels ---------------------------------------------------===//

namespace {

/// The bitcode of both sides, or a result that says why there is none.
struct Pair {
  std::unique_ptr<MemoryBuffer> Plain, Transformed;
  std::string TransformedFile;
  KernelResult Failure;
};

} // namespace

static Pair compileBoth(const Environment &Where, const Settings &How,
                        StringRef Source, TemporaryFolder &Files) {
  Pair Result;
  if (llvm::Error E = Files.create()) {
    Result.Failure = {Finding::BadKernel, false, toString(std::move(E))};
    return Result;
  }
  std::string File = Files.file("kernels.cu");
  {
    std::error_code EC;
    raw_fd_ostream OS(File, EC);
    OS << Source;
  }
  for (bool Transformed : {false, true}) {
    std::string Output =
        Files.file(Transformed ? "transformed.bc" : "plain.bc");
    if (llvm::Error E = compile(Where, How, Transformed, File, Output)) {
      Result.Failure = {Transformed ? Finding::CompileFailed
                                    : Finding::BadKernel,
                        false, toString(std::move(E))};
      return Result;
    }
    auto Bitcode = MemoryBuffer::getFile(Output);
    if (!Bitcode) {
      Result.Failure = {Finding::BadKernel, false, "clang wrote no " + Output};
      return Result;
    }
    (Transformed ? Result.Transformed : Result.Plain) = std::move(*Bitcode);
    Result.TransformedFile = Output;
  }
  return Result;
}

//===- Code with hints ----------------------------------------------------===//

/// The kernels of the transformed side as PTX, without the hints' own text.
static Expected<StringMap<std::string>>
codeOf(const Environment &Where, const Settings &How, bool WithHints,
       const Pair &Modules, TemporaryFolder &Files) {
  std::string Output = Files.file(WithHints ? "hinted.ptx" : "plain.ptx");
  if (llvm::Error E =
          generateCode(Where, How, WithHints, Modules.TransformedFile, Output))
    return E;
  auto PTX = MemoryBuffer::getFile(Output);
  if (!PTX)
    return createStringError("clang wrote no " + Output);
  return kernelsWithoutHints((*PTX)->getBuffer());
}

/// Hints are to change the loads that have them, in metadata and in PTX, and
/// nothing else. The PTX without hints is that of the same IR, as `nc`, which
/// LLVM knows, lets it move loads. Of kernels \p Names; what was found before
/// stays. If no code can be generated, that is the result.
static KernelResult compareCode(const Environment &Where, const Settings &How,
                                const Pair &Modules, KernelTexts &Before,
                                KernelTexts &After, ArrayRef<std::string> Names,
                                TemporaryFolder &Files,
                                MutableArrayRef<KernelResult> Results) {
  auto Plain = codeOf(Where, How, /*WithHints=*/false, Modules, Files);
  if (!Plain)
    return {Finding::BadKernel, false, toString(Plain.takeError())};
  auto Hinted = codeOf(Where, How, /*WithHints=*/true, Modules, Files);
  if (!Hinted)
    return {Finding::CompileFailed, false, toString(Hinted.takeError())};
  for (auto [Name, R] : zip(Names, Results)) {
    if (R.Found != Finding::None)
      continue;
    std::string Text = firstDifference(Before.Text[Name], After.Text[Name]);
    if (Text.empty())
      Text = Plain->contains(Name)
                 ? firstDifference((*Plain)[Name], (*Hinted)[Name])
                 : "the kernel is not in the PTX";
    if (!Text.empty())
      R.Found = Finding::Code;
    R.Details += Text;
  }
  return {};
}

//===- Checks -------------------------------------------------------------===//

/// Empty if \p Kernels cannot be checked together; not if there is one.
static std::vector<KernelResult> checkTogether(const Environment &Where,
                                               const Settings &How,
                                               ArrayRef<Kernel> Kernels) {
  TemporaryFolder Files;
  std::vector<KernelResult> Results(Kernels.size());
  bool Single = Kernels.size() == 1;
  auto Failed = [&](KernelResult Why) {
    return Single ? std::vector<KernelResult>{std::move(Why)}
                  : std::vector<KernelResult>();
  };
  Pair Modules = compileBoth(Where, How, printSource(Kernels), Files);
  if (Modules.Failure.Found != Finding::None)
    return Failed(Modules.Failure);
  auto Before = readKernels(Modules.Plain->getBuffer());
  auto After = readKernels(Modules.Transformed->getBuffer());
  if (!Before || !After) {
    consumeError(Before.takeError());
    consumeError(After.takeError());
    return Failed({Finding::CompileFailed, false, "clang's bitcode is broken"});
  }
  HostRequests Requests = findHostRecords(Modules.Transformed->getBuffer());
  std::vector<std::string> Names;
  for (auto [K, R] : zip(Kernels, Results)) {
    std::string Name = mangledName(*Before, K.name());
    R.Changed = How.hasHints() ? Before->Hints[Name] != After->Hints[Name]
                               : Before->Text[Name] != After->Text[Name];
    const auto Request = Requests.find(Name);
    const bool IsMerged = Request != Requests.end() && Request->second.Merged;
    R.Changed |= IsMerged;
    R.Limited = Request != Requests.end() && !IsMerged;
    Names.push_back(Name);
  }
  ModuleDescription Description = describe(
      Kernels, [&](const Kernel &K) { return mangledName(*Before, K.name()); });
  if (!runIsolated(Modules.Plain->getBuffer(), Modules.Transformed->getBuffer(),
                   Description, How.Schedule, Files.file("errors"), Results))
    return Failed(Results[0]);
  if (!How.hasOnlyHints())
    return Results;
  KernelResult Failure =
      compareCode(Where, How, Modules, *Before, *After, Names, Files, Results);
  return Failure.Found == Finding::None ? Results : Failed(Failure);
}

std::vector<KernelResult> fuzz::check(const Environment &Where,
                                      const Settings &How,
                                      ArrayRef<Kernel> Kernels) {
  std::vector<KernelResult> Results = checkTogether(Where, How, Kernels);
  if (!Results.empty() || Kernels.empty())
    return Results;
  size_t Half = Kernels.size() / 2;
  Results = check(Where, How, Kernels.take_front(Half));
  append_range(Results, check(Where, How, Kernels.drop_front(Half)));
  return Results;
}

KernelResult fuzz::checkSource(const Environment &Where, const Settings &How,
                               StringRef Source,
                               ModuleDescription Description) {
  TemporaryFolder Files;
  Pair Modules = compileBoth(Where, How, Source, Files);
  if (Modules.Failure.Found != Finding::None)
    return Modules.Failure;
  auto Texts = readKernels(Modules.Plain->getBuffer());
  auto After = readKernels(Modules.Transformed->getBuffer());
  if (!Texts || !After) {
    consumeError(Texts.takeError());
    consumeError(After.takeError());
    return {Finding::CompileFailed, false, "clang's bitcode is broken"};
  }
  for (emulator::ModuleLaunch &Launch : Description.Launches)
    Launch.Kernel = mangledName(*Texts, Launch.Kernel);
  KernelResult Result;
  bool Ended =
      runIsolated(Modules.Plain->getBuffer(), Modules.Transformed->getBuffer(),
                  Description, How.Schedule, Files.file("errors"), Result);
  if (!Ended || !How.hasOnlyHints() || Description.Launches.empty())
    return Result;
  KernelResult Failure =
      compareCode(Where, How, Modules, *Texts, *After,
                  Description.Launches[0].Kernel, Files, Result);
  return Failure.Found == Finding::None ? Result : Failure;
}
