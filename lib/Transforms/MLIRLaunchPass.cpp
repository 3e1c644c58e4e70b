// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR translates gpu.launch_func to calls of its CUDA runtime's wrappers, and
// gpu.binary to a constant beside the variable that holds the loaded module:
//
//   @kernels_binary = internal constant [N x i8] c"..."
//   %module = load ptr, ptr @kernels_module
//   %kernel = call ptr @mgpuModuleGetFunction(ptr %module, ptr @name)
//   call void @mgpuLaunchKernel(ptr %kernel, ..., i32 %shared, ptr %stream,
//   ...)
//
// With a record of a carveout of 1 % and a claim of 2432 B where the block may
// have 46720 B of dynamic shared memory so far, the last line becomes
//
//   call i32 @cuFuncSetAttribute(ptr %kernel, i32 9, i32 1)
//   %fits = icmp ule i32 %shared, 46720
//   %more = add i32 %shared, 2432
//   %claimed = select i1 %fits, i32 %more, i32 %shared
//   call void @mgpuLaunchKernel(ptr %kernel, ..., i32 %claimed, ...)
//
// The wrappers call the driver too, so that its library is there.

#include "sluice/Transforms/MLIRLaunchPass.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Transforms/PassByName.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-mlir-launches"

STATISTIC(NumLaunches, "Launches that ask for what the plan says");

/// CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT of the driver API.
static constexpr unsigned CarveoutOfFunction = 9;
/// Of mgpuLaunchKernel: the kernel, six sizes, shared memory.
static constexpr unsigned SharedOperand = 7;

static CallInst *asCallOf(Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name ? Call : nullptr;
}

/// The GPU's code that \p Loaded, a module of the driver, was made from; empty:
/// it is not known.
static StringRef codeOf(Value *Loaded) {
  const auto *Load = dyn_cast<LoadInst>(Loaded);
  const auto *Holder =
      Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  StringRef Name = Holder ? Holder->getName() : "";
  if (!Name.consume_back("_module"))
    return "";
  const GlobalVariable *Binary =
      Holder->getParent()->getNamedGlobal((Name + "_binary").str());
  const auto *Bytes =
      Binary && Binary->hasInitializer()
          ? dyn_cast<ConstantDataSequential>(Binary->getInitializer())
          : nullptr;
  return Bytes && Bytes->isString() ? Bytes->getAsString() : "";
}

static void askFor(CallInst &Launch, StringRef Kernel,
                   const HostRequest &Request) {
  IRBuilder<> B(&Launch);
  OptimizationRemarkEmitter Remarks(Launch.getFunction());
  if (Request.CarveoutPercent) {
    FunctionCallee Set = Launch.getModule()->getOrInsertFunction(
        "cuFuncSetAttribute", B.getInt32Ty(), B.getPtrTy(), B.getInt32Ty(),
        B.getInt32Ty());
    B.CreateCall(Set, {Launch.getArgOperand(0), B.getInt32(CarveoutOfFunction),
                       B.getInt32(*Request.CarveoutPercent)});
    Remarks.emit([&] {
      return OptimizationRemark(DEBUG_TYPE, "Set", &Launch)
             << "carveout of '" << Kernel << "' set to "
             << ore::NV("Percent", *Request.CarveoutPercent)
             << " per cent before its launch";
    });
  }
  ++NumLaunches;
  if (Request.ClaimedSharedBytes == 0)
    return;
  Value *Shared = Launch.getArgOperand(SharedOperand);
  auto Bytes = [&](uint64_t N) {
    return ConstantInt::get(Shared->getType(), N);
  };
  Launch.setArgOperand(
      SharedOperand,
      B.CreateSelect(B.CreateICmpULE(Shared, Bytes(Request.MostDynamicBytes)),
                     B.CreateAdd(Shared, Bytes(Request.ClaimedSharedBytes)),
                     Shared));
  Remarks.emit([&] {
    return OptimizationRemark(DEBUG_TYPE, "Claimed", &Launch)
           << "the launch of '" << Kernel << "' claims "
           << ore::NV("Bytes", Request.ClaimedSharedBytes)
           << " bytes of shared memory for each block";
  });
}

static void leaveAlone(CallInst &Launch, StringRef Kernel, const Twine &Why) {
  OptimizationRemarkEmitter(Launch.getFunction()).emit([&] {
    return OptimizationRemarkMissed(DEBUG_TYPE, "LeftAlone", &Launch)
           << "the launch of '" << Kernel << "' is left alone: " << Why.str();
  });
}

/// \returns true if it changed something.
static bool visit(CallInst &Launch) {
  CallInst *Get = asCallOf(Launch.getArgOperand(0), "mgpuModuleGetFunction");
  StringRef Kernel;
  if (!Get || !getConstantStringInfo(Get->getArgOperand(1), Kernel)) {
    leaveAlone(Launch, "?", "its kernel is not known");
    return false;
  }
  StringRef Code = codeOf(Get->getArgOperand(0));
  if (Code.empty()) {
    leaveAlone(Launch, Kernel, "the code of its module is not known");
    return false;
  }
  auto Images = imagesOf(Code);
  if (!Images) {
    leaveAlone(Launch, Kernel, toString(Images.takeError()));
    return false;
  }
  const AgreedRequests Wanted = agreeOn(*Images);
  if (auto Refused = Wanted.Refusals.find(Kernel);
      Refused != Wanted.Refusals.end())
    leaveAlone(Launch, Kernel, Refused->second);
  auto Found = Wanted.Requests.find(Kernel);
  if (Found == Wanted.Requests.end())
    return false;
  askFor(Launch, Kernel, Found->second);
  return true;
}

PreservedAnalyses MLIRLaunchPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 4> Launches;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (CallInst *Launch = asCallOf(&I, "mgpuLaunchKernel");
          Launch && Launch->arg_size() > SharedOperand)
        Launches.push_back(Launch);
  bool Changed = false;
  for (CallInst *Launch : Launches)
    Changed |= visit(*Launch);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void sluice::registerMLIRLaunchPass(PassBuilder &PB) {
  registerByName<MLIRLaunchPass>(PB, DEBUG_TYPE);
}
