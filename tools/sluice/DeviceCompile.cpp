// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceCompile.h"
#include "Arguments.h"
#include "Driver.h"
#include "TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static auto pointersTo(ArrayRef<std::string> Words) {
  return to_vector(
      map_range(Words, [](const std::string &S) { return S.c_str(); }));
}

static bool isSource(StringRef Arg) { return Arg.ends_with(".cu"); }

Expected<std::vector<std::string>>
sluice::deviceOptions(ArrayRef<std::string> ForClang, StringRef Tool) {
  auto Expanded = expandArguments(pointersTo(ForClang));
  if (!Expanded)
    return Expanded.takeError();
  if (none_of(*Expanded, isSource))
    return createStringError("no .cu file was given");
  std::vector<std::string> Options = {"-O3"};
  if (none_of(*Expanded, namesGPU)) {
    errs() << Tool
           << ": note: compiling for sm_90; say --cuda-gpu-arch= for another "
              "GPU\n";
    Options.push_back("--cuda-gpu-arch=sm_90");
  }
  append_range(Options, *Expanded);
  return Options;
}

StringRef sluice::sourceOf(ArrayRef<std::string> Options) {
  return *find_if(Options, isSource);
}

/// What is in a file that the compile has written.
static std::string contentsOf(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

namespace {

/// What a compile leaves, in files of a folder of its own.
struct CompiledFiles {
  Plan Decided;
  std::string Code, Remarks;
};

} // namespace

/// With \p More, which says what code is wanted.
static Expected<CompiledFiles>
compile(ArrayRef<std::string> Options, ArrayRef<std::string> More,
        RemarksWanted Remarks, const char *Argv0, Diagnostics Said) {
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return std::move(E);
  const std::string PlanFile = Folder.file("plan.yaml"),
                    CodeFile = Folder.file("kernels"),
                    Record = Folder.file("remarks.yaml");
  std::vector<std::string> Words = Options.vec();
  const std::string UsersPlan = takeSluiceOption(Words, "emit-plan");
  append_range(Words,
               std::vector<std::string>{"--sluice-emit-plan=" + PlanFile,
                                        "--cuda-device-only", "-o", CodeFile});
  append_range(Words, More);
  if (Remarks == RemarksWanted::Yes)
    append_range(
        Words, std::vector<std::string>{"-fsave-optimization-record=yaml",
                                        "-foptimization-record-file=" + Record,
                                        "-foptimization-record-passes=sluice"});
  auto Command = clangCommand(pointersTo(Words), Argv0);
  if (!Command)
    return Command.takeError();
  std::string Text;
  if ((Said == Diagnostics::Shown ? runCommand(*Command)
                                  : runQuietly(*Command, Text)) != 0)
    return createStringError("the compile failed" +
                             (Text.empty() ? "" : ":\n" + Text));
  auto Plans = readPlanFile(PlanFile);
  if (!Plans)
    return Plans.takeError();
  CompiledFiles Files;
  Files.Code = contentsOf(CodeFile);
  if (Plans->size() != 1 || Files.Code.empty())
    return createStringError("give one .cu file and one --cuda-gpu-arch");
  Files.Decided = std::move(Plans->front());
  Files.Remarks = contentsOf(Record);
  if (!UsersPlan.empty())
    if (Error E = writeOutput(UsersPlan, contentsOf(PlanFile)))
      return std::move(E);
  return Files;
}

Expected<DeviceCode> sluice::compileDevice(ArrayRef<std::string> Options,
                                           RemarksWanted Remarks,
                                           const char *Argv0,
                                           Diagnostics Said) {
  auto Files = compile(Options, {"-S"}, Remarks, Argv0, Said);
  if (!Files)
    return Files.takeError();
  auto Recorded = readRecordedRemarks(Files->Remarks);
  if (!Recorded)
    return createStringError("clang's record of remarks cannot be read: " +
                             StringRef(toString(Recorded.takeError())).trim());
  return DeviceCode{std::move(Files->Decided), std::move(Files->Code),
                    std::move(*Recorded)};
}

Expected<DeviceBitcode> sluice::compileToBitcode(ArrayRef<std::string> Options,
                                                 const char *Argv0) {
  TemporaryFolder Folder;
  if (Error E = Folder.create())
    return std::move(E);
  const std::string Limited = Folder.file("kernels.bc");
  auto Files = compile(
      Options, {"-emit-llvm", "-c", "--sluice-registers-code=" + Limited},
      RemarksWanted::No, Argv0, Diagnostics::Shown);
  if (!Files)
    return Files.takeError();
  // Where Sluice changes nothing, no pass of it runs.
  std::string Bitcode = contentsOf(Limited);
  return DeviceBitcode{std::move(Files->Decided), Bitcode.empty()
                                                      ? std::move(Files->Code)
                                                      : std::move(Bitcode)};
}

bool sluice::isCalled(const KernelPlan &Kernel, StringRef Name) {
  StringRef Display = Kernel.DisplayName;
  return Name == Kernel.Name || Name == Display ||
         Name == Display.split('<').first;
}

Error sluice::noSuchKernel(const Plan &P, StringRef Name) {
  std::vector<std::string> Names;
  for (const KernelPlan &Kernel : P.Kernels)
    Names.push_back(Kernel.DisplayName);
  return createStringError("there is no kernel '" + Name + "'; there are " +
                           (Names.empty() ? "none" : join(Names, ", ")));
}
