// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clang plugin named sluice. In a device compile that emits code: keep all
// consumers waiting until the file has been read, then plan, rewrite kernels
// and report (DeviceConsumer). In a host compile: leave what the device compile
// asks for, and the plan's carveouts, for the pass that changes the launches.
// In all other compiles: nothing.

#include "Compile.h"
#include "DeviceConsumer.h"
#include "DeviceFunctions.h"
#include "ForPasses.h"
#include "InputFiles.h"
#include "sluice/Analysis/ProfileFolder.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/SourcePlaces.h"
#include "sluice/Plan/Options.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace sluice;

namespace {

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

/// Waits until all consumers are together, and has \p Recorder delay them.
class DelayingConsumer : public clang::ASTConsumer {
public:
  DelayingConsumer(clang::CompilerInstance &CI,
                   std::unique_ptr<RecordingConsumer> Recorder)
      : CI(CI), Recorder(std::move(Recorder)) {}
  void Initialize(clang::ASTContext &) override {
    delayConsumers(CI, std::move(Recorder));
  }

private:
  clang::CompilerInstance &CI;
  std::unique_ptr<RecordingConsumer> Recorder;
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
    this->Args = Args;
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
  void requestTrace(clang::CompilerInstance &CI);
  std::vector<std::string> inputFiles() const;
  llvm::Error readProfile(std::optional<Profile> &Measured) const;

  Options Opts;
  std::vector<std::string> Args; ///< What Opts was parsed from.
};

} // namespace

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
    forPasses().AtLaunches = agreeOn(*Images);
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
  HostRequests &Requests = forPasses().AtLaunches.Requests;
  for (const std::string &Kernel : sluice::takeCarveouts(
           *Plans, sourceName(Context.getSourceManager()), Requests))
    report(CI, clang::DiagnosticsEngine::Warning,
           "the plans of '" + PlanFile + "' give kernel '" + Kernel +
               "' different carveouts; none is set");
  return llvm::any_of(Requests, [](const auto &Request) {
    return Request.second.CarveoutPercent.has_value();
  });
}

void HostConsumer::HandleTranslationUnit(clang::ASTContext &Context) {
  if (CI.getDiagnostics().hasErrorOccurred())
    return;
  readGPUBinary();
  // At -O0 there is only what device code asks for, which then was optimised.
  if (CI.getCodeGenOpts().OptimizationLevel == 0 || !takeCarveouts(Context))
    return;
  doPassesRun(CI, "carveouts are not set");
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

/// Will rows be staged in this compile, or in its text? Not in code whose
/// accesses are to be traced as the source has them.
static bool stagesRows(const clang::CompilerInstance &CI, const Options &Opts) {
  return !Opts.TraceOnGPU && CI.getCodeGenOpts().OptimizationLevel > 0 &&
         (!Opts.ThrottledSourceFile.empty() || whenNoPasses(CI).empty());
}

/// Hints that no plan has, for sluice-fuzz.
static void requestRandomHints(clang::CompilerInstance &CI,
                               const Options &Opts) {
  if (Opts.RandomHints && doPassesRun(CI, "cache hints are not set"))
    trackPlaces(CI.getCodeGenOpts());
}

/// For TracePass, which runs in this compile.
void SluiceAction::requestTrace(clang::CompilerInstance &CI) {
  forPasses().Trace = Opts.TraceOnGPU;
  if (!Opts.TraceOnGPU)
    return;
  if (CI.getLangOpts().GPURelocatableDeviceCode)
    reportError(CI, "trace=gpu is not possible with -fgpu-rdc");
  doPassesRun(CI, "trace=gpu has no effect");
  trackPlaces(CI.getCodeGenOpts());
}

/// What the code depends on, beside what is included.
std::vector<std::string> SluiceAction::inputFiles() const {
  std::vector<std::string> Files = {Opts.PlanFile, Opts.ProfileFile};
  if (Opts.ProfileFolder.empty())
    return Files;
  auto InFolder = filesOfProfileFolder(Opts.ProfileFolder);
  if (InFolder)
    llvm::append_range(Files, *InFolder);
  else // readProfile says so
    llvm::consumeError(InFolder.takeError());
  return Files;
}

/// Of a folder only that it is there: it is read when the kernels are known.
llvm::Error SluiceAction::readProfile(std::optional<Profile> &Measured) const {
  if (!Opts.ProfileFolder.empty())
    return filesOfProfileFolder(Opts.ProfileFolder).takeError();
  if (Opts.ProfileFile.empty())
    return llvm::Error::success();
  auto Read = readProfileFile(Opts.ProfileFile);
  if (!Read)
    return Read.takeError();
  Measured = std::move(*Read);
  return llvm::Error::success();
}

std::unique_ptr<clang::ASTConsumer>
SluiceAction::makeConsumer(clang::CompilerInstance &CI) {
  const clang::LangOptions &Lang = CI.getLangOpts();
  forPasses() = {};
  if (Lang.CUDA && !Lang.HIP) {
    listInputFiles(CI, inputFiles());
    supplyDeviceFunctions(CI);
  }
  libraryTest() = nullptr;
  if (!Opts.AllRemarks)
    libraryTest() = [&CI](const llvm::DILocation &At) {
      return isOfLibrary(CI, At);
    };
  if (Lang.CUDA && !Lang.HIP && !Lang.CUDAIsDevice) {
    if (!emitsCode(CI.getFrontendOpts().ProgramAction))
      return nullptr;
    return std::make_unique<HostConsumer>(CI, Opts.PlanFile);
  }
  if (!Lang.CUDA || Lang.HIP || !Lang.CUDAIsDevice ||
      !CI.getTarget().getTriple().isNVPTX())
    return nullptr;
  bool EmitsCode = emitsCode(CI.getFrontendOpts().ProgramAction);
  const bool WritesSource = !Opts.ThrottledSourceFile.empty();
  if (EmitsCode)
    requestTrace(CI);
  forPasses().LosesSign = EmitsCode && Opts.Wrong == WrongRewrite::LostSign;
  if (!EmitsCode && Opts.EmitPlanFile.empty() && !WritesSource)
    return nullptr;
  bool Optimizes = CI.getCodeGenOpts().OptimizationLevel > 0;
  // The text is written as it is.
  const bool CopiesSource = WritesSource && (!Optimizes || !Opts.Throttle);
  if (CopiesSource)
    return std::make_unique<DeviceConsumer>(CI, Opts, Args, std::nullopt,
                                            nullptr);
  if (!Optimizes && Opts.EmitPlanFile.empty())
    return std::make_unique<SayingConsumer>(CI, NothingAtO0);
  // What the planner counts on is what the compile does.
  Opts.PromoteInRows = WritesSource && Opts.Promote;
  Opts.Promote = promotesSums(CI, Opts);
  Opts.SoftwareL1 &= stagesRows(CI, Opts);
  if (EmitsCode && Optimizes)
    requestRandomHints(CI, Opts);
  auto IsOn = [&](const Technique *T) { return T->isOn(Opts); };
  if (llvm::none_of(techniques(), IsOn) && Opts.EmitPlanFile.empty())
    return nullptr;

  std::optional<Profile> Measured;
  if (llvm::Error E = readProfile(Measured)) {
    reportError(CI, llvm::toString(std::move(E)));
    return nullptr;
  }
  auto GPU = findGPUModel(CI.getTargetOpts().CPU);
  if (!GPU) {
    std::string WhyNot = llvm::toString(GPU.takeError());
    if (!Opts.EmitPlanFile.empty() || !Opts.PlanFile.empty() || WritesSource)
      reportError(CI, WhyNot);
    return std::make_unique<SayingConsumer>(CI, "nothing is transformed: " +
                                                    WhyNot);
  }
  keepSpillsLocal(CI, Args);
  askForRounding(CI, Args);
  auto Consumer = std::make_unique<DeviceConsumer>(CI, Opts, Args,
                                                   std::move(Measured), *GPU);
  if (!EmitsCode)
    return Consumer;
  auto HasPass = [&](const Technique *T) {
    return IsOn(T) && T->pass().Stage != PassStage::Start;
  };
  if (Optimizes && whenNoPasses(CI).empty() &&
      llvm::any_of(techniques(), HasPass))
    trackPlaces(CI.getCodeGenOpts());
  return std::make_unique<DelayingConsumer>(CI, std::move(Consumer));
}

static clang::FrontendPluginRegistry::Add<SluiceAction>
    Registered("sluice", "decides who uses a GPU's on-chip memories, and when");
