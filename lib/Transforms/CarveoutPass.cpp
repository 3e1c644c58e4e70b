// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's carveout is an attribute that the host sets. Which kernels, and
// how much, the plan says; where, is the launch stub that clang makes for each
// kernel: every <<<>>> goes through it. A static initialiser would make the
// CUDA context too early, and once for a process is not enough: the attribute
// belongs to a device.

#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

static constexpr char PassName[] = "sluice-carveout";
/// cudaFuncAttributePreferredSharedMemoryCarveout.
static constexpr unsigned CarveoutAttribute = 9;

std::string sluice::kernelOfStub(StringRef Stub) {
  constexpr StringRef Mark = "__device_stub__";
  size_t At = Stub.find(Mark);
  if (At == StringRef::npos)
    return "";
  StringRef Before = Stub.take_front(At),
            After = Stub.drop_front(At + Mark.size());
  StringRef Prefix = Before.rtrim("0123456789");
  StringRef Digits = Before.drop_front(Prefix.size());
  unsigned Length = 0;
  if (Digits.empty()) // extern "C"
    return At == 0 ? After.str() : "";
  if (Digits.getAsInteger(10, Length) || Length <= Mark.size())
    return "";
  return (Prefix + Twine(Length - Mark.size()) + After).str();
}

/// A call by which the program sets the kernel's carveout or its preference for
/// L1 or shared memory; null: there is none in this module.
static const CallBase *programsOwnSetting(const Function &Stub) {
  for (const User *U : Stub.users()) {
    const auto *Call = dyn_cast<CallBase>(U);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee == &Stub)
      continue;
    // The C++ header's templates call the C function with what they are given.
    if (Callee->getName().contains("cudaFuncSetCacheConfig"))
      return Call;
    if (!Callee->getName().contains("cudaFuncSetAttribute") ||
        Call->arg_size() < 2)
      continue;
    const auto *Which = dyn_cast<ConstantInt>(Call->getArgOperand(1));
    if (!Which || Which->getZExtValue() == CarveoutAttribute)
      return Call;
  }
  return nullptr;
}

/// void __sluice_set_carveout(ptr kernel, ptr done, i32 percent): `done` has a
/// bit for each of the first 64 devices. One for the whole program.
static Function *carveoutHelper(Module &M) {
  constexpr char Name[] = "__sluice_set_carveout";
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  Type *Void = Type::getVoidTy(C);
  PointerType *Ptr = PointerType::getUnqual(C);
  auto *Helper =
      Function::Create(FunctionType::get(Void, {Ptr, Ptr, I32}, false),
                       GlobalValue::LinkOnceODRLinkage, Name, M);
  Helper->setVisibility(GlobalValue::HiddenVisibility);
  Helper->setDoesNotThrow();
  if (Triple(M.getTargetTriple()).supportsCOMDAT())
    Helper->setComdat(M.getOrInsertComdat(Name));
  FunctionCallee GetDevice = M.getOrInsertFunction("cudaGetDevice", I32, Ptr);
  FunctionCallee SetAttribute =
      M.getOrInsertFunction("cudaFuncSetAttribute", I32, Ptr, I32, I32);
  FunctionCallee Peek = M.getOrInsertFunction("cudaPeekAtLastError", I32);
  FunctionCallee Clear = M.getOrInsertFunction("cudaGetLastError", I32);

  IRBuilder<> B(BasicBlock::Create(C, "entry", Helper));
  auto *Set = BasicBlock::Create(C, "set", Helper);
  auto *Failed = BasicBlock::Create(C, "failed", Helper);
  auto *Done = BasicBlock::Create(C, "done", Helper);
  Value *Before = B.CreateCall(Peek, {});
  Value *Device = B.CreateAlloca(I32);
  B.CreateStore(B.getInt32(0), Device);
  Value *DeviceStatus = B.CreateCall(GetDevice, {Device});
  Value *Number = B.CreateAnd(B.CreateLoad(I32, Device), 63);
  Value *Bit = B.CreateShl(B.getInt64(1), B.CreateZExt(Number, I64));
  Value *Old = B.CreateAtomicRMW(AtomicRMWInst::Or, Helper->getArg(1), Bit,
                                 Align(8), AtomicOrdering::Monotonic);
  Value *IsFirst = B.CreateIsNull(B.CreateAnd(Old, Bit));
  B.CreateCondBr(IsFirst, Set, Done);

  B.SetInsertPoint(Set);
  Value *SetStatus = B.CreateCall(
      SetAttribute,
      {Helper->getArg(0), B.getInt32(CarveoutAttribute), Helper->getArg(2)});
  // Our error is not the program's; one that was there before is.
  Value *IsOurs =
      B.CreateAnd(B.CreateIsNull(Before),
                  B.CreateIsNotNull(B.CreateOr(SetStatus, DeviceStatus)));
  B.CreateCondBr(IsOurs, Failed, Done);
  B.SetInsertPoint(Failed);
  B.CreateCall(Clear, {});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return Helper;
}

/// The calls in a stub that launch.
static SmallVector<CallBase *, 1> launchesIn(Function &Stub) {
  SmallVector<CallBase *, 1> Launches;
  for (Instruction &I : instructions(Stub))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *Callee = Call->getCalledFunction())
        if (Callee->getName().starts_with("cudaLaunchKernel"))
          Launches.push_back(Call);
  return Launches;
}

PreservedAnalyses CarveoutPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  SmallVector<std::pair<Function *, unsigned>> Wanted;
  for (Function &F : M) {
    std::string Kernel = F.isDeclaration() ? "" : kernelOfStub(F.getName());
    auto Percent = Percents.find(Kernel);
    if (!Kernel.empty() && Percent != Percents.end())
      Wanted.push_back({&F, Percent->second});
  }
  for (auto [Stub, Percent] : Wanted) {
    OptimizationRemarkEmitter Remarks(Stub);
    std::string Kernel = demangle(kernelOfStub(Stub->getName()));
    if (programsOwnSetting(*Stub)) {
      Remarks.emit([&, S = Stub] {
        return OptimizationRemarkMissed(PassName, "ProgramsOwn",
                                        DiagnosticLocation(), &S->front())
               << "carveout of '" << Kernel
               << "' left alone: the program sets it itself";
      });
      continue;
    }
    for (CallBase *Launch : launchesIn(*Stub)) {
      IRBuilder<> B(Launch);
      auto *Done = new GlobalVariable(M, B.getInt64Ty(), /*isConstant=*/false,
                                      GlobalValue::InternalLinkage,
                                      B.getInt64(0), "__sluice_carveout_done");
      B.CreateCall(carveoutHelper(M),
                   {Launch->getArgOperand(0), Done, B.getInt32(Percent)});
      Changed = true;
      Remarks.emit([&, L = Launch, P = Percent] {
        return OptimizationRemark(PassName, "Set", L)
               << "carveout of '" << Kernel << "' set to "
               << ore::NV("Percent", P) << " per cent before its launches";
      });
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
