// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpu.launch_func @kernels::@rows blocks in (%c1056, %c1, %c1)
//                                   threads in (%c256, %c1, %c1) ...
//   gpu.func @rows(...) kernel
//
// gives the kernel `passthrough = [["sluice-launches", "1056:256"]]`, which
// convert-gpu-to-nvvm and the translation to LLVM IR keep.

#include "Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "sluice/Planning/ModuleSource.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sluice;

static constexpr llvm::StringLiteral PassName = "sluice-launch-facts";

static std::optional<uint64_t> constantOf(Value V) {
  APInt Number;
  if (!V || !matchPattern(V, m_ConstantInt(&Number)) ||
      !Number.isStrictlyPositive() || Number.getActiveBits() > 31)
    return std::nullopt;
  return Number.getZExtValue();
}

static LaunchDim dimOf(gpu::KernelDim3 Dim) {
  return {{constantOf(Dim.x), constantOf(Dim.y), constantOf(Dim.z)}};
}

/// What the kernel itself says of sizes that a launch leaves open.
static void fillFrom(DenseI32ArrayAttr Known, LaunchDim &Dim) {
  if (!Known)
    return;
  for (auto [Number, Size] : llvm::zip(Known.asArrayRef(), Dim.Sizes))
    if (!Size && Number > 0)
      Size = Number;
}

static void fillFrom(Operation *Kernel, LaunchConfig &Launch) {
  if (auto F = dyn_cast<gpu::GPUFuncOp>(Kernel)) {
    fillFrom(F.getKnownBlockSizeAttr(), Launch.Block);
    fillFrom(F.getKnownGridSizeAttr(), Launch.Grid);
  }
}

static std::optional<uint64_t> dynamicSharedOf(gpu::LaunchFuncOp Launch) {
  Value Size = Launch.getDynamicSharedMemorySize();
  APInt Number;
  if (!Size)
    return 0;
  if (!matchPattern(Size, m_ConstantInt(&Number)) || Number.isNegative())
    return std::nullopt;
  return Number.getZExtValue();
}

/// In place of the launches that \p Kernel had.
static void attach(Operation *Kernel, StringRef Launches) {
  MLIRContext *C = Kernel->getContext();
  constexpr llvm::StringLiteral Name = "passthrough";
  SmallVector<Attribute> Entries;
  if (auto Had = Kernel->getAttrOfType<ArrayAttr>(Name))
    llvm::copy_if(Had, std::back_inserter(Entries), [](Attribute Entry) {
      auto Pair = dyn_cast<ArrayAttr>(Entry);
      return !Pair || Pair.empty() ||
             Pair[0] != StringAttr::get(Entry.getContext(), LaunchesAttribute);
    });
  Entries.push_back(
      ArrayAttr::get(C, {StringAttr::get(C, LaunchesAttribute.data()),
                         StringAttr::get(C, Launches)}));
  Kernel->setAttr(Name, ArrayAttr::get(C, Entries));
}

namespace {

struct LaunchFactsPass : PassWrapper<LaunchFactsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LaunchFactsPass)

  StringRef getName() const override { return PassName; }
  StringRef getArgument() const final { return PassName; }
  StringRef getDescription() const final {
    return "Tell Sluice's planner with what sizes kernels are launched";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<gpu::GPUDialect>();
  }
  void runOnOperation() override;
};

} // namespace

static void sayUnknown(gpu::LaunchFuncOp Launch, StringRef Kernel) {
  remark::missed(Launch.getLoc(), remark::RemarkOpts::name("UnknownLaunch")
                                      .category(PassName)
                                      .function(Kernel))
      << ("this launch of '" + Kernel +
          "' has a size that is no constant: what depends on it is not planned")
             .str();
}

void LaunchFactsPass::runOnOperation() {
  ModuleOp Module = getOperation();
  SymbolTableCollection Symbols;
  llvm::MapVector<Operation *, SmallVector<std::string, 2>> Launches;
  auto Note = [&](Operation *Kernel, LaunchConfig Launch) {
    fillFrom(Kernel, Launch);
    std::string Text = launchText(Launch);
    if (!llvm::is_contained(Launches[Kernel], Text))
      Launches[Kernel].push_back(std::move(Text));
    return Launch.Grid.total() && Launch.Block.total();
  };
  Module.walk([&](gpu::LaunchFuncOp Op) {
    Operation *Kernel = Symbols.lookupNearestSymbolFrom(Op, Op.getKernelAttr());
    if (!Kernel)
      return; // a binary's, or another module's
    LaunchConfig Launch;
    Launch.Grid = dimOf(Op.getGridSizeOperandValues());
    Launch.Block = dimOf(Op.getBlockSizeOperandValues());
    Launch.DynamicSharedBytes = dynamicSharedOf(Op);
    if (!Note(Kernel, Launch))
      sayUnknown(Op, Op.getKernelName().getValue());
  });
  Module.walk([&](gpu::GPUFuncOp F) {
    if (F.isKernel() && !Launches.contains(F) && F.getKnownBlockSizeAttr())
      Note(F, {});
  });
  for (const auto &[Kernel, Texts] : Launches)
    attach(Kernel, llvm::join(Texts, " "));
}

std::unique_ptr<Pass> sluice::createLaunchFactsPass() {
  return std::make_unique<LaunchFactsPass>();
}
