// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/HazardAnalysis.h"
#include "sluice/Analysis/ProfileFacts.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/RegisterEstimate.h"
#include "sluice/Analysis/ResidencyAnalysis.h"
#include "sluice/Analysis/SourceLoopPipeline.h"
#include "sluice/Analysis/WaitAnalysis.h"
#include "sluice/Frontend/KernelParameters.h"
#include "sluice/Frontend/LaunchCollector.h"
#include "sluice/Frontend/ProfileFitting.h"
#include "sluice/Frontend/RecordingConsumer.h"
#include "sluice/Frontend/RegionFinder.h"
#include "sluice/Frontend/ScratchModule.h"
#include "sluice/Frontend/SourceMarks.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "sluice/Plan/HintPlanner.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "sluice/Plan/WrongRewrite.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/SumPromotion.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <list>
#include <map>

using namespace sluice;
using llvm::StringRef;

std::string sluice::kernelName(const clang::FunctionDecl &Kernel) {
  clang::ASTNameGenerator Names(Kernel.getASTContext());
  return Names.getName(&Kernel);
}

namespace {

/// A kernel while its facts are gathered.
struct KernelWork {
  llvm::Function *F = nullptr;
  std::string IRName; ///< Differs from Facts.Name for static kernels with rdc.
  const clang::FunctionDecl *Decl = nullptr;
  KernelFacts Facts;
  /// Of this GPU, at the places of this source.
  std::optional<KernelProfile> Measured;
  /// Else it has no loop, or is left to its library, and nothing else matters.
  bool IsAnalyzed = false;
};

class DevicePlanner {
public:
  DevicePlanner(clang::CompilerInstance &CI, const Options &Opts,
                bool HostHears, const Profile *Measured, const GPUModel &GPU)
      : CI(CI), Opts(Opts), HostHears(HostHears), Measured(Measured), GPU(GPU) {
  }

  /// Returns false where no code can be generated.
  bool run(RecordingConsumer &Record);
  DevicePlan takeResult() { return std::move(Result); }

private:
  void collectKernels(clang::ASTContext &Context,
                      clang::CodeGenerator &Generator,
                      const CollectedLaunches &Launches);
  void addGivenLaunches(KernelWork &Work);
  bool needsFacts() const;
  bool needsAllFacts() const;
  void planKernels(llvm::Module &M);
  void chooseKernels(llvm::Module &M);
  void analyze(llvm::Module &M);
  void foreseePromotion(KernelWork &Work, llvm::FunctionAnalysisManager &FAM);
  void measure(clang::SourceManager &SM);
  void findRegions(clang::ASTContext &Context);
  void plan(const llvm::Module *Unoptimized);
  void planNothing();
  void chooseHints();
  llvm::StringMap<RegisterEstimate>
  estimate(const llvm::Module &Unoptimized,
           std::function<bool(StringRef, unsigned)> IsEnough);
  std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const llvm::Module &M);
  std::string cudaPath() const;

  clang::CompilerInstance &CI;
  const Options &Opts;
  const bool HostHears;
  const Profile *Measured; ///< May be null.
  const GPUModel &GPU;
  std::unique_ptr<llvm::TargetMachine> TM;
  std::vector<KernelWork> Kernels;
  llvm::SmallPtrSet<const GivenLaunch *, 4> MatchedLaunches;
  DevicePlan Result;
};

} // namespace

std::unique_ptr<llvm::TargetMachine>
DevicePlanner::makeTargetMachine(const llvm::Module &M) {
  std::string Error;
  const llvm::Target *T =
      llvm::TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  const clang::TargetOptions &Target = CI.getTargetOpts();
  llvm::TargetOptions TO;
  TO.AllowFPOpFusion = llvm::FPOpFusion::Fast; // as clang does for CUDA
  return std::unique_ptr<llvm::TargetMachine>(T->createTargetMachine(
      M.getTargetTriple(), Target.CPU, llvm::join(Target.Features, ","), TO,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// The toolkit that clang includes headers from, for its nvJitLink.
std::string DevicePlanner::cudaPath() const {
  for (const auto &Entry : CI.getHeaderSearchOpts().UserEntries) {
    StringRef Path = Entry.Path;
    if (llvm::sys::path::filename(Path) == "include" &&
        CI.getVirtualFileSystem().exists(Path + "/cuda_runtime.h"))
      return llvm::sys::path::parent_path(Path).str();
  }
  return "";
}

static std::optional<unsigned> evaluate(const clang::Expr *E,
                                        clang::ASTContext &Context) {
  clang::Expr::EvalResult Value;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(Value, Context) ||
      Value.Val.getInt().getActiveBits() > 31)
    return std::nullopt;
  return unsigned(Value.Val.getInt().getZExtValue());
}

/// Is the kernel of CUB or Thrust, which are tuned, and nothing in it the
/// user's?
static bool isNvidias(const llvm::Function &Kernel,
                      clang::CodeGenerator &Generator,
                      const clang::SourceManager &SM) {
  auto DeclOf = [&](const llvm::Function &F) {
    return llvm::dyn_cast_or_null<clang::FunctionDecl>(
        Generator.GetDeclForMangledName(F.getName()));
  };
  std::string Name = DeclOf(Kernel)->getQualifiedNameAsString();
  if (!StringRef(Name).starts_with("cub::") &&
      !StringRef(Name).starts_with("thrust::"))
    return false;
  return llvm::all_of(reachableFrom(&Kernel), [&](const llvm::GlobalValue *G) {
    const auto *F = llvm::dyn_cast<llvm::Function>(G);
    if (!F || F->isDeclaration())
      return true;
    const clang::FunctionDecl *Decl = DeclOf(*F);
    return Decl && SM.isInSystemHeader(Decl->getLocation());
  });
}

void DevicePlanner::collectKernels(clang::ASTContext &Context,
                                   clang::CodeGenerator &Generator,
                                   const CollectedLaunches &Launches) {
  const clang::SourceManager &SM = Context.getSourceManager();
  for (llvm::Function &F : *Generator.GetModule()) {
    if (F.isDeclaration() ||
        F.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    const auto *Decl = llvm::dyn_cast_or_null<clang::FunctionDecl>(
        Generator.GetDeclForMangledName(F.getName()));
    const clang::FunctionDecl *Definition = nullptr;
    if (!Decl || !Decl->hasBody(Definition))
      continue;
    KernelWork Work;
    Work.F = &F;
    Work.IRName = F.getName().str();
    Work.Decl = Definition;
    KernelFacts &Facts = Work.Facts;
    Facts.Name = kernelName(*Definition);
    llvm::raw_string_ostream Display(Facts.DisplayName);
    Definition->getNameForDiagnostic(Display, Context.getPrintingPolicy(),
                                     /*Qualified=*/true);
    Facts.Place = placeOf(SM, Definition->getLocation());
    Facts.Off = isSwitchedOff(*Definition);
    Facts.Parameters = parametersOf(*Definition, F);
    auto It = Launches.Launches.find(Decl->getCanonicalDecl());
    if (It != Launches.Launches.end())
      Facts.Launches = It->second;
    addGivenLaunches(Work);
    Facts.IsLibrarys = !Opts.AllRemarks && Opts.EmitPlanFile.empty() &&
                       Facts.Launches.empty() &&
                       SM.isInSystemHeader(Definition->getLocation());
    Facts.IsPlanned = !Facts.IsLibrarys || needsAllFacts() ||
                      Opts.ForcedWarpGroups || !isNvidias(F, Generator, SM);
    if (const auto *Bounds =
            Definition->getAttr<clang::CUDALaunchBoundsAttr>()) {
      Facts.MaxThreadsPerBlock = evaluate(Bounds->getMaxThreads(), Context);
      Facts.MinBlocksPerSM = evaluate(Bounds->getMinBlocks(), Context);
    }
    Kernels.push_back(std::move(Work));
  }
}

/// `launch=` speaks for a kernel: what the file launches does not count then.
void DevicePlanner::addGivenLaunches(KernelWork &Work) {
  std::vector<LaunchConfig> Given;
  for (const GivenLaunch &Launch : Opts.Launches)
    if (Launch.Kernel == Work.Facts.Name || Launch.Kernel == Work.IRName ||
        Launch.Kernel == Work.Facts.DisplayName ||
        Launch.Kernel == Work.Decl->getQualifiedNameAsString() ||
        Launch.Kernel == Work.Decl->getNameAsString()) {
      Given.push_back(Launch.Config);
      MatchedLaunches.insert(&Launch);
    }
  if (!Given.empty())
    Work.Facts.Launches = std::move(Given);
}

/// Shared memory that the kernel and what it calls declare: the bytes of what
/// has a size, and whether something has none.
static void findSharedMemory(const llvm::Function &F, KernelFacts &Facts) {
  const llvm::DataLayout &DL = F.getParent()->getDataLayout();
  Facts.UsesDynamicShared = false;
  for (const llvm::GlobalValue *Reached : reachableFrom(&F)) {
    const auto *G = llvm::dyn_cast<llvm::GlobalVariable>(Reached);
    if (!G || G->getAddressSpace() != llvm::NVPTXAS::ADDRESS_SPACE_SHARED)
      continue;
    uint64_t Bytes = DL.getTypeAllocSize(G->getValueType());
    Facts.StaticSharedBytes += Bytes;
    Facts.UsesDynamicShared |= Bytes == 0 || G->isDeclaration();
  }
}

/// Will clang unroll the loop whole, which is before sums are promoted?
static bool isUnrolledWhole(const llvm::Loop &L, const LoopFacts &Facts,
                            const llvm::TargetTransformInfo &TTI) {
  // LLVM's general threshold at -O3, which NVPTX keeps.
  static constexpr unsigned MaxInstructions = 300;
  if (!Facts.TripCount || Facts.UnrollHint == 1)
    return false;
  llvm::InstructionCost Cost = 0;
  for (const llvm::BasicBlock *BB : L.blocks())
    for (const llvm::Instruction &I : *BB)
      Cost += TTI.getInstructionCost(
          &I, llvm::TargetTransformInfo::TCK_SizeAndLatency);
  // The copies share one comparison and one branch back.
  return (Cost - 2) * *Facts.TripCount + 2 < MaxInstructions;
}

/// Promoted, sums do not part the loads of iterations. Tries it, and so leaves
/// the kernel's IR for nothing else.
void DevicePlanner::foreseePromotion(KernelWork &Work,
                                     llvm::FunctionAnalysisManager &FAM) {
  auto &All = Work.Facts.Loops;
  if (llvm::none_of(All, [](const LoopFacts &L) { return L.WritesOnlySums; }))
    return;
  const auto &TTI = FAM.getResult<llvm::TargetIRAnalysis>(*Work.F);
  for (auto [Facts, L] : llvm::zip(
           All,
           FAM.getResult<llvm::LoopAnalysis>(*Work.F).getLoopsInPreorder()))
    if (isUnrolledWhole(*L, Facts, TTI))
      Facts.WritesOnlySums = false;
  SumLimits Limits;
  Limits.IsOff = [&](const CodeId &Id) { return isIn(Result.Off, Id); };
  for (const SumLoop &Sum : promoteSums(*Work.F, FAM, Limits))
    for (LoopFacts &Loop : All)
      if (Sum.Outcome == SumOutcome::Promoted && Loop.WritesOnlySums &&
          Loop.Id.ofAllCopies() == Sum.Id)
        Loop.WritesMemory = false;
}

/// Does anyone ask for what is known of all kernels?
bool DevicePlanner::needsAllFacts() const {
  return Measured || !Opts.EmitPlanFile.empty() || !Opts.PlanFile.empty() ||
         Opts.ForcedResidentBlocks;
}

/// Which kernels are analysed: where no one asks for what else is known of
/// them, those that may have a loop.
void DevicePlanner::chooseKernels(llvm::Module &M) {
  ReachedGlobals Looping;
  if (!needsAllFacts())
    Looping = reachingLoops(M);
  for (KernelWork &Work : Kernels)
    Work.IsAnalyzed =
        needsAllFacts() || (Work.Facts.IsPlanned && Looping.contains(Work.F));
}

/// Takes the facts from the IR, as it is and optimised.
void DevicePlanner::analyze(llvm::Module &M) {
  llvm::TimeTraceScope Scope("SluiceAnalysis");
  llvm::SmallVector<KernelWork *, 16> Analyzed;
  llvm::SmallVector<const llvm::Function *, 16> Roots;
  for (KernelWork &Work : Kernels)
    if (Work.IsAnalyzed) {
      Analyzed.push_back(&Work);
      Roots.push_back(Work.F);
    }
  HazardAnalysis Hazards;
  for (KernelWork *Work : Analyzed) {
    Hazards.collect(*Work->F, Work->Facts.Hazards);
    Work->Facts.FixedResidency = findFixedResidency(*Work->F);
  }

  SourceLoopPipeline Pipeline(M, TM.get(), Roots);
  llvm::FunctionAnalysisManager &FAM = Pipeline.analyses();
  for (KernelWork *Work : Analyzed) {
    if (Opts.Wrong != WrongRewrite::UnseenWait)
      collectWaits(*Work->F, FAM, Work->Facts.Hazards);
    analyzeAccesses(FAM.getResult<llvm::LoopAnalysis>(*Work->F),
                    FAM.getResult<llvm::ScalarEvolutionAnalysis>(*Work->F),
                    Work->Facts);
    findSharedMemory(*Work->F, Work->Facts);
  }
  if (Opts.Promote)
    for (KernelWork *Work : Analyzed)
      foreseePromotion(*Work, FAM);
}

/// What the profile has of each kernel goes to its facts.
void DevicePlanner::measure(clang::SourceManager &SM) {
  if (!Measured)
    return;
  StringRef File = Opts.ProfileFile;
  bool SameGPU = Measured->GPU == GPU.Name;
  for (KernelWork &Work : Kernels) {
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
    ProfileState State = fitToSource(Fitting, SM);
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

void DevicePlanner::findRegions(clang::ASTContext &Context) {
  for (KernelWork &Work : Kernels) {
    if (Work.Facts.Loops.empty())
      continue;
    RegionFinder Finder(*Work.Decl, Context, Result.Off);
    std::map<const clang::Stmt *, unsigned> Indices;
    for (LoopFacts &Loop : Work.Facts.Loops) {
      FoundRegion Region = Finder.find(Loop, Work.Facts);
      Loop.Region = Region.Facts;
      Loop.Region.Index =
          Region.First
              ? Indices.try_emplace(Region.First, Indices.size()).first->second
              : ~0u;
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
DevicePlanner::estimate(const llvm::Module &Unoptimized,
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
  for (const auto &Library : CI.getCodeGenOpts().LinkBitcodeFiles)
    Input.BitcodeLibraries.push_back(Library.Filename);
  Input.CudaPath = cudaPath();
  if (Opts.Promote)
    Input.AddPasses = [](llvm::PassBuilder &PB) {
      PB.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager &MPM,
                                             llvm::OptimizationLevel,
                                             llvm::ThinOrFullLTOPhase) {
        MPM.addPass(SumPromotionPass(SumLimits()));
      });
    };
  unsigned Opt = CI.getCodeGenOpts().OptimizationLevel;
  auto Level = Opt >= 3   ? llvm::OptimizationLevel::O3
               : Opt == 2 ? llvm::OptimizationLevel::O2
                          : llvm::OptimizationLevel::O1;
  auto Estimated = estimateThrottled(Input, *TM, Level);
  if (Estimated)
    return std::move(*Estimated);
  llvm::consumeError(Estimated.takeError()); // then an assumption must do
  return {};
}

/// Plans with few registers first; kernels that would be throttled then are
/// assembled, or else bounded, and planned again.
void DevicePlanner::plan(const llvm::Module *Unoptimized) {
  ThrottleOptions Throttle;
  Throttle.SMs = Result.Decisions.SMs;
  Throttle.L1KiB = Opts.L1KiB;
  Throttle.LimitBlocks = Opts.LimitBlocks;
  Throttle.BlocksForTurns = HostHears;
  Throttle.ChooseCarveout = Opts.Carveout && HostHears;
  Throttle.PreferBlocks = Opts.PreferBlocks && HostHears;
  Throttle.ForcedWarpGroups = Opts.ForcedWarpGroups;
  Throttle.ForcedResidentBlocks = Opts.ForcedResidentBlocks;
  std::list<LoopFootprints> Footprints; // they do not depend on registers
  auto PlanWith = [&](const KernelWork &Work, LoopFootprints &OfLoops,
                      const RegisterFact &Registers) {
    return planThrottling(Work.Facts, GPU, Registers, Throttle,
                          /*Thresholds=*/{}, &OfLoops);
  };
  for (const KernelWork &Work : Kernels)
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
  if (Unoptimized && TM && !Opts.ForcedWarpGroups) // that N needs no registers
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
void DevicePlanner::planNothing() {
  for (KernelWork &Work : Kernels) {
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
    return Loop.WritesOnlySums && !Loop.WritesMemory &&
           llvm::any_of(K.Loops, [&](const LoopProfile &L) {
             return L.Id == Loop.Id && L.Iterations > L.Entries &&
                    IsStoredEachTime(Loop, L);
           });
  });
}

/// Will the kernel run as the profile simulated it?
static bool runsAsSimulated(const KernelWork &Work, const KernelPlan &Plan) {
  return !isThrottled(Plan) && !hasSumsInMemory(Work.Facts, *Work.Measured);
}

/// What each load asks of the caches.
void DevicePlanner::chooseHints() {
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

/// Does anyone ask for more than what the source switches off?
bool DevicePlanner::needsFacts() const {
  return Opts.Throttle || Opts.Hints || Measured || !Opts.EmitPlanFile.empty();
}

static bool hasKernel(RecordingConsumer &Record) {
  bool Has = false;
  Record.forEachFunction([&](const clang::FunctionDecl &F) {
    Has |= F.hasAttr<clang::CUDAGlobalAttr>() && !F.isDependentContext();
  });
  return Has;
}

bool DevicePlanner::run(RecordingConsumer &Record) {
  clang::ASTContext &Context = CI.getASTContext();
  Result.AllRemarks = Opts.AllRemarks;
  Result.Decisions.Source = sourceName(Context.getSourceManager());
  Result.Decisions.GPU = GPU.Name.str();
  Result.Decisions.SMs = Opts.SMs.value_or(GPU.DefaultSMs);

  std::optional<ScratchModule> Scratch;
  if (needsFacts() && hasKernel(Record)) {
    Scratch.emplace(CI, Record);
    if (!Scratch->generator())
      return false;
  }
  CollectedLaunches Launches = collectLaunches(Context);
  Result.Off = std::move(Launches.Off);
  if (Scratch)
    collectKernels(Context, *Scratch->generator(), Launches);
  for (const GivenLaunch &Launch : Opts.Launches)
    if (!MatchedLaunches.contains(&Launch))
      Result.Warnings.push_back("launch=" + Launch.Kernel +
                                ":...: no kernel of that name in this file");
  if (!Kernels.empty())
    planKernels(*Scratch->generator()->GetModule());
  return true;
}

void DevicePlanner::planKernels(llvm::Module &M) {
  clang::ASTContext &Context = CI.getASTContext();
  chooseKernels(M);
  std::unique_ptr<llvm::Module> Unoptimized;
  if (llvm::any_of(Kernels, [](const KernelWork &W) { return W.IsAnalyzed; })) {
    TM = makeTargetMachine(M);
    if (Opts.Throttle && !Opts.ForcedWarpGroups)
      Unoptimized = llvm::CloneModule(M);
    analyze(M);
  }
  measure(Context.getSourceManager());
  findRegions(Context);
  if (Opts.Throttle)
    plan(Unoptimized.get());
  else
    planNothing();
  if (Opts.Hints)
    chooseHints();
  for (KernelWork &Work : Kernels) {
    Result.IRNames.push_back(std::move(Work.IRName));
    Result.Kernels.push_back(std::move(Work.Facts));
  }
}

std::optional<DevicePlan>
sluice::planDevice(clang::CompilerInstance &CI, RecordingConsumer &Record,
                   const Options &Opts, bool HostHears, const Profile *Measured,
                   const GPUModel &GPU) {
  DevicePlanner Planner(CI, Opts, HostHears, Measured, GPU);
  if (!Planner.run(Record))
    return std::nullopt;
  return Planner.takeResult();
}
