// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stub's launch, which clang writes for x86-64 as
//
//   %args = alloca ptr, i64 4                        ; where each parameter is
//   call i32 @cudaLaunchKernel(ptr @stub, ..., ptr %args, i64 %shared, ...)
//
// becomes, where rows are as long as the fourth parameter says and short below
// 64,
//
//   %place = load ptr, (ptr %args + 24)
//   %length = load i32, ptr %place
//   %small = icmp slt i32 %length, 64
//   %fits = icmp ule i64 %shared, 49152
//   %short = and i1 %small, %fits
//   %kernel = select i1 %short, ptr @handle, ptr @stub
//   call i32 @cudaLaunchKernel(ptr %kernel, ..., ptr %args, i64 %shared, ...)

#include "ShortLaunches.h"
#include "StubLaunches.h"
#include "sluice/Target/ShortRows.h"
#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

bool sluice::chooseByLength(CallInst &Launch, const ShortRowsForm &Form) {
  Function &Stub = *Launch.getFunction();
  AllocaInst *Array = argumentsOf(Launch, Form.Parameters);
  std::string Prefix = "__sluice_short_handle.";
  for (const RowLength &L : Form.Lengths)
    Prefix += std::to_string(L.Parameter) + "." + std::to_string(L.Below) + ".";
  GlobalVariable *ByHandle =
      Array ? registerBeside(Stub, Prefix,
                             shortRowsName(kernelOfStub(Stub.getName()), Form))
            : nullptr;
  if (!ByHandle)
    return false;
  IRBuilder<> B(&Launch);
  Value *Asked = Launch.getArgOperand(Shared);
  Value *IsShort = B.CreateICmpULE(
      Asked, ConstantInt::get(Asked->getType(), Form.MostSharedBytes));
  for (const RowLength &L : Form.Lengths) {
    Value *Place = B.CreateLoad(
        B.getPtrTy(),
        B.CreateConstInBoundsGEP1_64(B.getPtrTy(), Array, L.Parameter));
    Type *Ty = B.getIntNTy(L.Bytes * 8);
    IsShort =
        B.CreateAnd(IsShort, B.CreateICmpSLT(B.CreateLoad(Ty, Place),
                                             ConstantInt::get(Ty, L.Below)));
  }
  Launch.setArgOperand(
      Kernel, B.CreateSelect(IsShort, ByHandle, Launch.getArgOperand(Kernel)));
  return true;
}
