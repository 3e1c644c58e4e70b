// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner and the techniques know LLVM IR. So a module becomes LLVM IR, is
// planned and optimised there, and comes back as operations of the llvm
// dialect, from which upstream's passes go on to PTX.

#include "DeviceDiagnostics.h"
#include "DevicePipeline.h"
#include "Passes.h"
#include "Places.h"
#include "RoundTrip.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "sluice/Plan/Options.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <mutex>

using namespace mlir;
using namespace sluice;

static constexpr llvm::StringLiteral PassName = "sluice-gpu";

namespace {

struct DevicePass : PassWrapper<DevicePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DevicePass)

  DevicePass() = default;
  DevicePass(const DevicePass &Other) : PassWrapper(Other) {}

  StringRef getName() const override { return PassName; }
  StringRef getArgument() const final { return PassName; }
  StringRef getDescription() const final {
    return "Plan kernels with Sluice and carry the plan out";
  }
  bool canScheduleOn(RegisteredOperationName Name) const override {
    return Name.getStringRef() == gpu::GPUModuleOp::getOperationName() ||
           Name.getStringRef() == ModuleOp::getOperationName();
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<gpu::GPUDialect>();
    registerRoundTrip(Registry);
  }
  LogicalResult initializeOptions(
      StringRef Text,
      function_ref<LogicalResult(const Twine &)> OnError) override;
  void runOnOperation() override;

  Option<std::string> GPU{
      *this, "gpu",
      llvm::cl::desc("the GPU, as sm_90; default: the chip of the module's "
                     "#nvvm.target")};
  Option<std::string> Features{
      *this, "features",
      llvm::cl::desc("LLVM's features, as +ptx80; default: the target's")};
  Option<int> OptLevel{*this, "opt-level", llvm::cl::init(3),
                       llvm::cl::desc("LLVM's optimisation level, 0 to 3")};
  Option<bool> HostHears{
      *this, "host-hears", llvm::cl::init(false),
      llvm::cl::desc("plan what launches have to ask for, too: fewer blocks on "
                     "an SM, carveouts; sluice-mlir-launches does it for opt")};
  ListOption<std::string> Link{
      *this, "link",
      llvm::cl::desc(
          "bitcode files to link what is called from, as libdevice")};
  ListOption<std::string> Args{
      *this, "options",
      llvm::cl::desc("Sluice's options, as software-l1=off,sms=66")};

private:
  LogicalResult setUp(DevicePipeline &P);
  LogicalResult optimise(llvm::Module &Code, const DevicePipeline &P);
  LogicalResult replaceCode();
};

} // namespace

LogicalResult DevicePass::initializeOptions(
    StringRef Text, function_ref<LogicalResult(const Twine &)> OnError) {
  if (failed(Pass::initializeOptions(Text, OnError)))
    return failure();
  auto Refuse = [&](const Twine &What) {
    return OnError(PassName + (": " + What));
  };
  auto Parsed =
      parseOptions(std::vector<std::string>(Args.begin(), Args.end()));
  if (!Parsed)
    return Refuse(llvm::toString(Parsed.takeError()));
  if (OptLevel < 0 || OptLevel > 3)
    return Refuse("opt-level is 0 to 3, not " + Twine(OptLevel));
  if (GPU.empty())
    return success();
  auto Model = findGPUModel(GPU);
  return Model ? success() : Refuse(llvm::toString(Model.takeError()));
}

/// For the GPU of the options, or of the module.
LogicalResult DevicePass::setUp(DevicePipeline &P) {
  P.Args.assign(Args.begin(), Args.end());
  auto Says = [&](StringRef Option) {
    return llvm::any_of(Args,
                        [&](StringRef A) { return A.starts_with(Option); });
  };
  // A plan of the user's says itself what is asked of launches.
  if (!HostHears && !Says("plan="))
    for (StringRef Option : {"blocks=", "carveout="})
      if (!Says(Option))
        P.Args.push_back((Option + "off").str());
  P.OptLevel = OptLevel;
  P.HostHears = HostHears;
  P.GPU = GPU;
  P.Features = Features;
  if (!P.GPU.empty())
    return success();
  Operation *Module = getOperation();
  SmallVector<NVVM::NVVMTargetAttr, 2> Targets;
  if (auto Device = dyn_cast<gpu::GPUModuleOp>(Module))
    if (ArrayAttr All = Device.getTargetsAttr())
      llvm::append_range(Targets, All.getAsRange<NVVM::NVVMTargetAttr>());
  if (Targets.size() != 1)
    return emitError(Module->getLoc(), PassName)
           << ": the module has " << (Targets.empty() ? "no" : "several")
           << " #nvvm.target, so its GPU is not known; run nvvm-attach-target "
              "before, or say gpu=sm_90";
  P.GPU = Targets[0].getChip().str();
  if (P.Features.empty())
    P.Features = Targets[0].getFeatures().str();
  auto Model = findGPUModel(P.GPU);
  return Model ? success()
               : LogicalResult(emitError(Module->getLoc(), PassName)
                               << ": " << llvm::toString(Model.takeError()));
}

LogicalResult DevicePass::optimise(llvm::Module &Code,
                                   const DevicePipeline &P) {
  Operation *Module = getOperation();
  auto Refuse = [&](llvm::Error E) {
    return emitError(Module->getLoc(), PassName)
           << ": " << llvm::toString(std::move(E));
  };
  if (llvm::Error E =
          linkBitcode(Code, std::vector<std::string>(Link.begin(), Link.end())))
    return Refuse(std::move(E));
  auto Planned = runDevicePipeline(Code, P);
  if (!Planned)
    return Refuse(Planned.takeError());
  return success();
}

/// Attributes that say what the whole module's target says.
static void dropTarget(llvm::Module &Code) {
  for (llvm::Function &F : Code) {
    F.removeFnAttr("target-cpu");
    F.removeFnAttr("target-features");
  }
}

LogicalResult DevicePass::replaceCode() {
  Operation *Module = getOperation();
  DevicePipeline P;
  if (failed(setUp(P)))
    return failure();
  // Files of plans and what assemblers said are this process's.
  static std::mutex OneAtATime;
  std::lock_guard<std::mutex> Lock(OneAtATime);

  OwningOpRef<Operation *> Copy = Module->clone();
  const Places Numbers(*Copy);
  llvm::LLVMContext Context;
  Context.setDiagnosticHandler(
      std::make_unique<DeviceDiagnostics>(Module, Numbers),
      /*RespectFilters=*/true);
  auto Code = toLLVMIR(*Copy, Context);
  if (!Code || failed(optimise(*Code, P)))
    return failure();
  dropTarget(*Code);
  OwningOpRef<Operation *> Now = fromLLVMIR(std::move(Code), Module);
  if (!Now)
    return failure();
  Numbers.restore(*Now);
  Module->getRegion(0).takeBody((*Now)->getRegion(0));
  return success();
}

void DevicePass::runOnOperation() {
  Operation *Module = getOperation();
  if (Operation *Other = findUnlowered(Module)) {
    emitError(Other->getLoc(), PassName)
        << ": '" << Other->getName() << "' is not of the llvm dialect yet; put "
        << PassName << " behind convert-gpu-to-nvvm";
    return signalPassFailure();
  }
  if (failed(replaceCode()))
    signalPassFailure();
}

std::unique_ptr<Pass> sluice::createDevicePass() {
  return std::make_unique<DevicePass>();
}
