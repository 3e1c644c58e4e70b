// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceConsumer.h"
#include "Compile.h"
#include "HostPlan.h"
#include "sluice/Frontend/BlockRequests.h"
#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/ThrottleExecutor.h"
#include "sluice/Frontend/ThrottleRewriter.h"
#include "sluice/Frontend/ThrottledSource.h"
#include "sluice/Target/GPUModel.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/StringExtras.h"

using namespace sluice;

const char *const sluice::NothingAtO0 =
    "nothing is transformed at -O0; compile with -O1 or more";

DeviceConsumer::DeviceConsumer(clang::CompilerInstance &CI, Options Opts,
                               std::optional<Profile> Measured,
                               const GPUModel *GPU)
    : CI(CI), Opts(std::move(Opts)), Measured(std::move(Measured)), GPU(GPU) {}

DeviceConsumer::~DeviceConsumer() = default;

static void reportError(clang::CompilerInstance &CI, llvm::Error E) {
  report(CI, clang::DiagnosticsEngine::Error, llvm::toString(std::move(E)));
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

/// Of the user's plan file, the document for this source and architecture.
bool DeviceConsumer::takeGivenPlans() {
  if (Opts.PlanFile.empty())
    return true;
  auto Plans = readPlanFile(Opts.PlanFile);
  if (!Plans) {
    reportError(CI, Plans.takeError());
    return false;
  }
  if (const Plan *Given =
          planFor(*Plans, Device.Decisions.Source, Device.Decisions.GPU)) {
    takeGivenPlan(Device, *Given);
    return true;
  }
  sluice::report(CI, clang::DiagnosticsEngine::Warning,
                 "plan file '" + Opts.PlanFile + "' has no plan for " +
                     Device.Decisions.Source + " on " + Device.Decisions.GPU +
                     "; nothing is transformed");
  return false;
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

/// Where the source, or the plan, keeps sums in memory.
static SumLimits sumLimitsOf(const DevicePlan &Device) {
  // A template's instantiations have their loops at one place: all must agree.
  std::vector<LoopPlan> Kept, Promoted;
  for (const KernelPlan &Kernel : Device.Decisions.Kernels)
    for (const LoopPlan &Loop : Kernel.Loops)
      if (Loop.Promote)
        (*Loop.Promote ? Promoted : Kept).push_back(Loop);
  SumLimits Limits;
  Limits.IsOff = [Off = Device.Off](const CodeId &Id) { return isIn(Off, Id); };
  Limits.WhyKept = [Kept, Promoted](const CodeId &Id) -> std::string {
    auto IsIt = [&](const LoopPlan &L) { return L.Id.ofAllCopies() == Id; };
    auto It = llvm::find_if(Kept, IsIt);
    return It == Kept.end() || llvm::any_of(Promoted, IsIt) ? ""
                                                            : It->PromoteWhy;
  };
  return Limits;
}

/// For CacheHintPass, which runs in this compile.
static void requestHints(clang::CompilerInstance &CI, const DevicePlan &Device,
                         bool IsGiven) {
  plannedHints().Plans = hintsOf(Device);
  plannedHints().WarnsOfUnmatched = IsGiven;
  if (!plannedHints().Plans.empty())
    doPassesRun(CI, "cache hints are not set");
}

/// Has \p NewWriter put turns around what the plan throttles. Null: there is
/// only something to report.
void DeviceConsumer::execute(std::unique_ptr<TurnWriter> NewWriter) {
  Writer = std::move(NewWriter);
  Executor = std::make_unique<ThrottleExecutor>(
      CI, Device, Writer.get(), Opts.Wrong == WrongRewrite::SkipTurn);
  forEachFunction(
      [&](clang::FunctionDecl &Function) { Executor->execute(Function); });
}

/// `sluice throttle`
void DeviceConsumer::writeSource() {
  execute(std::make_unique<ThrottledSource>(CI));
}

/// Plans, and has done what is to be done before code is generated.
void DeviceConsumer::prepare() {
  const bool EmitsCode = emitsCode(CI.getFrontendOpts().ProgramAction);
  const bool Optimizes = CI.getCodeGenOpts().OptimizationLevel > 0;
  const bool WritesSource = !Opts.ThrottledSourceFile.empty();
  if (!GPU) {
    Device.Warnings.push_back(
        Optimizes ? "throttle=off: the text stays as it is"
                  : "nothing is transformed at -O0; the text stays as it is");
    return writeSource();
  }
  std::optional<DevicePlan> Planned =
      planDevice(CI, *this, Opts, !WritesSource && unreachableHost(CI).empty(),
                 Measured ? &*Measured : nullptr, *GPU);
  if (!Planned)
    return;
  Device = std::move(*Planned);
  if (!takeGivenPlans()) {
    std::vector<std::string> Warnings = std::move(Device.Warnings);
    Device = {};
    Device.Warnings = std::move(Warnings);
    return WritesSource ? writeSource() : execute(nullptr);
  }
  if (!Opts.EmitPlanFile.empty())
    if (llvm::Error E = updatePlanFile(Opts.EmitPlanFile, Device.Decisions))
      return reportError(CI, std::move(E));
  if (WritesSource) {
    warnOfBlockLimits(Device);
    return writeSource();
  }
  if (!EmitsCode || !Optimizes)
    return execute(nullptr);
  if (Opts.Hints)
    requestHints(CI, Device, /*IsGiven=*/!Opts.PlanFile.empty());
  if (Opts.Promote) {
    sumLimits() = sumLimitsOf(Device);
    sumLimits()->Wrong = Opts.Wrong;
  }
  if (!Opts.Throttle)
    return execute(nullptr);
  requestsForHost() = requestBlocks(Device, unreachableHost(CI));
  execute(std::make_unique<ThrottleRewriter>(CI));
}

void DeviceConsumer::report() {
  if (emitsCode(CI.getFrontendOpts().ProgramAction) &&
      CI.getCodeGenOpts().OptimizationLevel == 0)
    emitRemark(CI, {Remark::Missed, "NothingDone", "", {}, NothingAtO0});
  if (!Executor || CI.getDiagnostics().hasErrorOccurred())
    return;
  for (const std::string &Warning : Device.Warnings)
    sluice::report(CI, clang::DiagnosticsEngine::Warning, Warning);
  Executor->report();
  if (Opts.ThrottledSourceFile.empty() ||
      CI.getDiagnostics().hasErrorOccurred())
    return;
  auto &Source = static_cast<ThrottledSource &>(*Writer);
  if (llvm::Error E = Source.write(Opts.ThrottledSourceFile))
    reportError(CI, std::move(E));
}

void DeviceConsumer::HandleTranslationUnit(clang::ASTContext &Context) {
  if (!CI.getDiagnostics().hasErrorOccurred())
    prepare();
  if (!delayed())
    return report();
  // clang may say that it cannot generate a function's code: then no remarks.
  replay(*delayed(), [&] {
    report();
    delayed()->HandleTranslationUnit(Context); // may take the AST with it
  });
}
