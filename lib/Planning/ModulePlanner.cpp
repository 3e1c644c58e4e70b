// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans kernel after kernel: facts, what a profile adds to them, regions for
// turns, then N, M and carveout by the registers that throttling leaves, then
// hints.

#include "sluice/Planning/ModulePlanner.h"
#include "PlannedKernel.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "sluice/Analysis/RegisterEstimate.h"
#include "sluice/Plan/HintPlanner.h"
#include "sluice/Plan/PromotionPlanner.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/SumPromotion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <list>

using namespace sluice;
using llvm::StringRef;

namespace {

class ModulePlanner {
public:
  ModulePlanner(SourceFacts Source, const CompileSetup &Setup,
                const Options &Opts, const Profile *Measured);

  DevicePlan run(llvm::Module *M);

private:
  std::unique_ptr<llvm::TargetMachine>
  makeTargetMachine(const llvm::Module &M) const;
  void takeGivenLaunches();
  void measure();
  void findRegions();
  llvm::StringMap<RegisterEstimate>
  estimate(const llvm::Module &Unoptimized,
           std::function<bool(StringRef, unsigned)> IsEnough);
  void plan(const llvm::Module *Unoptimized);
  void planNothing();
  void chooseHints();

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
      GPU(*Setup.GPU) {
  for (SourceKernel &Kernel : Source.Kernels)
    Kernels.push_back({std::move(Kernel)});
  Result.AllRemarks = Opts.AllRemarks;
  Result.Off = std::move(Source.Off);
  Result.Decisions.Source = Source.File;
  Result.Decisions.GPU = GPU.Name.str();
  Result.Decisions.SMs = Opts.SMs.value_or(GPU.DefaultSMs);
}

std::unique_ptr<llvm::TargetMachine>
ModulePlanner::makeTargetMachine(const llvm::Module &M) const {
  std::string Error;
  const llvm::Target *T =
      llvm::TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  llvm::TargetOptions TO;
  TO.AllowFPOpFusion = llvm::FPOpFusion::Fast; // as clang does for CUDA
  return std::unique_ptr<llvm::TargetMachine>(T->createTargetMachine(
      M.getTargetTriple(), Setup.CPU, Setup.Features, TO, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// `launch=` speaks for a kernel: what the file launches does not count then.
void ModulePlanner::takeGivenLaunches() {
  llvm::SmallPtrSet<const GivenLaunch *, 4> Matched;
  for (PlannedKernel &Work : Kernels) {
    std::vector<LaunchConfig> Given;
    for (const GivenLaunch &Launch : Opts.Launches)
      if (Launch.Kernel == Work.Facts.Name || Launch.Kernel == Work.IRName ||
          Launch.Kernel == Work.Facts.DisplayName ||
          llvm::is_contained(Work.Names, Launch.Kernel)) {
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

/// What the profile has of each kernel goes to its facts.
void ModulePlanner::measure() {
  if (!Measured)
    return;
  StringRef File = Opts.ProfileFile;
  bool SameGPU = Measured->GPU == GPU.Name;
  for (PlannedKernel &Work : Kernels) {
    KernelFacts &Facts = Work.Facts;
    const KernelProfile *Found = Measured->kernel(Facts.Name);
    if (!Found) {
      Result.Remarks.push_back(
          {Remark::Analysis, "NotInProfile", Facts.Name, Facts.Place,
           llvm::formatv("kernel '{0}' is not in profile '{1}'",
                         Facts.DisplayName, File)});
      continue;
    }
    KernelProfile Fitting = *Found;
    ProfileState State =
        Source.FitProfile ? Source.FitProfile(Fitting) : ProfileState::Unknown;
    if (State == ProfileState::Stale) {
      Result.Warnings.push_back(llvm::formatv(
          "profile '{0}' is not used for kernel '{1}', whose text has changed "
          "since it was made; profile again",
          File, Facts.DisplayName));
      continue;
    }
    addMeasurements(Fitting, SameGPU, Facts);
    std::string Message = llvm::formatv(
        "kernel '{0}' is planned with profile '{1}'", Facts.DisplayName, File);
    if (State == ProfileState::Moved)
      Message += ", made when it stood at other lines";
    if (State == ProfileState::Unknown)
      Message += "; whether its text has changed since could not be checked";
    if (!SameGPU)
      Message += llvm::formatv("; it is of {0}: lines and sectors of a request "
                               "are the same on {1}, reuse distances are not "
                               "taken",
                               Measured->GPU, GPU.Name);
    Result.Remarks.push_back({Remark::Analysis, "Profiled", Facts.Name,
                              Facts.Place, std::move(Message)});
    if (SameGPU)
      Work.Measured = std::move(Fitting);
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

/// Turns, fewer blocks or another L1: what depends on registers.
static bool isThrottled(const KernelPlan &Plan) {
  return Plan.ResidentBlocks || Plan.CarveoutPercent ||
         llvm::any_of(Plan.Loops,
                      [](const LoopPlan &L) { return L.WarpGroups > 1; });
}

static RegisterFact factOf(const RegisterEstimate &Estimate) {
  return {Estimate.Registers,
          Estimate.IsExact ? "assembler" : "assembler, at least"};
}

/// What the kernels that are to be throttled take then, by their names in the
/// module. Empty without an assembler.
llvm::StringMap<RegisterEstimate>
ModulePlanner::estimate(const llvm::Module &Unoptimized,
                        std::function<bool(StringRef, unsigned)> IsEnough) {
  RegisterEstimateInput Input;
  Input.Unoptimized = &Unoptimized;
  Input.IsEnough = std::move(IsEnough);
  for (auto [Work, Plan] : llvm::zip(Kernels, Result.Decisions.Kernels)) {
    if (!isThrottled(Plan))
      continue;
    Input.Kernels.push_back(Work.IRName);
    for (const LoopPlan &Loop : Plan.Loops)
      if (Loop.WarpGroups > 1)
        Input.Loops.push_back({Loop.Id.Place, Loop.WarpGroups,
                               !Loop.ByLaunch.empty() || !Loop.OnlyIf.empty()});
  }
  if (Input.Kernels.empty())
    return {};
  Input.BitcodeLibraries = Setup.BitcodeLibraries;
  Input.CudaPath = Setup.CudaPath;
  if (Opts.Promote)
    Input.AddPasses = [](llvm::PassBuilder &PB) {
      PB.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager &MPM,
                                             llvm::OptimizationLevel,
                                             llvm::ThinOrFullLTOPhase) {
        MPM.addPass(SumPromotionPass(SumLimits()));
      });
    };
  auto Estimated = estimateThrottled(Input, *TM, Setup.Level);
  if (Estimated)
    return std::move(*Estimated);
  llvm::consumeError(Estimated.takeError()); // then an assumption must do
  return {};
}

/// Plans with few registers first; kernels that would be throttled then are
/// assembled, or else bounded, and planned again.
void ModulePlanner::plan(const llvm::Module *Unoptimized) {
  ThrottleOptions Throttle;
  Throttle.SMs = Result.Decisions.SMs;
  Throttle.L1KiB = Opts.L1KiB;
  Throttle.LimitBlocks = Opts.LimitBlocks;
  Throttle.BlocksForTurns = Setup.HostHears;
  Throttle.ChooseCarveout = Opts.Carveout && Setup.HostHears;
  Throttle.PreferBlocks = Opts.PreferBlocks && Setup.HostHears;
  Throttle.ForcedWarpGroups = Opts.ForcedWarpGroups;
  Throttle.ForcedResidentBlocks = Opts.ForcedResidentBlocks;
  std::list<LoopFootprints> Footprints; // they do not depend on registers
  auto PlanWith = [&](const PlannedKernel &Work, LoopFootprints &OfLoops,
                      const RegisterFact &Registers) {
    return planThrottling(Work.Facts, GPU, Registers, Throttle,
                          /*Thresholds=*/{}, &OfLoops);
  };
  for (const PlannedKernel &Work : Kernels)
    Result.Decisions.Kernels.push_back(
        PlanWith(Work, Footprints.emplace_back(Work.Facts, GPU),
                 assumedRegisters({}, GPU)));
  // With more registers fewer warps share the L1: often nothing is left to do.
  auto IsLeftAlone = [&](StringRef Name, unsigned AtLeast) {
    for (auto [Work, OfLoops] : llvm::zip(Kernels, Footprints))
      if (Work.IRName == Name)
        return !isThrottled(PlanWith(Work, OfLoops, factOf({AtLeast, false})));
    return false;
  };
  llvm::StringMap<RegisterEstimate> Estimates;
  // What is given, N or a whole plan, does not depend on them.
  if (Unoptimized && TM && !Opts.ForcedWarpGroups && Opts.PlanFile.empty())
    Estimates = estimate(*Unoptimized, IsLeftAlone);
  for (auto [Work, Plan, OfLoops] :
       llvm::zip(Kernels, Result.Decisions.Kernels, Footprints)) {
    if (!isThrottled(Plan))
      continue;
    RegisterFact Registers = assumedRegisters(Work.Facts, GPU);
    if (auto It = Estimates.find(Work.IRName); It != Estimates.end())
      Registers = factOf(It->second);
    Plan = PlanWith(Work, OfLoops, Registers);
  }
}

/// `throttle=off`: the plan says so of every loop, and, where it is read, what
/// is known of the loop.
void ModulePlanner::planNothing() {
  for (PlannedKernel &Work : Kernels) {
    if (Opts.EmitPlanFile.empty()) {
      KernelPlan Plan;
      Plan.Name = Work.Facts.Name;
      Plan.DisplayName = Work.Facts.DisplayName;
      Result.Decisions.Kernels.push_back(std::move(Plan));
      continue;
    }
    KernelFacts Facts = Work.Facts;
    for (LoopFacts &Loop : Facts.Loops)
      Loop.Region.Refusal = "must not be throttled (throttle=off)";
    ThrottleOptions Throttle;
    Throttle.SMs = Result.Decisions.SMs;
    Throttle.LimitBlocks = Throttle.ChooseCarveout = false;
    Result.Decisions.Kernels.push_back(
        planThrottling(Facts, GPU, assumedRegisters({}, GPU), Throttle));
  }
}

/// Were sums that will be in registers in memory when the profile was made?
static bool hasSumsInMemory(const KernelFacts &Facts, const KernelProfile &K) {
  auto IsStoredEachTime = [&](const LoopFacts &Loop, const LoopProfile &L) {
    return llvm::any_of(K.Accesses, [&](const AccessProfile &A) {
      return A.Kind == "store" && A.Counts.Requests >= L.Iterations &&
             llvm::any_of(Loop.Accesses, [&](const AccessPattern &P) {
               return P.IsStore && P.Id.ofAllCopies() == A.Id;
             });
    });
  };
  return llvm::any_of(Facts.Loops, [&](const LoopFacts &Loop) {
    return Loop.PromotesSums &&
           llvm::any_of(K.Loops, [&](const LoopProfile &L) {
             return L.Id == Loop.Id && L.Iterations > L.Entries &&
                    IsStoredEachTime(Loop, L);
           });
  });
}

/// Will the kernel run as the profile simulated it?
static bool runsAsSimulated(const PlannedKernel &Work, const KernelPlan &Plan) {
  return !isThrottled(Plan) && !hasSumsInMemory(Work.Facts, *Work.Measured);
}

/// What each load asks of the caches.
void ModulePlanner::chooseHints() {
  for (auto [Work, Plan] : llvm::zip(Kernels, Result.Decisions.Kernels)) {
    if (Work.Facts.Off)
      continue;
    HintDecision D =
        Work.Measured ? planHints(*Work.Measured, runsAsSimulated(Work, Plan))
                      : planStaticHints(Work.Facts);
    if (D.Why.empty())
      continue;
    Result.Remarks.push_back({Remark::Analysis,
                              D.Loads.empty() ? "NoHints" : "Hints",
                              Work.Facts.Name, Work.Facts.Place, D.Why,
                              /*Location=*/0, "sluice-cache-hints"});
    Plan.Loads = std::move(D.Loads);
  }
}

/// Does anyone ask for what is known of all kernels?
bool sluice::needsAllFacts(const Options &Opts) {
  return !Opts.ProfileFile.empty() || !Opts.EmitPlanFile.empty() ||
         !Opts.PlanFile.empty() || Opts.ForcedResidentBlocks;
}

DevicePlan ModulePlanner::run(llvm::Module *M) {
  takeGivenLaunches();
  if (Kernels.empty() || !M)
    return std::move(Result);
  for (PlannedKernel &Work : Kernels)
    Work.F = M->getFunction(Work.IRName);
  chooseKernels(*M, Opts, Kernels);
  std::unique_ptr<llvm::Module> Unoptimized;
  if (llvm::any_of(Kernels, [](const auto &W) { return W.IsAnalyzed; })) {
    TM = makeTargetMachine(*M);
    if (Opts.Throttle && !Opts.ForcedWarpGroups && Opts.PlanFile.empty())
      Unoptimized = llvm::CloneModule(*M);
    analyzeKernels(*M, TM.get(), Opts, Result.Off, Kernels);
  }
  measure();
  findRegions();
  if (Opts.Throttle)
    plan(Unoptimized.get());
  else
    planNothing();
  if (Opts.Promote)
    for (auto [Work, Plan] : llvm::zip(Kernels, Result.Decisions.Kernels))
      planPromotion(Work.Facts, Plan);
  if (Opts.Hints && Opts.PlanFile.empty())
    chooseHints();
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
