// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice registers FILE.cu [clang options]`: the critical points of each
// kernel. One compile gives the code and, as its plan, the launches; the
// assembler says the rest.

#include "Arguments.h"
#include "DeviceCompile.h"
#include "RegistersCode.h"
#include "RegistersReport.h"
#include "Subcommands.h"
#include "sluice/Plan/LaunchShapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;

static constexpr ToolOption Options[] = {
    {"kernel", "NAME", "of this kernel alone"},
    {"block", "THREADS", "of all launches, also of those that are not known"},
    {"shared", "BYTES", "dynamic shared memory of all launches"},
    {"also", "N[,N...]", "limits beside the critical points"},
    {"profile", "FILE", "what the kernels did, by `sluice profile --output`"},
    {"plot", "FILE.svg", "draw registers against warps"},
    {"json", "", "for programs"},
    {"assembly-cache", "FOLDER|off", "where the assembler's answers are kept"},
};

namespace {

struct Arguments {
  std::string Kernel, Profile, Plot;
  std::optional<unsigned> Block;
  std::optional<uint64_t> Shared;
  std::vector<unsigned> Also;
  bool JSON = false;
  std::optional<std::string> CacheFolder;
  std::vector<std::string> ForClang;
  std::optional<unsigned> UsersMost; ///< Likewise: -maxrregcount.
  bool Relocatable = false;          ///< Likewise: -fgpu-rdc.
  bool Help = false;
};

} // namespace

//===- Arguments ----------------------------------------------------------===//

static Error unexpected(const Setting &S, const Twine &Expected) {
  return createStringError("--" + S.Name + "=" + S.Value + ": " + Expected +
                           " is expected");
}

static Error set(Arguments &A, const Setting &S) {
  uint64_t Number = 0;
  const bool IsNumber = !S.Value.getAsInteger(10, Number);
  if (S.Name == "kernel") {
    A.Kernel = S.Value.str();
  } else if (S.Name == "profile") {
    A.Profile = S.Value.str();
  } else if (S.Name == "block") {
    if (!IsNumber || Number == 0 || Number > MostThreadsPerBlock)
      return unexpected(S, "a number of threads from 1 to 1024");
    A.Block = unsigned(Number);
  } else if (S.Name == "shared") {
    if (!IsNumber)
      return unexpected(S, "a number of bytes");
    A.Shared = Number;
  } else if (S.Name == "also") {
    for (StringRef Text : split(S.Value, ',')) {
      unsigned Limit;
      if (Text.getAsInteger(10, Limit) || Limit == 0)
        return unexpected(S, "numbers of registers, such as 40,56,");
      A.Also.push_back(Limit);
    }
  } else if (S.Name == "plot") {
    if (!S.Value.ends_with(".svg"))
      return unexpected(S, "the name of an SVG file (FILE.svg)");
    A.Plot = S.Value.str();
  } else if (S.Name == "json") {
    A.JSON = true;
  } else {
    A.CacheFolder = S.Value == "off" ? "" : S.Value.str();
  }
  return Error::success();
}

/// What of clang's options the assembler needs: is it for a link, and ptxas'
/// own limit, "-Xcuda-ptxas -maxrregcount=40" or with its number behind another
/// -Xcuda-ptxas.
static void readClangs(Arguments &A) {
  constexpr StringLiteral Limit = "maxrregcount";
  for (size_t I = 0; I < A.ForClang.size(); ++I) {
    StringRef Arg = A.ForClang[I];
    A.Relocatable |= Arg == "-fgpu-rdc";
    Arg = Arg.ltrim('-');
    unsigned Number;
    if (!Arg.consume_front(Limit))
      continue;
    if (!Arg.consume_front("=") && I + 2 < A.ForClang.size())
      Arg = A.ForClang[I + 2];
    if (!Arg.getAsInteger(10, Number))
      A.UsersMost = Number;
  }
}

static Expected<Arguments> readArguments(ArrayRef<const char *> Args) {
  auto Split = splitArguments(Args, Options);
  if (!Split)
    return Split.takeError();
  Arguments A;
  A.Help = Split->Help;
  for (const Setting &S : Split->Settings)
    if (Error E = set(A, S))
      return std::move(E);
  if (A.Help)
    return A;
  auto Options = deviceOptions(Split->ForClang, "sluice registers");
  if (!Options)
    return Options.takeError();
  A.ForClang = std::move(*Options);
  // A limit that is asked for would be taken for the source's.
  erase_if(A.ForClang, [](StringRef Arg) {
    return Arg.starts_with("--sluice-registers=") ||
           Arg.starts_with("-fplugin-arg-sluice-registers=");
  });
  readClangs(A);
  if (!A.Profile.empty())
    A.ForClang.push_back("--sluice-profile=" + A.Profile);
  return A;
}

//===- Kernels and their launches -----------------------------------------===//

/// With where each is from. None: no block is known.
static std::vector<std::pair<LaunchShape, std::string>>
launchesOf(const KernelPlan &Kernel, const KernelDirectives &Own,
           const Arguments &A) {
  std::vector<std::pair<LaunchShape, std::string>> Result;
  auto Add = [&](LaunchShape Shape, std::string From) {
    if (A.Shared)
      Shape.DynamicSharedBytes = *A.Shared;
    auto IsSame = [&](const auto &Other) {
      return Other.first.Threads == Shape.Threads &&
             Other.first.DynamicSharedBytes == Shape.DynamicSharedBytes &&
             Other.first.GridBlocks == Shape.GridBlocks;
    };
    if (none_of(Result, IsSame))
      Result.push_back({Shape, std::move(From)});
  };
  if (A.Block) {
    Add({*A.Block}, "by --block");
    return Result;
  }
  for (const LaunchPlan &Launch : Kernel.Launches)
    if (auto Shape = shapeOf(Launch, Kernel.ClaimedSharedBytes)) {
      std::string From =
          Launch.Place.isKnown() ? "at " + Launch.Place.str() : "as given";
      if (!Launch.DynamicSharedBytes && !A.Shared)
        From += ", whose dynamic shared memory is not known and taken as 0 "
                "(say --shared=BYTES)";
      Add(*Shape, std::move(From));
    }
  if (Result.empty() && Own.Threads)
    Add({*Own.Threads}, "by its launch bounds");
  return Result;
}

/// Who spills to shared memory, as in the compile: by default we do. With
/// --block or --shared the launch is taken as known.
static SharedSpills spillsOf(const KernelPlan &Kernel, const Arguments &A) {
  const StringRef Given = findValue(A.ForClang, "--sluice-shared-spills=");
  if (Given == "off" || (A.Relocatable && Given == "ptxas") ||
      (!A.Block && !whyNoSharedSpills(Kernel).empty()))
    return SharedSpills::Off;
  return Given == "ptxas" ? SharedSpills::Ptxas : SharedSpills::Own;
}

static Error noBlock(ArrayRef<std::string> Kernels) {
  return createStringError(
      formatv("the block of {0} is not known in this file: say "
              "--block=THREADS, or --sluice-launch=KERNEL:GRID:BLOCK",
              join(Kernels, ", ")));
}

namespace {

/// A kernel of which there is a launch.
struct AskedKernel {
  KernelPlan Plan; ///< With --block's launch in place of its own.
  KernelToLimit Limits;
  std::vector<std::string> Places; ///< Of Limits.Launches.
  SharedSpills Spills;
};

} // namespace

/// The plan, as if the launch that the user gives were the file's.
static KernelPlan planWithGiven(const KernelPlan &Kernel, const Arguments &A) {
  KernelPlan Result = Kernel;
  if (!A.Block)
    return Result;
  LaunchPlan Launch;
  Launch.Block = LaunchDim::known(*A.Block);
  Launch.DynamicSharedBytes = A.Shared.value_or(0);
  Result.Launches = {Launch};
  // Those are blocks of another size.
  Result.EnoughBlocks.reset();
  return Result;
}

/// Those that are asked for. Fails where there is none.
static Expected<std::vector<AskedKernel>>
askedKernels(const Arguments &A, const RegistersCode &Code) {
  const StringMap<KernelDirectives> Directives = directivesOf(Code.PTX);
  std::vector<AskedKernel> Asked;
  std::vector<std::string> Unknown;
  for (const KernelPlan &Kernel : Code.Decided.Kernels) {
    auto Own = Directives.find(Kernel.Name);
    if (Own == Directives.end() ||
        (!A.Kernel.empty() && !isCalled(Kernel, A.Kernel)))
      continue;
    AskedKernel Ask{planWithGiven(Kernel, A),
                    {Kernel.Name, {}, A.Also},
                    {},
                    spillsOf(Kernel, A)};
    Ask.Limits.MaySpillToShared = Ask.Spills == SharedSpills::Ptxas;
    for (auto &[Shape, From] : launchesOf(Kernel, Own->second, A)) {
      Ask.Limits.Launches.push_back(Shape);
      Ask.Places.push_back(std::move(From));
    }
    if (Ask.Places.empty())
      Unknown.push_back("'" + Kernel.DisplayName + "'");
    else
      Asked.push_back(std::move(Ask));
  }
  if (Asked.empty() && Unknown.empty())
    return noSuchKernel(Code.Decided, A.Kernel);
  if (Asked.empty())
    return noBlock(Unknown);
  if (!Unknown.empty())
    errs() << "sluice registers: note: " << toString(noBlock(Unknown)) << "\n";
  return Asked;
}

static Expected<std::vector<RegistersReport>>
report(const Arguments &A, const RegistersCode &Code) {
  auto GPU = findGPUModel(Code.Decided.GPU);
  if (!GPU)
    return GPU.takeError();
  auto Cache = AssemblyCache::open(
      compilersAssembler(findValue(A.ForClang, "--cuda-path=")), A.CacheFolder);
  if (!Cache)
    return Cache.takeError();
  auto Asked = askedKernels(A, Code);
  if (!Asked)
    return Asked.takeError();
  std::vector<KernelToLimit> Limits;
  for (const AskedKernel &Ask : *Asked)
    Limits.push_back(Ask.Limits);
  const unsigned SMs = Code.Decided.SMs;
  auto Found =
      registerCandidates(*Cache, {Code.PTX, Code.Decided.GPU, 3, A.Relocatable},
                         {*GPU, SMs, A.UsersMost}, Limits);
  if (!Found)
    return Found.takeError();
  std::vector<RegistersReport> Reports;
  for (auto [Ask, Candidates] : zip_equal(*Asked, *Found)) {
    if (Ask.Spills == SharedSpills::Own)
      if (Error E =
              addOwnSpills(Code, Ask.Plan, Ask.Limits.Launches,
                           {**GPU, SMs, *Cache, Code.Decided.GPU}, Candidates))
        return std::move(E);
    RegistersReport Report{Ask.Plan.Name,
                           Ask.Plan.DisplayName,
                           *GPU,
                           SMs,
                           std::move(Candidates),
                           warpProgram(Code.PTX, Ask.Plan.Name, **GPU),
                           Ask.Plan.EnoughBlocks,
                           Ask.Plan.EnoughWhy,
                           {}};
    for (auto [Shape, Place] : zip_equal(Ask.Limits.Launches, Ask.Places))
      Report.Launches.push_back(reportLaunch(Report, Shape, Place, A.Also));
    Reports.push_back(std::move(Report));
  }
  return Reports;
}

static Error run(const Arguments &A, const char *Argv0) {
  auto Code = compileForRegisters(A.ForClang, Argv0);
  if (!Code)
    return Code.takeError();
  auto Reports = report(A, *Code);
  if (!Reports)
    return Reports.takeError();
  if (A.JSON)
    printReportsJSON(outs(), *Reports);
  else
    printReports(outs(), *Reports);
  if (A.Plot.empty())
    return Error::success();
  std::string Text;
  raw_string_ostream OS(Text);
  plotReports(OS, *Reports);
  return writeOutput(A.Plot, Text);
}

int sluice::registersMain(int argc, char **argv) {
  return runSubcommand(
      argc, argv, "registers",
      "FILE.cu [clang options] [--sluice-K=V ...]\n\n"
      "Shows each kernel's critical points: the register counts that end a "
      "step of\noccupancy, with what the assembler spills there.",
      Options, readArguments, run);
}
