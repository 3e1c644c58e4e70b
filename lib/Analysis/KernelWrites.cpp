// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects, not addresses: what a thread does not write another may. So all that
// stores, atomics and calls point into is collected once, and whether something
// in the kernel lets it see what others have written.

#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

/// Is \p I an intrinsic of NVPTX whose name then goes on like one of \p Names?
static bool isNVVM(const Instruction &I,
                   std::initializer_list<StringRef> Names) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  StringRef Name = Call ? Call->getCalledFunction()->getName() : "";
  return Name.consume_front("llvm.nvvm.") &&
         any_of(Names, [&](StringRef N) { return Name.starts_with(N); });
}

bool sluice::isFence(const Instruction &I) {
  return isa<FenceInst>(I) || isNVVM(I, {"membar", "fence"});
}

StringRef sluice::synchronisationOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (Call &&
      (Call->hasFnAttr(Attribute::NoSync) || Call->doesNotAccessMemory()))
    return "";
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  const bool HasBody = Callee && !Callee->isDeclaration();
  // A store shows its thread nothing, nor does an update whose result nobody
  // looks at.
  if (isa<StoreInst>(I) || (isa<AtomicRMWInst>(I) && I.use_empty()) ||
      (!HasBody && threadOrderOf(I) < ThreadOrder::Memory))
    return "";
  if (isFence(I))
    return "a fence";
  if (Call)
    return Call->isInlineAsm() ? "assembly" : "a call";
  return I.isAtomic() ? "an atomic operation" : "a volatile read";
}

KernelWrites::KernelWrites(const Function &Kernel) {
  for (const Instruction &I : instructions(Kernel)) {
    if (I.mayWriteToMemory() && !I.isDebugOrPseudoInst() &&
        !I.isLifetimeStartOrEnd() && !isFence(I) &&
        !isNVVM(I, {"barrier", "bar."}))
      addWriter(I);
    if (Synchronisation.empty())
      Synchronisation = synchronisationOf(I);
  }
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

static bool isConstant(const Value *Object) {
  const auto *Variable = dyn_cast<GlobalVariable>(Object);
  return Variable && Variable->isConstant();
}

std::string KernelWrites::whyWrittenHere(const LoadInst &Load,
                                         AAResults &Aliases) const {
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return "";
  SmallVector<const Value *, 4> Read;
  getUnderlyingObjects(Load.getPointerOperand(), Read);
  erase_if(Read, isConstant);
  if (!Read.empty() && WritesAnything)
    return "the kernel has calls or assembly that may write it";
  for (const Value *Object : Read)
    for (const Value *Other : Objects)
      if (Other == Object ||
          !Aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(Other),
                             MemoryLocation::getBeforeOrAfter(Object)))
        return "the kernel may write it";
  return "";
}

std::string KernelWrites::whyWritten(const LoadInst &Load,
                                     AAResults &Aliases) const {
  // As of __ldg: the source promises it.
  if (Load.hasMetadata(LLVMContext::MD_invariant_load))
    return "";
  std::string Why = whyWrittenHere(Load, Aliases);
  if (!Why.empty() || Synchronisation.empty())
    return Why;
  SmallVector<const Value *, 4> Read;
  getUnderlyingObjects(Load.getPointerOperand(), Read);
  if (all_of(Read, isConstant))
    return "";
  return ("the kernel has " + Synchronisation +
          ", behind which it may read what others have written")
      .str();
}
