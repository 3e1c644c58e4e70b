// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceConsumer.h"
#include "Compile.h"
#include "ForPasses.h"
#include "sluice/Frontend/BlockRequests.h"
#include "sluice/Frontend/DevicePlanner.h"
#include "sluice/Frontend/Remarks.h"
#include "sluice/Frontend/SmallFloatTypes.h"
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
                               std::vector<std::string> Args,
                               std::optional<Profile> Measured,
                               const GPUModel *GPU)
    : CI(CI), Opts(std::move(Opts)), Args(std::move(Args)),
      Measured(std::move(Measured)), GPU(GPU) {}

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

/// The user's plan, if there is one. False: nothing is to be done.
bool DeviceConsumer::takeGivenPlans() {
  if (Opts.PlanFile.empty())
    return true;
  bool Taken = true;
  llvm::handleAllErrors(
      takeGivenPlanFile(Opts.PlanFile, Device),
      [&](const NoPlanForSource &E) {
        sluice::report(CI, clang::DiagnosticsEngine::Warning,
                       E.message() + "; nothing is transformed");
        Taken = false;
      },
      [&](const llvm::ErrorInfoBase &E) {
        sluice::report(CI, clang::DiagnosticsEngine::Error, E.message());
        Taken = false;
      });
  return Taken;
}

/// What the passes of this compile carry out: the decisions of \p Device, of
/// those about launches only \p Requests, by the kernels' names in the module.
static PlanInModule planForPasses(const DevicePlan &Device,
                                  const HostRequests &Requests,
                                  std::vector<std::string> Args) {
  PlanInModule Result{Device.Decisions, std::move(Args), Device.Off};
  for (auto [Kernel, IRName] :
       llvm::zip(Result.Decisions.Kernels, Device.IRNames)) {
    HostRequest Request = Requests.lookup(Kernel.Name);
    Kernel.CarveoutPercent = Request.CarveoutPercent;
    Kernel.ClaimedSharedBytes = Request.ClaimedSharedBytes;
    if (Request.MostDynamicBytes == 0)
      Kernel.ResidentBlocks.reset();
    Kernel.Name = IRName;
  }
  return Result;
}

/// For the passes of this compile.
void DeviceConsumer::passOn(const HostRequests &Requests) {
  forPasses().Plan = planForPasses(Device, Requests, Args);
  forPasses().Plan->IsWhole = !CI.getLangOpts().GPURelocatableDeviceCode;
  auto HasHints = [&](const KernelPlan &Kernel) {
    return llvm::any_of(Kernel.Loads, [&](const LoadPlan &Load) {
      return !isIn(Device.Off, Load.Id);
    });
  };
  if (Opts.Hints && llvm::any_of(Device.Decisions.Kernels, HasHints))
    doPassesRun(CI, "cache hints are not set");
}

/// Has \p NewWriter put turns around what the plan throttles. Null: there is
/// only something to report.
void DeviceConsumer::execute(std::unique_ptr<TurnWriter> NewWriter) {
  Writer = std::move(NewWriter);
  Executor = std::make_unique<ThrottleExecutor>(
      CI, Device, Writer.get(), Opts.Wrong == WrongRewrite::SkipTurn);
  for (clang::FunctionDecl *Kernel : kernels())
    Executor->execute(*Kernel);
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
  if (!Opts.Throttle) {
    passOn({});
    return execute(nullptr);
  }
  passOn(requestBlocks(Device, unreachableHost(CI)));
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
  letSmallFloatsAlias(Context);
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
