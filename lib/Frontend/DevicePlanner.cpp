// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the AST says of a module's kernels, for the planner: which they are, how
// they are launched, where turns could be written, and whether a profile is of
// this text.

#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/SourceAnnotations.h"
#include "sluice/Frontend/KernelParameters.h"
#include "sluice/Frontend/LaunchCollector.h"
#include "sluice/Frontend/ProfileFitting.h"
#include "sluice/Frontend/RecordingConsumer.h"
#include "sluice/Frontend/RegionFinder.h"
#include "sluice/Frontend/ScratchModule.h"
#include "sluice/Frontend/SourceMarks.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "sluice/Plan/Technique.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace sluice;
using llvm::StringRef;

std::string sluice::kernelName(const clang::FunctionDecl &Kernel) {
  clang::ASTNameGenerator Names(Kernel.getASTContext());
  return Names.getName(&Kernel);
}

namespace {

class DevicePlanner {
public:
  DevicePlanner(clang::CompilerInstance &CI, const Options &Opts)
      : CI(CI), Context(CI.getASTContext()), Opts(Opts) {}

  /// Empty where no code can be generated.
  std::optional<DevicePlan> run(RecordingConsumer &Record,
                                const CompileSetup &Setup,
                                const Profile *Measured);

private:
  void collectKernels(clang::CodeGenerator &Generator,
                      const CollectedLaunches &Launches);
  void findRegions(const clang::FunctionDecl &Kernel,
                   llvm::ArrayRef<PlaceRange> Off, KernelFacts &Facts);

  clang::CompilerInstance &CI;
  clang::ASTContext &Context;
  const Options &Opts;
  SourceFacts Source;
  std::vector<const clang::FunctionDecl *> Decls; ///< Of Source.Kernels.
};

} // namespace

/// The toolkit that clang includes headers from, for its nvJitLink.
static std::string cudaPathOf(clang::CompilerInstance &CI) {
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

void DevicePlanner::collectKernels(clang::CodeGenerator &Generator,
                                   const CollectedLaunches &Launches) {
  const clang::SourceManager &SM = Context.getSourceManager();
  const SfuMarks Marks = sfuMarksOf(*Generator.GetModule());
  for (llvm::Function &F : *Generator.GetModule()) {
    if (F.isDeclaration() || !isKernel(F))
      continue;
    const auto *Decl = llvm::dyn_cast_or_null<clang::FunctionDecl>(
        Generator.GetDeclForMangledName(F.getName()));
    const clang::FunctionDecl *Definition = nullptr;
    if (!Decl || !Decl->hasBody(Definition))
      continue;
    SourceKernel Work;
    Work.IRName = F.getName().str();
    KernelFacts &Facts = Work.Facts;
    Facts.Names = {Definition->getQualifiedNameAsString(),
                   Definition->getNameAsString()};
    Facts.Name = kernelName(*Definition);
    llvm::raw_string_ostream Display(Facts.DisplayName);
    Definition->getNameForDiagnostic(Display, Context.getPrintingPolicy(),
                                     /*Qualified=*/true);
    Facts.Place = placeOf(SM, Definition->getLocation());
    Facts.Off = isSwitchedOff(*Definition);
    Facts.SfuWarps = markedSfuWarps(*Definition);
    Facts.SfuFunctions = sfuFunctionsOf(F, Marks);
    Facts.Parameters = parametersOf(*Definition, F);
    auto It = Launches.Launches.find(Decl->getCanonicalDecl());
    if (It != Launches.Launches.end())
      Facts.Launches = It->second;
    Facts.IsLibrarys = !Opts.AllRemarks && Opts.EmitPlanFile.empty() &&
                       Facts.Launches.empty() &&
                       SM.isInSystemHeader(Definition->getLocation());
    Facts.IsPlanned = !Facts.IsLibrarys || needsAllFacts(Opts) ||
                      Opts.ForcedWarpGroups || !isNvidias(F, Generator, SM);
    if (const auto *Bounds =
            Definition->getAttr<clang::CUDALaunchBoundsAttr>()) {
      Facts.MaxThreadsPerBlock = evaluate(Bounds->getMaxThreads(), Context);
      Facts.MinBlocksPerSM = evaluate(Bounds->getMinBlocks(), Context);
    }
    Source.Kernels.push_back(std::move(Work));
    Decls.push_back(Definition);
  }
}

void DevicePlanner::findRegions(const clang::FunctionDecl &Kernel,
                                llvm::ArrayRef<PlaceRange> Off,
                                KernelFacts &Facts) {
  if (Facts.Loops.empty())
    return;
  RegionFinder Finder(Kernel, Context, Off);
  std::map<const clang::Stmt *, unsigned> Indices;
  for (LoopFacts &Loop : Facts.Loops) {
    FoundRegion Region = Finder.find(Loop, Facts);
    Loop.Region = Region.Facts;
    Loop.Region.Index =
        Region.First
            ? Indices.try_emplace(Region.First, Indices.size()).first->second
            : ~0u;
  }
}

static bool hasKernel(RecordingConsumer &Record) {
  return llvm::any_of(Record.kernels(), [](const clang::FunctionDecl *F) {
    return !F->isDependentContext();
  });
}

std::optional<DevicePlan> DevicePlanner::run(RecordingConsumer &Record,
                                             const CompileSetup &Setup,
                                             const Profile *Measured) {
  // Does anyone ask for more than what the source switches off?
  const bool NeedsFacts = Measured || !Opts.EmitPlanFile.empty() ||
                          llvm::any_of(techniques(), [&](const Technique *T) {
                            return T->needsFacts(Opts);
                          });
  std::optional<ScratchModule> Scratch;
  if (NeedsFacts && hasKernel(Record)) {
    Scratch.emplace(CI, Record);
    if (!Scratch->generator())
      return std::nullopt;
  }
  CollectedLaunches Launches = collectLaunches(Context);
  if (Scratch)
    collectKernels(*Scratch->generator(), Launches);
  const std::vector<PlaceRange> Off = Launches.Off;
  Source.File = sourceName(Context.getSourceManager());
  Source.Off = std::move(Launches.Off);
  Source.FindRegions = [&](size_t Kernel, KernelFacts &Facts) {
    findRegions(*Decls[Kernel], Off, Facts);
  };
  Source.FitProfile = [&](KernelProfile &K) {
    return fitToSource(K, Context.getSourceManager());
  };
  std::optional<ScratchModule> Again;
  Source.Unoptimized = [&]() -> const llvm::Module * {
    if (!Again)
      Again.emplace(CI, Record);
    return Again->generator() ? Again->generator()->GetModule() : nullptr;
  };
  return planModule(Scratch ? Scratch->generator()->GetModule() : nullptr,
                    std::move(Source), Setup, Opts, Measured);
}

static CompileSetup setupOf(clang::CompilerInstance &CI, const GPUModel &GPU,
                            bool HostHears) {
  CompileSetup Setup;
  Setup.GPU = &GPU;
  Setup.CPU = CI.getTargetOpts().CPU;
  Setup.Features = llvm::join(CI.getTargetOpts().Features, ",");
  unsigned Level = CI.getCodeGenOpts().OptimizationLevel;
  Setup.Level = Level >= 3   ? llvm::OptimizationLevel::O3
                : Level == 2 ? llvm::OptimizationLevel::O2
                             : llvm::OptimizationLevel::O1;
  for (const auto &Library : CI.getCodeGenOpts().LinkBitcodeFiles)
    Setup.BitcodeLibraries.push_back(Library.Filename);
  Setup.CudaPath = cudaPathOf(CI);
  Setup.HostHears = HostHears;
  return Setup;
}

std::optional<DevicePlan>
sluice::planDevice(clang::CompilerInstance &CI, RecordingConsumer &Record,
                   const Options &Opts, bool HostHears, const Profile *Measured,
                   const GPUModel &GPU) {
  return DevicePlanner(CI, Opts).run(Record, setupOf(CI, GPU, HostHears),
                                     Measured);
}
