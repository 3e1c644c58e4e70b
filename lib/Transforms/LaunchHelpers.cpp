// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is one function for the whole program, made by hand in IR: the user's
// program links no library of Sluice.

#include "LaunchHelpers.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

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
