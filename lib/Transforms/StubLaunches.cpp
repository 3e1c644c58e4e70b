// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StubLaunches.h"
#include "LaunchHelpers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

namespace {
/// The operands of __cudaRegisterFunction.
enum RegisterOperand { Handle = 1, DeviceFunction, DeviceName };
} // namespace

/// Has it the types that x86-64 passes two dim3 by?
static bool isOfKnownForm(const CallInst &Launch) {
  LLVMContext &C = Launch.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C),
       *Ptr = PointerType::getUnqual(C);
  Type *const Known[] = {Ptr, I64, I32, I64, I32, Ptr, I64, Ptr};
  return equal(Launch.args(), Known, [](const Use &Operand, Type *Ty) {
    return Operand->getType() == Ty;
  });
}

AllocaInst *sluice::argumentsOf(const CallInst &Launch, unsigned Parameters) {
  if (!isOfKnownForm(Launch))
    return nullptr;
  auto *Array =
      dyn_cast<AllocaInst>(Launch.getArgOperand(Args)->stripPointerCasts());
  if (!Array)
    return nullptr;
  const auto Bytes = Array->getAllocationSize(Array->getDataLayout());
  const uint64_t Pointer = Array->getDataLayout().getPointerSize();
  return Bytes && *Bytes == std::max(1U, Parameters) * Pointer ? Array
                                                               : nullptr;
}

static SmallVector<CallInst *, 1> registrationsOf(Function &Stub) {
  SmallVector<CallInst *, 1> Calls;
  for (Function &F : *Stub.getParent())
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (Callee && Callee->getName() == "__cudaRegisterFunction" &&
          Call->getArgOperand(Handle)->stripPointerCasts() == &Stub)
        Calls.push_back(Call);
    }
  return Calls;
}

/// Files that have another kernel beside that of the same template, as by other
/// flags, have another handle.
GlobalVariable *sluice::registerBeside(Function &Stub, StringRef Prefix,
                                       StringRef Name) {
  const auto Registrations = registrationsOf(Stub);
  if (Registrations.empty())
    return nullptr;
  Module &M = *Stub.getParent();
  const std::string Symbol = (Prefix + Stub.getName()).str();
  GlobalVariable *ByHandle = M.getNamedGlobal(Symbol);
  if (!ByHandle)
    ByHandle = newSharedByStub(Stub, Symbol, Type::getInt8Ty(M.getContext()));
  for (CallInst *Registration : Registrations) {
    IRBuilder<> B(Registration->getNextNode());
    Value *Text = B.CreateGlobalString(Name);
    auto *Call = cast<CallInst>(Registration->clone());
    Call->setArgOperand(Handle, ByHandle);
    Call->setArgOperand(DeviceFunction, Text);
    Call->setArgOperand(DeviceName, Text);
    B.Insert(Call);
  }
  return ByHandle;
}
