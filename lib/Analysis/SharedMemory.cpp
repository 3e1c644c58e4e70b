// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `extern __shared__` is a declaration or has no elements; all else is static.

#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/Reachability.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

DeclaredShared sluice::declaredShared(const Function &F, Align Each) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  DeclaredShared Result;
  for (const GlobalValue *Reached : reachableFrom(&F)) {
    const auto *G = dyn_cast<GlobalVariable>(Reached);
    if (!G || G->getAddressSpace() != NVPTXAS::ADDRESS_SPACE_SHARED)
      continue;
    uint64_t Bytes = DL.getTypeAllocSize(G->getValueType());
    Result.StaticBytes += alignTo(Bytes, Each);
    Result.IsDynamic |= Bytes == 0 || G->isDeclaration();
  }
  return Result;
}

const GlobalVariable *sluice::sharedVariable(const Value *Pointer) {
  const auto *Object = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer));
  return Object && Object->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED
             ? Object
             : nullptr;
}
