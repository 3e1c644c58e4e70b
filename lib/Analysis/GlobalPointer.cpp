// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic pointer is one to global memory unless it is seen to point
// elsewhere: CUDA's pointers are generic in the source, and most are global.

#include "GlobalPointer.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace sluice;
using namespace llvm;

bool sluice::isGlobalPointer(const Value *Pointer) {
  unsigned AS = Pointer->getType()->getPointerAddressSpace();
  if (AS != NVPTXAS::ADDRESS_SPACE_GENERIC)
    return AS == NVPTXAS::ADDRESS_SPACE_GLOBAL;
  const Value *Object = getUnderlyingObject(Pointer);
  if (isa<AllocaInst>(Object))
    return false;
  if (const auto *A = dyn_cast<Argument>(Object))
    return !A->hasByValAttr();
  if (const auto *G = dyn_cast<GlobalVariable>(Object))
    return G->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
           G->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GENERIC;
  return true;
}

const Value *sluice::globalPointer(const Instruction &I) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return Pointer && isGlobalPointer(Pointer) ? Pointer : nullptr;
}

bool sluice::readsGlobal(const Instruction &I) {
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return isGlobalPointer(Copy->getRawSource());
  return isa<LoadInst>(I) && globalPointer(I);
}

bool sluice::isGlobalObject(const Value *Object) {
  const unsigned AS = Object->getType()->getPointerAddressSpace();
  if (AS != NVPTXAS::ADDRESS_SPACE_GENERIC)
    return AS == NVPTXAS::ADDRESS_SPACE_GLOBAL;
  // A pointer in a structure that is an argument.
  if (const auto *Field = dyn_cast<LoadInst>(Object)) {
    const auto *Structure =
        dyn_cast<Argument>(getUnderlyingObject(Field->getPointerOperand()));
    return Structure && Structure->hasByValAttr() &&
           isKernel(*Structure->getParent());
  }
  const auto *A = dyn_cast<Argument>(Object);
  return A && !A->hasByValAttr() && isKernel(*A->getParent());
}

bool sluice::mayBeGlobal(const Value *Object) {
  unsigned Space = Object->getType()->getPointerAddressSpace();
  return !isa<AllocaInst>(Object) && (Space == NVPTXAS::ADDRESS_SPACE_GENERIC ||
                                      Space == NVPTXAS::ADDRESS_SPACE_GLOBAL);
}

bool sluice::isKnownGlobal(const Value *Pointer) {
  if (Pointer->getType()->getPointerAddressSpace() ==
      NVPTXAS::ADDRESS_SPACE_GLOBAL)
    return true;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, isGlobalObject);
}
