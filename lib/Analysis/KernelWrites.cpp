// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/KernelWrites.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

/// Only orders what this and other threads do, which is among the writes.
static bool isBarrierOrFence(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  StringRef Name = Call ? Call->getCalledFunction()->getName() : "";
  return Name.consume_front("llvm.nvvm.") &&
         (Name.starts_with("barrier") || Name.starts_with("bar.") ||
          Name.starts_with("membar") || Name.starts_with("fence"));
}

static bool mayBeGlobal(const Value *Object) {
  unsigned Space = Object->getType()->getPointerAddressSpace();
  return !isa<AllocaInst>(Object) && (Space == NVPTXAS::ADDRESS_SPACE_GENERIC ||
                                      Space == NVPTXAS::ADDRESS_SPACE_GLOBAL);
}

KernelWrites::KernelWrites(const Function &Kernel) {
  for (const Instruction &I : instructions(Kernel))
    if (I.mayWriteToMemory() && !I.isDebugOrPseudoInst() &&
        !I.isLifetimeStartOrEnd() && !isBarrierOrFence(I))
      addWriter(I);
}

void KernelWrites::addWriter(const Instruction &I) {
  auto AddPointer = [&](const Value *Pointer) {
    SmallVector<const Value *, 4> Written;
    getUnderlyingObjects(Pointer, Written);
    for (const Value *Object : Written)
      if (mayBeGlobal(Object))
        Objects.insert(Object);
  };
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    if (Call->onlyAccessesInaccessibleMemory())
      return;
    WritesAnything |= !Call->onlyAccessesArgMemory();
    for (const Value *Argument : Call->args())
      if (Argument->getType()->isPointerTy())
        AddPointer(Argument);
    return;
  }
  if (const Value *Pointer = getPointerOperand(&I))
    AddPointer(Pointer);
  else if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    AddPointer(Update->getPointerOperand());
  else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    AddPointer(Exchange->getPointerOperand());
  else
    WritesAnything = true;
}

std::string KernelWrites::whyWritten(const LoadInst &Load,
                                     AAResults &Aliases) const {
  SmallVector<const Value *, 4> Read;
  getUnderlyingObjects(Load.getPointerOperand(), Read);
  for (const Value *Object : Read) {
    const auto *Variable = dyn_cast<GlobalVariable>(Object);
    if (Variable && Variable->isConstant())
      continue;
    if (WritesAnything)
      return "the kernel has calls or assembly that may write it";
    for (const Value *Other : Objects)
      if (Other == Object ||
          !Aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(Other),
                             MemoryLocation::getBeforeOrAfter(Object)))
        return "the kernel may write it";
  }
  return "";
}
