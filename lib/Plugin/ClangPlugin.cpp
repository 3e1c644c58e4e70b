// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clang plugin named sluice. In a device compile that emits code: plan
// before the first declaration is parsed, rewrite each kernel as it arrives,
// report at the end. In a host compile: leave what the device compile asks for,
// and the plan's carveouts, for the pass that changes the launches. In all
// other compiles: nothing.

#include "HostPlan.h"
#include "InputFiles.h"
#include "TraceRequest.h"
#include "sluice/Frontend/BlockRequests.h"
#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Frontend/NestedCompile.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "sluice/Frontend/ThrottleExecutor.h"
#include "sluice/Frontend/ThrottleRewriter.h"
#include "sluice/Frontend/ThrottledSource.h"
#include "sluice/Plan/Options.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace sluice;

namespace {

void report(clang::CompilerInstance &CI, clang::DiagnosticsEngine::Level Level,
            llvm::StringRef Message) {
  clang::DiagnosticsEngine &Diags = CI.getDiagnostics();
  unsigned Id = Diags.getDiagnosticIDs()->getCustomDiagID(
      static_cast<clang::DiagnosticIDs::Level>(Level),
      ("sluice: " + Message).str());
  Diags.Report(Id);
}

/// Hands kernels to the executor as clang finishes them, before the code
/// generator sees them.
class KernelConsumer : public clang::ASTConsumer {
public:
  KernelConsumer(clang::CompilerInstance &CI, DevicePlan Device,
                 std::unique_ptr<TurnWriter> Writer, bool SkipTurn)
      : CI(CI), Device(std::move(Device)), Writer(std::move(Writer)),
        Executor(CI, this->Device, *this->Writer, SkipTurn) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      visit(D);
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *F) override {
    visit(F);
  }
  void HandleTranslationUnit(clang::ASTContext &) override {
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    for (const std::string &Warning : Device.Warnings)
      report(CI, clang::DiagnosticsEngine::Warning, Warning);
    Executor.report();
  }

protected:
  clang::CompilerInstance &compiler() { return CI; }
  TurnWriter &writer() { return *Writer; }

private:
  void visit(clang::Decl *D) {
    if (CI.getDiagnostics().hasErrorOccurred())
      return;
    if (auto *F = llvm::dyn_cast<clang::FunctionDecl>(D))
      Executor.execute(*F);
    else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl,
                       clang::CXXRecordDecl, clang::ExportDecl>(D))
      for (clang::Decl *Inner : llvm::cast<clang::DeclContext>(D)->decls())
        visit(Inner);
  }

  clang::CompilerInstance &CI;
  DevicePlan Device;
  std::unique_ptr<TurnWriter> Writer;
  ThrottleExecutor Executor;
};

/// Writes the text instead: `sluice throttle`.
class SourceConsumer : public KernelConsumer {
public:
  SourceConsumer(clang::CompilerInstance &CI, DevicePlan Device,
                 std::unique_ptr<ThrottledSource> Source, const Options &Opts)
      : KernelConsumer(CI, std::move(Device), std::move(Source), Opts.SkipTurn),
        Path(Opts.ThrottledSourceFile) {}

  void HandleTranslationUnit(clang::ASTContext &Context) override;

private:
  std::string Path;
};

/// Says one thing when the compile is over.
class SayingConsumer : public clang::ASTConsumer {
public:
  SayingConsumer(clang::CompilerInstance &CI, std::string Message)
      : CI(CI), Message(std::move(Message)) {}
  void HandleTranslationUnit(clang::ASTContext &) override {
    emitRemark(CI, {Remark::Missed, "NothingDone", "", {}, Message});
  }

private:
  clang::CompilerInstance &CI;
  std::string Message;
};

/// In the host compile: leaves the launches' requests for CarveoutPass. At the
/// end, when the source's name is known and code is not yet generated.
class HostConsumer : public clang::ASTConsumer {
public:
  /// \p PlanFile may be empty.
  HostConsumer(clang::CompilerInstance &CI, std::string PlanFile)
      : CI(CI), PlanFile(std::move(PlanFile)) {}
  void HandleTranslationUnit(clang::ASTContext &Context) override;

private:
  void readGPUBinary();
  bool takeCarveouts(clang::ASTContext &Context);

  clang::CompilerInstance &CI;
  std::string PlanFile;
};

class SluiceAction : public clang::PluginASTAction {
public:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &CI, llvm::StringRef) override {
    if (auto Consumer = makeConsumer(CI))
      return Consumer;
    return std::make_unique<clang::ASTConsumer>();
  }

  bool ParseArgs(const clang::CompilerInstance &CI,
                 const std::vector<std::string> &Args) override {
    auto Parsed = parseOptions(Args);
    if (!Parsed) {
      reportError(CI, llvm::toString(Parsed.takeError()));
      return false;
    }
    Opts = std::move(*Parsed);
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  static void reportError(const clang::CompilerInstance &CI,
                          llvm::StringRef Message) {
    report(const_cast<clang::CompilerInstance &>(CI),
           clang::DiagnosticsEngine::Error, Message);
  }
  std::unique_ptr<clang::ASTConsumer> makeConsumer(clang::CompilerInstance &CI);
  bool takeGivenPlans(clang::CompilerInstance &CI, DevicePlan &Device);
  void requestTrace(clang::CompilerInstance &CI);

  Options Opts;
};

} // namespace

void SourceConsumer::HandleTranslationUnit(clang::ASTContext &Context) {
  KernelConsumer::HandleTranslationUnit(Context);
  if (compiler().getDiagnostics().hasErrorOccurred())
    return;
  if (llvm::Error E = static_cast<ThrottledSource &>(writer()).write(Path))
    report(compiler(), clang::DiagnosticsEngine::Error,
           llvm::toString(std::move(E)));
}

/// What the plan wants of the host, which no text of the kernels can do.
static void warnOfBlockLimits(DevicePlan &Device) {
  for (const KernelPlan &Kernel : Device.Decisions.Kernels) {
    std::vector<std::string> Keys;
    if (Kernel.ResidentBlocks)
      Keys.push_back("resident-blocks");
    if (Kernel.CarveoutPercent)
      Keys.push_back("carveout");
    if (!Keys.empty())
      Device.Warnings.push_back(
          "the plan also has " + llvm::join(Keys, " and ") + " for '" +
          Kernel.DisplayName +
          "'; these need the plugin and are not in the text");
  }
}

static bool emitsCode(clang::frontend::ActionKind Action) {
  switch (Action) {
  case clang::frontend::EmitAssembly:
  case clang::frontend::EmitBC:
  case clang::frontend::EmitLLVM:
  case clang::frontend::EmitLLVMOnly:
  case clang::frontend::EmitCodeGenOnly:
  case clang::frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

/// Of the user's plan file, the document for this source and architecture.
bool SluiceAction::takeGivenPlans(clang::CompilerInstance &CI,
                                  DevicePlan &Device) {
  if (Opts.PlanFile.empty())
    return true;
  auto Plans = readPlanFile(Opts.PlanFile);
  if (!Plans) {
    reportError(CI, llvm::toString(Plans.takeError()));
    return false;
  }
  // One that names this source before one that names none.
  for (llvm::StringRef Source :
       {llvm::StringRef(Device.Decisions.Source), llvm::StringRef()})
    for (const Plan &Given : *Plans)
      if (Given.GPU == Device.Decisions.GPU && Given.Source == Source) {
        takeGivenPlan(Device, Given);
        return true;
      }
  report(CI, clang::DiagnosticsEngine::Warning,
         "plan file '" + Opts.PlanFile + "' has no plan for " +
             Device.Decisions.Source + " on " + Device.Decisions.GPU +
             "; nothing is transformed");
  return false;
}

/// Of the documents for \p Source, those that the device compiles take: for
/// each GPU one that names the source before one that names none.
static std::vector<const Plan *> plansFor(llvm::StringRef Source,
                                          llvm::ArrayRef<Plan> All) {
  std::vector<const Plan *> Taken;
  for (llvm::StringRef Named : {Source, llvm::StringRef()})
    for (const Plan &P : All)
      if (P.Source == Named &&
          llvm::none_of(Taken, [&](const Plan *T) { return T->GPU == P.GPU; }))
        Taken.push_back(&P);
  return Taken;
}

/// What the device compiles of this source have left (HostRecord.h).
void HostConsumer::readGPUBinary() {
  const std::string &File = CI.getCodeGenOpts().CudaGpuBinaryFileName;
  if (File.empty())
    return;
  auto Buffer = CI.getVirtualFileSystem().getBufferForFile(File);
  if (!Buffer)
    return; // clang will say so
  auto Images = imagesOf((*Buffer)->getBuffer());
  if (Images)
    hostPlan() = agreeOn(*Images);
  else
    emitRemark(CI,
               {Remark::Missed,
                "GPUBinary",
                "",
                {},
                "what the device compile asks of the host cannot be read: " +
                    llvm::toString(Images.takeError())});
}

/// Takes the carveouts of the plan file. One host program serves all GPUs, so
/// plans that disagree say nothing. Returns whether there is one.
bool HostConsumer::takeCarveouts(clang::ASTContext &Context) {
  if (PlanFile.empty())
    return false;
  auto Plans = readPlanFile(PlanFile);
  if (!Plans) { // the device compile says what is wrong
    llvm::consumeError(Plans.takeError());
    return false;
  }
  HostRequests &Requests = hostPlan().Requests;
  bool HasCarveout = false;
  std::string Source = sourceName(Context.getSourceManager());
  std::vector<const Plan *> Taken = plansFor(Source, *Plans);
  for (const Plan *Given : Taken)
    for (const KernelPlan &Kernel : Given->Kernels) {
      bool Disagree = llvm::any_of(Taken, [&](const Plan *Other) {
        const KernelPlan *Same = Other->kernel(Kernel.Name);
        return Same && Same->CarveoutPercent != Kernel.CarveoutPercent;
      });
      if (Disagree)
        Requests.erase(Kernel.Name);
      else if (Kernel.CarveoutPercent)
        Requests[Kernel.Name].CarveoutPercent = Kernel.CarveoutPercent;
      HasCarveout |= !Disagree && Kernel.CarveoutPercent;
      const Plan *First = *llvm::find_if(
          Taken, [&](const Plan *P) { return P->kernel(Kernel.Name); });
      if (Disagree && Given == First) // once
        report(CI, clang::DiagnosticsEngine::Warning,
               "the plans of '" + PlanFile + "' give kernel '" + Kernel.Name +
                   "' different carveouts; none is set");
    }
  return HasCarveout;
}

/// When our passes do not run in this compile; empty: they do.
static llvm::StringRef whenNoPasses(const clang::CompilerInstance &CI) {
  const clang::CodeGenOptions &CodeGen = CI.getCodeGenOpts();
  if (CodeGen.DisableLLVMPasses)
    return "when clang compiles in steps (-save-temps)";
  if (CodeGen.PassPlugins.empty())
    return "without -fpass-plugin=Sluice.so";
  return "";
}

/// Do our passes run in this compile? Else warns that therefore \p Effect.
static bool doPassesRun(clang::CompilerInstance &CI, llvm::StringRef Effect) {
  llvm::StringRef When = whenNoPasses(CI);
  if (!When.empty())
    report(CI, clang::DiagnosticsEngine::Warning, (Effect + " " + When).str());
  return When.empty();
}

void HostConsumer::HandleTranslationUnit(clang::ASTContext &Context) {
  if (CI.getDiagnostics().hasErrorOccurred())
    return;
  readGPUBinary();
  if (!takeCarveouts(Context))
    return;
  doPassesRun(CI, "carveouts are not set");
}

/// Why what a device compile leaves for the host would not arrive; empty: it
/// will.
static llvm::StringRef unreachableHost(const clang::CompilerInstance &CI) {
  if (CI.getLangOpts().GPURelocatableDeviceCode)
    return "with -fgpu-rdc the host compile does not get the GPU's code";
  if (CI.getCodeGenOpts().DisableLLVMPasses)
    return "clang compiles in steps (-save-temps)";
  if (CI.getCodeGenOpts().PassPlugins.empty())
    return "-fpass-plugin=Sluice.so is not given";
  return "";
}

/// Has passes told the places of accesses, in IR alone.
static void trackPlaces(clang::CodeGenOptions &CodeGen) {
  if (CodeGen.getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
    CodeGen.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
}

/// The plan whose hints CacheHintPass sets in this compile: that of \p Device
/// without what the source switches off.
static std::vector<Plan> hintsOf(const DevicePlan &Device) {
  Plan P = Device.Decisions;
  bool Any = false;
  for (auto [Kernel, IRName] : llvm::zip(P.Kernels, Device.IRNames)) {
    Kernel.Name = IRName;
    llvm::erase_if(Kernel.Loads, [&](const LoadPlan &Load) {
      return isIn(Device.Off, Load.Id);
    });
    Any |= !Kernel.Loads.empty();
  }
  if (!Any)
    return {};
  return {std::move(P)};
}

/// Where the source, or a profile, keeps sums in memory.
static SumLimits sumLimitsOf(const DevicePlan &Device) {
  // A template's instantiations have their loops at one place: all must agree.
  std::vector<CodeId> Short, Long;
  for (const KernelFacts &Kernel : Device.Kernels)
    for (const LoopFacts &Loop : Kernel.Loops)
      if (auto Trip = Loop.Measured.tripCount())
        (*Trip < MinSumIterations ? Short : Long)
            .push_back(Loop.Id.ofAllCopies());
  SumLimits Limits;
  Limits.IsOff = [Off = Device.Off](const CodeId &Id) { return isIn(Off, Id); };
  Limits.IsShort = [Short, Long](const CodeId &Id) {
    return llvm::is_contained(Short, Id) && !llvm::is_contained(Long, Id);
  };
  return Limits;
}

/// Will sums be promoted in this compile, or in the one that a plan is made
/// for? Says so where they cannot be; warns where that was asked for.
static bool promotesSums(clang::CompilerInstance &CI, const Options &Opts) {
  if (!Opts.Promote || !Opts.ThrottledSourceFile.empty() ||
      CI.getCodeGenOpts().OptimizationLevel == 0)
    return false;
  llvm::StringRef When = whenNoPasses(CI);
  if (Opts.PromoteIsGiven)
    return doPassesRun(CI, "sums are not promoted");
  if (!When.empty() && emitsCode(CI.getFrontendOpts().ProgramAction))
    emitRemark(CI, {Remark::Missed,
                    "NothingPromoted",
                    "",
                    {},
                    ("sums are not promoted " + When).str(),
                    /*Location=*/0,
                    "sluice-promote"});
  return When.empty();
}

/// For SumPromotionPass, which runs in this compile.
static void requestPromotion(clang::CompilerInstance &CI,
                             const DevicePlan &Device) {
  sumLimits() = sumLimitsOf(Device);
  trackPlaces(CI.getCodeGenOpts());
}

/// For CacheHintPass, which runs in this compile.
static void requestHints(clang::CompilerInstance &CI, const DevicePlan &Device,
                         bool IsGiven) {
  plannedHints().Plans = hintsOf(Device);
  plannedHints().WarnsOfUnmatched = IsGiven;
  if (!plannedHints().Plans.empty() &&
      doPassesRun(CI, "cache hints are not set"))
    trackPlaces(CI.getCodeGenOpts());
}

/// Hints that no plan has, for sluice-fuzz.
static void requestRandomHints(clang::CompilerInstance &CI,
                               const Options &Opts) {
  plannedHints().RandomSeed = Opts.RandomHints;
  plannedHints().SkipsProof = Opts.UnprovenReadOnly;
  if (Opts.RandomHints && doPassesRun(CI, "cache hints are not set"))
    trackPlaces(CI.getCodeGenOpts());
}

/// For TracePass, which runs in this compile.
void SluiceAction::requestTrace(clang::CompilerInstance &CI) {
  isTraceRequested() = Opts.TraceOnGPU;
  if (!Opts.TraceOnGPU)
    return;
  if (CI.getLangOpts().GPURelocatableDeviceCode)
    reportError(CI, "trace=gpu is not possible with -fgpu-rdc");
  doPassesRun(CI, "trace=gpu has no effect");
  trackPlaces(CI.getCodeGenOpts());
}

std::unique_ptr<clang::ASTConsumer>
SluiceAction::makeConsumer(clang::CompilerInstance &CI) {
  const clang::LangOptions &Lang = CI.getLangOpts();
  if (!inNestedCompile() && Lang.CUDA && !Lang.HIP)
    listInputFiles(CI, {Opts.PlanFile, Opts.ProfileFile});
  if (!inNestedCompile() && Lang.CUDA && !Lang.HIP && !Lang.CUDAIsDevice) {
    hostPlan() = {};
    if (!emitsCode(CI.getFrontendOpts().ProgramAction) ||
        CI.getCodeGenOpts().OptimizationLevel == 0)
      return nullptr;
    return std::make_unique<HostConsumer>(CI, Opts.PlanFile);
  }
  if (inNestedCompile() || !Lang.CUDA || Lang.HIP || !Lang.CUDAIsDevice ||
      !CI.getTarget().getTriple().isNVPTX())
    return nullptr;
  requestsForHost().clear();
  plannedHints() = {};
  sumLimits() = std::nullopt;
  bool EmitsCode = emitsCode(CI.getFrontendOpts().ProgramAction);
  const bool WritesSource = !Opts.ThrottledSourceFile.empty();
  if (EmitsCode)
    requestTrace(CI);
  if (!EmitsCode && Opts.EmitPlanFile.empty() && !WritesSource)
    return nullptr;
  for (const std::string &Notice : Opts.Notices)
    report(CI, clang::DiagnosticsEngine::Warning, Notice);
  bool Optimizes = CI.getCodeGenOpts().OptimizationLevel > 0;
  auto SayO0 = [&] {
    return std::make_unique<SayingConsumer>(
        CI, "nothing is transformed at -O0; compile with -O1 or more");
  };
  auto WriteSource = [&](DevicePlan Device) {
    return std::make_unique<SourceConsumer>(
        CI, std::move(Device), std::make_unique<ThrottledSource>(CI), Opts);
  };
  if (WritesSource && (!Optimizes || !Opts.Throttle)) {
    DevicePlan Nothing;
    Nothing.Warnings.push_back(
        Optimizes ? "throttle=off: the text stays as it is"
                  : "nothing is transformed at -O0; the text stays as it is");
    return WriteSource(std::move(Nothing));
  }
  if (!Optimizes && Opts.EmitPlanFile.empty())
    return SayO0();
  // What the planner counts on is what the compile does.
  Opts.Promote = promotesSums(CI, Opts);
  if (EmitsCode && Optimizes)
    requestRandomHints(CI, Opts);
  if (!Opts.Throttle && !Opts.Promote && !Opts.Hints &&
      Opts.EmitPlanFile.empty())
    return nullptr;

  std::optional<Profile> Measured;
  if (!Opts.ProfileFile.empty()) {
    auto Read = readProfileFile(Opts.ProfileFile);
    if (!Read) {
      reportError(CI, llvm::toString(Read.takeError()));
      return nullptr;
    }
    Measured = std::move(*Read);
  }
  std::string WhyNot;
  std::optional<DevicePlan> Device =
      planDevice(CI, Opts, !WritesSource && unreachableHost(CI).empty(),
                 Measured ? &*Measured : nullptr, WhyNot);
  if (!Device && WhyNot.empty())
    return nullptr; // clang will print what is wrong with the source
  if (!Device) {
    if (!Opts.EmitPlanFile.empty() || !Opts.PlanFile.empty() || WritesSource)
      reportError(CI, WhyNot);
    return std::make_unique<SayingConsumer>(CI, "nothing is transformed: " +
                                                    WhyNot);
  }
  if (!takeGivenPlans(CI, *Device))
    return WritesSource ? WriteSource({}) : nullptr;
  if (!Opts.EmitPlanFile.empty())
    if (llvm::Error E = updatePlanFile(Opts.EmitPlanFile, Device->Decisions)) {
      reportError(CI, llvm::toString(std::move(E)));
      return nullptr;
    }
  if (WritesSource) {
    warnOfBlockLimits(*Device);
    return WriteSource(std::move(*Device));
  }
  if (EmitsCode && !Optimizes)
    return SayO0();
  if (EmitsCode && Opts.Hints)
    requestHints(CI, *Device, /*IsGiven=*/!Opts.PlanFile.empty());
  if (EmitsCode && Opts.Promote)
    requestPromotion(CI, *Device);
  if (!EmitsCode || !Opts.Throttle)
    return nullptr;
  requestsForHost() = requestBlocks(*Device, unreachableHost(CI));
  return std::make_unique<KernelConsumer>(
      CI, std::move(*Device), std::make_unique<ThrottleRewriter>(CI),
      Opts.SkipTurn);
}

static clang::FrontendPluginRegistry::Add<SluiceAction>
    Registered("sluice", "decides who uses a GPU's on-chip memories, and when");
