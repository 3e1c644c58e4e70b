// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stub's launch, which clang writes for x86-64 as
//
//   %args = alloca ptr, i64 2                        ; where each parameter is
//   call i32 @cudaLaunchKernel(ptr @stub, i64 %gridxy, i32 %gridz,
//                   i64 %blockxy, i32 %blockz, ptr %args, i64 %shared, ptr
//                   %stream)
//
// becomes
//
//   %layers = call i32 @__sluice_merged_layers(i64 %gridxy, ..., ptr %stream)
//   br (%layers != 0), %merged, %plain
// merged:
//   %more = alloca ptr, i64 3                        ; and gridDim.x behind
//   them call i32 @cudaLaunchKernel(ptr @handle, i64 %fewer, i32 %gridz,
//                   i64 %blockxy, i32 %layers, ptr %more, i64 %shared, ptr
//                   %stream)
//
// @handle is a byte by whose address the CUDA runtime knows the merged kernel:
// it is registered where the program's kernel is.

#include "MergedLaunches.h"
#include "LaunchHelpers.h"
#include "StubLaunches.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;

/// The parameters' places and \p GridX behind them.
static Value *moreArguments(IRBuilder<> &B, AllocaInst &Array,
                            unsigned Parameters, Value *GridX) {
  Function &Stub = *Array.getFunction();
  IRBuilder<> AtEntry(&Stub.getEntryBlock(), Stub.getEntryBlock().begin());
  Value *More =
      AtEntry.CreateAlloca(ArrayType::get(B.getPtrTy(), Parameters + 1));
  Value *Number = AtEntry.CreateAlloca(B.getInt32Ty());
  const uint64_t Pointer = Array.getDataLayout().getPointerSize();
  if (Parameters)
    B.CreateMemCpy(More, Align(Pointer), &Array, Align(Pointer),
                   Parameters * Pointer);
  B.CreateStore(GridX, Number);
  B.CreateStore(Number,
                B.CreateConstInBoundsGEP1_64(B.getPtrTy(), More, Parameters));
  return More;
}

bool sluice::mergeLaunch(CallInst &Launch, const MergedForm &Form) {
  Function &Stub = *Launch.getFunction();
  AllocaInst *Array = argumentsOf(Launch, Form.Parameters);
  GlobalVariable *ByHandle =
      Array
          ? registerBeside(
                Stub,
                ("__sluice_merged_handle." + Twine(Form.Together) + ".").str(),
                mergedName(kernelOfStub(Stub.getName()), Form))
          : nullptr;
  if (!ByHandle)
    return false;

  IRBuilder<> B(&Launch);
  Value *Grid = Launch.getArgOperand(GridXY);
  Value *Layers = B.CreateCall(
      mergedBlocksHelper(
          *Stub.getParent(),
          Launch.getCalledFunction()->getName().ends_with("_ptsz")),
      {Grid, Launch.getArgOperand(GridZ), Launch.getArgOperand(BlockXY),
       Launch.getArgOperand(BlockZ), Launch.getArgOperand(Shared),
       Launch.getArgOperand(Stream), B.getInt64(Form.MostThreads),
       B.getInt64(Form.Together),
       B.getInt64(Form.HasDynamicShared ? MostSharedBytes / Form.Together : 0),
       B.getInt64(Form.Bound)});
  Instruction *Then = nullptr, *Else = nullptr;
  SplitBlockAndInsertIfThenElse(B.CreateIsNotNull(Layers), &Launch, &Then,
                                &Else);
  B.SetInsertPoint(Then);
  auto *Merged = cast<CallInst>(Launch.clone());
  Value *Blocks = B.CreateMul(Layers, B.getInt32(Form.Together));
  Value *GridX = B.CreateTrunc(Grid, B.getInt32Ty());
  // No overflow: both are at most 2^31.
  Value *Row = B.CreateUDiv(
      B.CreateAdd(GridX, B.CreateSub(Blocks, B.getInt32(1))), Blocks);
  Value *Fewer = B.CreateOr(B.CreateAnd(Grid, ~uint64_t(0xFFFFFFFF)),
                            B.CreateZExt(Row, B.getInt64Ty()));
  Merged->setArgOperand(Kernel, ByHandle);
  Merged->setArgOperand(GridXY, Fewer);
  Merged->setArgOperand(BlockZ, Layers);
  Value *Asked = Launch.getArgOperand(Shared);
  Value *Each = B.CreateAnd(
      B.CreateAdd(Asked, ConstantInt::get(Asked->getType(), SharedAlign - 1)),
      ConstantInt::get(Asked->getType(), -uint64_t(SharedAlign)));
  Merged->setArgOperand(
      Shared,
      B.CreateMul(Each, ConstantInt::get(Asked->getType(), Form.Together)));
  Merged->setArgOperand(Args, moreArguments(B, *Array, Form.Parameters, GridX));
  B.Insert(Merged);

  BasicBlock *Behind = Launch.getParent();
  Launch.moveBefore(Else->getIterator());
  PHINode *Status = PHINode::Create(Launch.getType(), 2, "", Behind->begin());
  Launch.replaceAllUsesWith(Status);
  Status->addIncoming(Merged, Then->getParent());
  Status->addIncoming(&Launch, Else->getParent());
  return true;
}
