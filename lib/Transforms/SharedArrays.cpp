// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedArrays.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

GlobalVariable *sluice::makeSharedArray(Module &M, Type *Ty, Align Alignment,
                                        const Twine &Name) {
  auto *G = new GlobalVariable(
      M, Ty, /*isConstant=*/false, GlobalValue::InternalLinkage,
      PoisonValue::get(Ty), Name, /*InsertBefore=*/nullptr,
      GlobalValue::NotThreadLocal, NVPTXAS::ADDRESS_SPACE_SHARED);
  G->setAlignment(Alignment);
  return G;
}

Value *sluice::linearThread(IRBuilder<> &B) {
  auto Read = [&](Intrinsic::ID Id) {
    return B.CreateIntrinsic(Id, ArrayRef<Type *>(), ArrayRef<Value *>());
  };
  Value *X = Read(Intrinsic::nvvm_read_ptx_sreg_tid_x);
  Value *Y = Read(Intrinsic::nvvm_read_ptx_sreg_tid_y);
  Value *Z = Read(Intrinsic::nvvm_read_ptx_sreg_tid_z);
  Value *NX = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value *NY = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_y);
  return B.CreateAdd(B.CreateMul(B.CreateAdd(B.CreateMul(Z, NY), Y), NX), X);
}
