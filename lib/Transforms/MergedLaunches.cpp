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
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Transforms/CarveoutPass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace sluice;

namespace {
/// The operands of cudaLaunchKernel and of __cudaRegisterFunction.
enum LaunchOperand {
  Kernel,
  GridXY,
  GridZ,
  BlockXY,
  BlockZ,
  Args,
  Shared,
  Stream
};
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

/// The array of where the parameters are, if it has so many places.
static AllocaInst *argumentsOf(const CallInst &Launch, unsigned Parameters) {
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

/// By its address the runtime knows the merged kernel. Files that have another
/// one of the same template, as by other flags, have another handle.
static GlobalVariable *handleOf(Function &Stub, const MergedForm &Form) {
  Module &M = *Stub.getParent();
  const std::string Name =
      ("__sluice_merged_handle." + Twine(Form.Together) + "." + Stub.getName())
          .str();
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  return newSharedByStub(Stub, Name, Type::getInt8Ty(M.getContext()));
}

static void registerMerged(CallInst &Registration, GlobalVariable &ByHandle,
                           StringRef Name) {
  IRBuilder<> B(Registration.getNextNode());
  Value *Text = B.CreateGlobalString(Name);
  auto *Call = cast<CallInst>(Registration.clone());
  Call->setArgOperand(Handle, &ByHandle);
  Call->setArgOperand(DeviceFunction, Text);
  Call->setArgOperand(DeviceName, Text);
  B.Insert(Call);
}

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
  AllocaInst *Array =
      isOfKnownForm(Launch) ? argumentsOf(Launch, Form.Parameters) : nullptr;
  const auto Registrations = registrationsOf(Stub);
  if (!Array || Registrations.empty())
    return false;
  GlobalVariable *ByHandle = handleOf(Stub, Form);
  for (CallInst *Registration : Registrations)
    registerMerged(*Registration, *ByHandle,
                   mergedName(kernelOfStub(Stub.getName()), Form));

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
