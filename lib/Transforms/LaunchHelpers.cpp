// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is one function for the whole program, made by hand in IR: the user's
// program links no library of Sluice.

#include "LaunchHelpers.h"
#include "sluice/Target/MergedBlocks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

GlobalVariable *sluice::newSharedByStub(Function &Stub, StringRef Name,
                                        Type *Ty) {
  Module &M = *Stub.getParent();
  const bool IsShared = Stub.isWeakForLinker();
  auto *Variable = new GlobalVariable(M, Ty, /*isConstant=*/false,
                                      IsShared ? GlobalValue::LinkOnceODRLinkage
                                               : GlobalValue::InternalLinkage,
                                      Constant::getNullValue(Ty), Name);
  if (IsShared) {
    Variable->setVisibility(GlobalValue::HiddenVisibility);
    if (Triple(M.getTargetTriple()).supportsCOMDAT())
      Variable->setComdat(M.getOrInsertComdat(Name));
  }
  return Variable;
}

/// A function that is one for the whole program.
static Function *newHelper(Module &M, StringRef Name, Type *Result,
                           ArrayRef<Type *> Parameters) {
  Function *Helper = Function::createWithDefaultAttr(
      FunctionType::get(Result, Parameters, false),
      GlobalValue::LinkOnceODRLinkage, /*AddrSpace=*/0, Name, &M);
  Helper->setVisibility(GlobalValue::HiddenVisibility);
  Helper->setDoesNotThrow();
  Helper->addFnAttr(Attribute::NoInline); // a launch is not the faster for it
  if (Triple(M.getTargetTriple()).supportsCOMDAT())
    Helper->setComdat(M.getOrInsertComdat(Name));
  return Helper;
}

Function *sluice::carveoutHelper(Module &M) {
  constexpr char Name[] = "__sluice_set_carveout";
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  PointerType *Ptr = PointerType::getUnqual(C);
  Function *Helper = newHelper(M, Name, Type::getVoidTy(C), {Ptr, Ptr, I32});
  FunctionCallee GetDevice = M.getOrInsertFunction("cudaGetDevice", I32, Ptr);
  FunctionCallee SetAttribute =
      M.getOrInsertFunction("cudaFuncSetAttribute", I32, Ptr, I32, I32);
  FunctionCallee Peek = M.getOrInsertFunction("cudaPeekAtLastError", I32);
  FunctionCallee Clear = M.getOrInsertFunction("cudaGetLastError", I32);

  auto NewBlock = [&](const char *Label) {
    return BasicBlock::Create(C, Label, Helper);
  };
  BasicBlock *Entry = NewBlock("entry"), *Clean = NewBlock("clean"),
             *Mark = NewBlock("mark"), *Set = NewBlock("set"),
             *Failed = NewBlock("failed"), *Done = NewBlock("done");
  IRBuilder<> B(Entry);
  Value *Device = B.CreateAlloca(I32);
  // An error of the program's, once overwritten, could not be put back. So
  // while there is one, nothing is called that may fail.
  B.CreateCondBr(B.CreateIsNull(B.CreateCall(Peek, {})), Clean, Done);

  B.SetInsertPoint(Clean);
  Value *DeviceStatus = B.CreateCall(GetDevice, {Device});
  B.CreateCondBr(B.CreateIsNull(DeviceStatus), Mark, Failed);

  B.SetInsertPoint(Mark);
  Value *Number = B.CreateAnd(B.CreateLoad(I32, Device), 63);
  Value *Bit = B.CreateShl(B.getInt64(1), B.CreateZExt(Number, I64));
  Value *Old = B.CreateAtomicRMW(AtomicRMWInst::Or, Helper->getArg(1), Bit,
                                 Align(8), AtomicOrdering::Monotonic);
  B.CreateCondBr(B.CreateIsNull(B.CreateAnd(Old, Bit)), Set, Done);

  B.SetInsertPoint(Set);
  Value *SetStatus = B.CreateCall(
      SetAttribute,
      {Helper->getArg(0), B.getInt32(CarveoutAttribute), Helper->getArg(2)});
  B.CreateCondBr(B.CreateIsNull(SetStatus), Done, Failed);

  B.SetInsertPoint(Failed); // the error is ours, and nobody's business
  B.CreateCall(Clear, {});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  return Helper;
}

Function *sluice::claimHelper(Module &M) {
  constexpr char Name[] = "__sluice_claim_shared";
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I64 = Type::getInt64Ty(C);
  Function *Helper = newHelper(M, Name, I64, {I64, I64, I64});
  FunctionCallee Peek =
      M.getOrInsertFunction("cudaPeekAtLastError", Type::getInt32Ty(C));
  Value *Shared = Helper->getArg(0);
  IRBuilder<> B(BasicBlock::Create(C, "entry", Helper));
  Value *Fits = B.CreateICmpULE(Shared, Helper->getArg(1));
  Value *IsClean = B.CreateIsNull(B.CreateCall(Peek, {}));
  B.CreateRet(B.CreateSelect(B.CreateAnd(Fits, IsClean),
                             B.CreateAdd(Shared, Helper->getArg(2)), Shared));
  return Helper;
}

/// The layers of mergedLaunch() of the helper's arguments, or 0.
static Value *layersOfLaunch(IRBuilder<> &B, Function &Helper) {
  auto Low = [&](Value *Two) { return B.CreateAnd(Two, 0xFFFFFFFF); };
  Value *Grid = Helper.getArg(0), *Block = Helper.getArg(2),
        *Together = Helper.getArg(7), *One = B.getInt64(1);
  Value *Threads = B.CreateMul(Low(Block), B.CreateLShr(Block, 32));
  Value *IsSome = B.CreateICmpULT(B.CreateSub(Threads, One), Helper.getArg(9));
  Value *IsRow = B.CreateICmpULE(B.CreateMul(Low(Grid), Low(Block)),
                                 B.getInt64(MostInRow));
  Value *IsSmall = B.CreateICmpULE(Threads, Helper.getArg(6));
  Value *Fits =
      B.CreateAnd(IsSome, B.CreateOr(IsSmall, B.CreateICmpUGT(Together, One)));
  Value *IsOfWarps =
      B.CreateOr({B.CreateIsNotNull(Helper.getArg(6)),
                  B.CreateIsNull(B.CreateAnd(Block, LanesOfWarp - 1)),
                  B.CreateICmpEQ(B.CreateLShr(Block, 32), One)});
  Value *IsFlat = B.CreateICmpEQ(Helper.getArg(3), B.getInt32(1));
  // 0 where none may be asked for.
  Value *FitsShared = B.CreateICmpULE(Helper.getArg(4), Helper.getArg(8));
  // At least 1, so that nothing is divided by zero where they do not fit.
  Value *Most = B.CreateBinaryIntrinsic(
      Intrinsic::umin,
      B.CreateUDiv(B.getInt64(MergedThreads),
                   B.CreateSelect(IsSome, Threads, One)),
      B.getInt64(MostMerged));
  Value *Layers = B.CreateSelect(IsSmall, Most, One);
  Value *Blocks = B.CreateMul(Layers, Together);
  Value *Row =
      B.CreateUDiv(B.CreateAdd(Low(Grid), B.CreateSub(Blocks, One)), Blocks);
  Value *Lost = B.CreateSub(B.CreateMul(Row, Blocks), Low(Grid));
  Value *LosesFew =
      B.CreateICmpULE(B.CreateMul(Lost, B.getInt64(MostLostOf)), Low(Grid));
  Value *Rows = B.CreateMul(B.CreateLShr(Grid, 32),
                            B.CreateZExt(Helper.getArg(1), B.getInt64Ty()));
  Value *HasLongRows = B.CreateOr(
      {B.CreateIsNotNull(Helper.getArg(6)), B.CreateICmpEQ(Rows, One),
       B.CreateICmpUGE(Row, B.getInt64(FewestInRow))});
  Value *All = B.CreateMul(Row, Rows);
  Value *Fewest =
      B.CreateSelect(B.CreateICmpUGT(Layers, One), B.getInt64(FewestThreads),
                     B.getInt64(FewestThreadsTogether));
  // Also at least 1, and no product overflows of a launch that is none of an
  // error.
  Value *ByBlock = B.CreateMul(Blocks, B.CreateSelect(IsSome, Threads, One));
  Value *AreMany = B.CreateICmpUGE(
      All,
      B.CreateUDiv(B.CreateAdd(Fewest, B.CreateSub(ByBlock, One)), ByBlock));
  Value *Merges = B.CreateAnd({Fits, IsOfWarps, IsRow, IsFlat, FitsShared,
                               LosesFew, AreMany, HasLongRows});
  return B.CreateSelect(Merges, B.CreateTrunc(Layers, B.getInt32Ty()),
                        B.getInt32(0));
}

Function *sluice::mergedBlocksHelper(Module &M, bool OfThread) {
  const char *const Suffix = OfThread ? "_ptsz" : "";
  const std::string Name = std::string("__sluice_merged_layers") + Suffix;
  if (Function *Known = M.getFunction(Name))
    return Known;
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  PointerType *Ptr = PointerType::getUnqual(C);
  Function *Helper = newHelper(
      M, Name, I32, {I64, I32, I64, I32, I64, Ptr, I64, I64, I64, I64});
  FunctionCallee IsCapturing = M.getOrInsertFunction(
      std::string("cudaStreamIsCapturing") + Suffix, I32, Ptr, Ptr);
  BasicBlock *Entry = BasicBlock::Create(C, "entry", Helper),
             *Ask = BasicBlock::Create(C, "ask", Helper),
             *Plain = BasicBlock::Create(C, "plain", Helper);
  IRBuilder<> B(Entry);
  Value *Status = B.CreateAlloca(I32);
  Value *Layers = layersOfLaunch(B, *Helper);
  B.CreateCondBr(B.CreateIsNotNull(Layers), Ask, Plain);
  // A graph's nodes may be changed by who knows the program's kernel only.
  B.SetInsertPoint(Ask);
  Value *Failed = B.CreateCall(IsCapturing, {Helper->getArg(5), Status});
  Value *Neither =
      B.CreateIsNull(B.CreateOr(Failed, B.CreateLoad(I32, Status)));
  B.CreateRet(B.CreateSelect(Neither, Layers, B.getInt32(0)));
  B.SetInsertPoint(Plain);
  B.CreateRet(B.getInt32(0));
  return Helper;
}
