// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers the facts of all kernels: of their code, what a profile adds to them,
// regions for turns, registers with turns. The techniques decide by them
// (Technique.h).

#include "sluice/Planning/ModulePlanner.h"
#include "PlannedKernel.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/LibraryFunctions.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "sluice/Analysis/ProfileFolder.h"
#include "sluice/Analysis/RegisterEstimate.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Transforms/SumPromotion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace sluice;
using llvm::StringRef;

namespace {

class ModulePlanner {
public:
  ModulePlanner(SourceFacts Source, const CompileSetup &Setup,
                const Options &Opts, const Profile *Measured);

  DevicePlan run(llvm::Module *M);

private:
  void takeGivenLaunches();
  void findLargestBlocks();
  enum class Use { Absent, Stale, Taken };
  Use takeProfile(PlannedKernel &Work, const Profile &From, StringRef Files);
  void measure();
  void findRegions();
  std::vector<std::optional<RegisterFact>>
  assemble(RegisterEstimateInput Input, const llvm::StringMap<size_t> &Numbers);
  std::vector<std::optional<RegisterFact>>
  ownRegisters(llvm::ArrayRef<size_t> Of);
  std::vector<std::optional<RegisterFact>>
  registersWithTurns(const EnoughRegisters &IsEnough);
  bool assembles() const;
  void plan();

  SourceFacts Source; ///< Its kernels are in Kernels.
  const CompileSetup &Setup;
  const Options &Opts;
  const Profile *Measured; ///< May be null.
  const GPUModel &GPU;
  std::vector<PlannedKernel> Kernels;
  std::unique_ptr<llvm::TargetMachine> TM;
  DevicePlan Result;
};

} // namespace

ModulePlanner::ModulePlanner(SourceFacts Facts, const CompileSetup &Setup,
                             const Options &Opts, const Profile *Measured)
    : Source(std::move(Facts)), Setup(Setup), Opts(Opts), Measured(Measured),
      GPU(chipOr(Opts.Chip, *Setup.GPU)) {
  for (SourceKernel &Kernel : Source.Kernels)
    Kernels.push_back({std::move(Kernel)});
  Result.AllRemarks = Opts.AllRemarks;
  Result.Off = std::move(Source.Off);
  Result.Decisions.Source = Source.File;
  Result.Decisions.GPU = GPU.Name.str();
  Result.Decisions.Chip = GPU.Chip.str();
  if (Opts.Chip != GPU.Chip)
    Result.Warnings.push_back("chip=" + Opts.Chip + " is no " +
                              Result.Decisions.GPU +
                              ", for which this is compiled; it is not used");
  Result.Decisions.SMs = Opts.SMs.value_or(GPU.DefaultSMs);
}

/// `launch=` speaks for a kernel: what the file launches does not count then.
void ModulePlanner::takeGivenLaunches() {
  llvm::SmallPtrSet<const GivenLaunch *, 4> Matched;
  for (PlannedKernel &Work : Kernels) {
    std::vector<LaunchConfig> Given;
    for (const GivenLaunch &Launch : Opts.Launches)
      if (Launch.Kernel == Work.IRName || Work.Facts.isCalled(Launch.Kernel)) {
        Given.push_back(Launch.Config);
        Matched.insert(&Launch);
      }
    if (Given.empty())
      continue;
    Work.Facts.Launches = std::move(Given);
    Work.Facts.IsLibrarys = false;
    Work.Facts.IsPlanned = true;
  }
  for (const GivenLaunch &Launch : Opts.Launches)
    if (!Matched.contains(&Launch))
      Result.Warnings.push_back("launch=" + Launch.Kernel +
                                ":...: no kernel of that name in this file");
}

/// As far as the launches are known, and what that leaves to a thread.
void ModulePlanner::findLargestBlocks() {
  for (PlannedKernel &Work : Kernels) {
    KernelFacts &Facts = Work.Facts;
    Facts.LargestBlock = Facts.MaxThreadsPerBlock;
    auto IsKnown = [](const LaunchConfig &L) { return bool(L.Block.total()); };
    if (!Facts.LargestBlock && !Facts.Launches.empty() &&
        llvm::all_of(Facts.Launches, IsKnown)) {
      uint64_t Largest = 1;
      for (const LaunchConfig &Launch : Facts.Launches)
        Largest = std::max(Largest, *Launch.Block.total());
      // A larger one than there can be is not launched.
      Facts.LargestBlock =
          unsigned(std::min<uint64_t>(Largest, MostThreadsPerBlock));
    }
    Facts.MostRegisters = mostRegisters(
        GPU, Facts.LargestBlock.value_or(MostThreadsPerBlock), /*Blocks=*/1);
  }
}

/// Where \p From has the kernel, and with the text that it has now, that goes
/// to its facts.
ModulePlanner::Use ModulePlanner::takeProfile(PlannedKernel &Work,
                                              const Profile &From,
                                              StringRef Files) {
  KernelFacts &Facts = Work.Facts;
  const KernelProfile *Found = From.kernel(Facts.Name);
  if (!Found)
    return Use::Absent;
  KernelProfile Fitting = *Found;
  ProfileState State =
      Source.FitProfile ? Source.FitProfile(Fitting) : ProfileState::Unknown;
  if (State == ProfileState::Stale)
    return Use::Stale;
  const bool SameGPU = From.GPU == GPU.Name;
  addMeasurements(Fitting, SameGPU, Facts);
  std::string Message = llvm::formatv(
      "kernel '{0}' is planned with profile '{1}'", Facts.DisplayName, Files);
  if (State == ProfileState::Moved)
    Message += ", made when it stood at other lines";
  if (State == ProfileState::Unknown)
    Message += "; whether its text has changed since could not be checked";
  if (!SameGPU)
    Message += llvm::formatv("; it is of {0}: lines and sectors of a request "
                             "are the same on {1}, reuse distances are not "
                             "taken",
                             From.GPU, GPU.Name);
  Result.Remarks.push_back({Remark::Analysis, "Profiled", Facts.Name,
                            Facts.Place, std::move(Message)});
  if (SameGPU)
    Work.Measured = std::move(Fitting);
  return Use::Taken;
}

/// What the profile has of each kernel goes to its facts, or the first of the
/// folder's that fits.
void ModulePlanner::measure() {
  StringRef Where = Measured ? Opts.ProfileFile : Opts.ProfileFolder;
  if (Where.empty())
    return;
  std::vector<KernelInFolder> Folder;
  if (!Measured) {
    std::vector<std::string> Names;
    for (const PlannedKernel &Work : Kernels)
      Names.push_back(Work.Facts.Name);
    auto Read = readProfileFolder(Where, Names, GPU.Name);
    if (!Read) {
      Result.Warnings.push_back(toString(Read.takeError()));
      return;
    }
    llvm::append_range(Result.Warnings, Read->Problems);
    Folder = std::move(Read->Kernels);
  }
  for (PlannedKernel &Work : Kernels) {
    const KernelFacts &Facts = Work.Facts;
    Use Best = Measured ? takeProfile(Work, *Measured, Where) : Use::Absent;
    for (const KernelInFolder &From : Folder)
      if (Best != Use::Taken)
        Best = std::max(Best, takeProfile(Work, From.Sum, From.Files));
    if (Best == Use::Stale)
      Result.Warnings.push_back(llvm::formatv(
          "profile '{0}' is not used for kernel '{1}', whose text has changed "
          "since it was made; profile again",
          Where, Facts.DisplayName));
    if (Best == Use::Absent)
      Result.Remarks.push_back(
          {Remark::Analysis, "NotInProfile", Facts.Name, Facts.Place,
           llvm::formatv("kernel '{0}' is not in profile '{1}'",
                         Facts.DisplayName, Where)});
  }
}

void ModulePlanner::findRegions() {
  for (auto [Number, Work] : llvm::enumerate(Kernels)) {
    if (Source.FindRegions) {
      Source.FindRegions(Number, Work.Facts);
      continue;
    }
    for (LoopFacts &Loop : Work.Facts.Loops) {
      Loop.Region.Place = Loop.Id.kernelPlace();
      Loop.Region.Refusal =
          "has no source text in which turns could be written";
    }
  }
}

static RegisterFact factOf(const RegisterEstimate &Estimate) {
  return {Estimate.Registers,
          Estimate.IsExact ? "assembler" : "assembler, at least"};
}

/// What the kernels of \p Input take, which the numbers are by name.
std::vector<std::optional<RegisterFact>>
ModulePlanner::assemble(RegisterEstimateInput Input,
                        const llvm::StringMap<size_t> &Numbers) {
  std::vector<std::optional<RegisterFact>> ByKernel(Kernels.size());
  if (Input.Kernels.empty())
    return ByKernel;
  Input.Unoptimized = Source.Unoptimized();
  if (!Input.Unoptimized)
    return ByKernel;
  Input.BitcodeLibraries = Setup.BitcodeLibraries;
  Input.CudaPath = Setup.CudaPath;
  Input.AssemblyCacheFolder = Opts.AssemblyCacheFolder;
  if (Opts.Promote)
    Input.AddPasses = [](llvm::PassBuilder &PB) {
      PB.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager &MPM,
                                             llvm::OptimizationLevel,
                                             llvm::ThinOrFullLTOPhase) {
        MPM.addPass(SumPromotionPass(SumLimits()));
      });
    };
  auto Estimated = estimateThrottled(Input, *TM, Setup.Level);
  if (!Estimated) { // then an assumption must do
    const std::string Why = toString(Estimated.takeError());
    for (const std::string &Kernel : Input.Kernels) {
      const KernelFacts &Facts = Kernels[Numbers.lookup(Kernel)].Facts;
      Result.Remarks.push_back(
          {Remark::Analysis, "NotAssembled", Facts.Name, Facts.Place,
           llvm::formatv("how many registers kernel '{0}' takes is not known: "
                         "{1}",
                         Facts.DisplayName, StringRef(Why).split('\n').first)});
    }
    return ByKernel;
  }
  for (const auto &[Name, Estimate] : *Estimated)
    ByKernel[Numbers.lookup(Name)] = factOf(Estimate);
  return ByKernel;
}

std::vector<std::optional<RegisterFact>>
ModulePlanner::ownRegisters(llvm::ArrayRef<size_t> Of) {
  RegisterEstimateInput Input;
  llvm::StringMap<size_t> Numbers; // by name in the module
  for (size_t Number : Of) {
    Input.Kernels.push_back(Kernels[Number].IRName);
    Numbers[Kernels[Number].IRName] = Number;
  }
  return assemble(std::move(Input), Numbers);
}

/// What the kernels that are to be throttled take then.
std::vector<std::optional<RegisterFact>>
ModulePlanner::registersWithTurns(const EnoughRegisters &IsEnough) {
  RegisterEstimateInput Input;
  llvm::StringMap<size_t> Numbers; // by name in the module
  for (auto [Number, Work, Plan] :
       llvm::enumerate(Kernels, Result.Decisions.Kernels)) {
    if (!isThrottled(Plan))
      continue;
    Input.Kernels.push_back(Work.IRName);
    Numbers[Work.IRName] = Number;
    for (const LoopPlan &Loop : Plan.Loops)
      if (Loop.WarpGroups > 1)
        Input.Loops.push_back({Loop.Id.Place, Loop.WarpGroups,
                               !Loop.ByLaunch.empty() || !Loop.OnlyIf.empty()});
  }
  Input.IsEnough = [&](StringRef Kernel, unsigned AtLeast) {
    return IsEnough(Numbers.lookup(Kernel), factOf({AtLeast, false}));
  };
  return assemble(std::move(Input), Numbers);
}

/// May the planners ask what kernels take?
bool ModulePlanner::assembles() const {
  return TM && Source.Unoptimized && Opts.PlanFile.empty() &&
         ((Opts.Throttle && !Opts.ForcedWarpGroups) || Opts.SoftwareL1 ||
          Opts.LoadsInFlight || Opts.BypassByFootprint);
}

/// Has each technique decide, in the table's order.
void ModulePlanner::plan() {
  for (const PlannedKernel &Work : Kernels) {
    KernelPlan Plan;
    Plan.Name = Work.Facts.Name;
    Plan.DisplayName = Work.Facts.DisplayName;
    Result.Decisions.Kernels.push_back(std::move(Plan));
  }
  PlanningContext Context{Opts, GPU, Result.Decisions.SMs, Setup.HostHears, {},
                          {},   {},  Result.Remarks,       Result.Warnings};
  for (auto [Work, Plan] : llvm::zip(Kernels, Result.Decisions.Kernels))
    Context.Kernels.push_back(
        {Work.Facts, Work.Measured ? &*Work.Measured : nullptr, Plan});
  if (assembles()) {
    Context.RegistersWithTurns = [&](const EnoughRegisters &IsEnough) {
      return registersWithTurns(IsEnough);
    };
    Context.OwnRegisters = [&](llvm::ArrayRef<size_t> Numbers) {
      return ownRegisters(Numbers);
    };
  }
  for (const Technique *T : techniques())
    T->plan(Context);
}

/// Does anyone ask for what is known of all kernels?
bool sluice::needsAllFacts(const Options &Opts) {
  return !Opts.ProfileFile.empty() || !Opts.ProfileFolder.empty() ||
         !Opts.EmitPlanFile.empty() || !Opts.PlanFile.empty() ||
         Opts.ForcedResidentBlocks;
}

DevicePlan ModulePlanner::run(llvm::Module *M) {
  takeGivenLaunches();
  findLargestBlocks();
  if (Kernels.empty() || !M)
    return std::move(Result);
  for (PlannedKernel &Work : Kernels)
    Work.F = M->getFunction(Work.IRName);
  chooseKernels(*M, Opts, Kernels);
  if (llvm::any_of(Kernels, [](const auto &W) { return W.IsAnalyzed; })) {
    TM = makeTargetMachine(*M, Setup.CPU, Setup.Features);
    describeLibrary(*M, Setup.BitcodeLibraries);
    analyzeKernels(*M, TM.get(), Opts, Result.Off, Kernels);
  }
  measure();
  findRegions();
  plan();
  for (PlannedKernel &Work : Kernels) {
    Result.IRNames.push_back(std::move(Work.IRName));
    Result.Kernels.push_back(std::move(Work.Facts));
  }
  return std::move(Result);
}

DevicePlan sluice::planModule(llvm::Module *M, SourceFacts Source,
                              const CompileSetup &Setup, const Options &Opts,
                              const Profile *Measured) {
  return ModulePlanner(std::move(Source), Setup, Opts, Measured).run(M);
}
