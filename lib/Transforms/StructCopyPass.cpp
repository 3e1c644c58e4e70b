// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of structs:
//
//   call void @llvm.memcpy(ptr align 4 %to, ptr align 4 %from, i64 12)
// becomes
//   %0 = load i32, ptr %from
//   %1 = load i32, ptr %from.4
//   %2 = load i32, ptr %from.8
//   store i32 %0, ptr %to            ; and so on
//
// LLVM's code generator makes a load and a store of each word in turn. The
// assembler has to keep that order, as the two may overlap for all it knows, so
// each load waits for the store before it. What is copied never overlaps, or is
// the same (LangRef, "llvm.memcpy"), so all of it may be read first. It is the
// last of the optimisation's passes: those before it know copies.

#include "CopyParts.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-copies"

STATISTIC(NumCopies, "Number of struct copies that read first");

/// Registers that hold a struct, and bytes of an access.
static constexpr unsigned MostParts = 16, MostBytes = 64, WidestAccess = 16;

/// A number, or a vector of the widest.
static Type *typeOf(uint64_t Bytes, LLVMContext &Context) {
  if (Bytes == WidestAccess)
    return FixedVectorType::get(Type::getInt32Ty(Context), 4);
  return Type::getIntNTy(Context, Bytes * 8);
}

/// As wide as \p Alignment allows; none: too many.
static CopyParts partsOf(uint64_t Size, Align Alignment, LLVMContext &Context) {
  CopyParts Parts;
  const uint64_t Widest = std::min<uint64_t>(WidestAccess, Alignment.value());
  for (uint64_t Offset = 0, Bytes; Offset < Size; Offset += Bytes) {
    Bytes = std::min(Widest, bit_floor(Size - Offset));
    Parts.push_back({Offset, typeOf(Bytes, Context)});
  }
  if (Parts.size() > MostParts)
    Parts.clear();
  return Parts;
}

/// Local memory and parameters have passes of their own.
static bool isElsewhere(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  const auto *A = dyn_cast<Argument>(Object);
  return isa<AllocaInst>(Object) || (A && A->hasByValAttr());
}

/// A parameter waits for no store, so its order is no matter. But LLVM's
/// accesses have 8 bytes at most, also those that write what is copied.
static bool isWideOfParameter(const MemCpyInst &Copy, const APInt &Length) {
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(Copy.getRawSource()));
  const Align Both = std::min(Copy.getDestAlign().valueOrOne(),
                              Copy.getSourceAlign().valueOrOne());
  return A && A->hasByValAttr() && isKernel(*A->getParent()) &&
         Both >= WidestAccess && Length.uge(WidestAccess);
}

static bool isSmallCopy(const MemCpyInst &Copy) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  return Length && !Copy.isVolatile() && !Length->isZero() &&
         Length->getValue().ule(MostBytes) && !isElsewhere(Copy.getRawDest()) &&
         (!isElsewhere(Copy.getRawSource()) ||
          isWideOfParameter(Copy, Length->getValue()));
}

static bool readFirst(MemCpyInst &Copy, WrongRewrite Wrong) {
  const Align To = Copy.getDestAlign().valueOrOne(),
              From = Copy.getSourceAlign().valueOrOne();
  auto Parts = partsOf(cast<ConstantInt>(Copy.getLength())->getZExtValue(),
                       std::min(To, From), Copy.getContext());
  if (Parts.empty())
    return false;
  if (Wrong == WrongRewrite::ShortCopy)
    Parts.pop_back();
  IRBuilder<> B(&Copy);
  writeParts(B, Copy.getRawDest(), To, Parts,
             readParts(B, Copy.getRawSource(), From, Parts));
  ++NumCopies;
  return true;
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.ReadFirst && !*Kernel.ReadFirst;
}

static bool readFirstAll(Function &F, const AttachedPlan *Attached) {
  if (Attached && isKeptFrom(F, *Attached, isKept))
    return false;
  const WrongRewrite Wrong =
      Attached ? Attached->Opts.Wrong : WrongRewrite::None;
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemCpyInst>(&I);
    if (!Copy || !isSmallCopy(*Copy))
      continue;
    if (Attached && isReachedFrom(Attached->Off, Copy->getDebugLoc().get()))
      continue;
    if (!readFirst(*Copy, Wrong))
      continue;
    OptimizationRemarkEmitter Remarks(&F);
    emitPlaced(Remarks, Copy->getDebugLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "ReadFirst", At, Copy->getParent())
             << "a copy of "
             << ore::NV("Bytes",
                        cast<ConstantInt>(Copy->getLength())->getZExtValue())
             << " bytes is read whole before it is written";
    });
    Copy->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

namespace {

struct StructCopyPass : PassInfoMixin<StructCopyPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "all structs are read first");
    if (Attached && !Attached->Opts.Copies)
      return PreservedAnalyses::all();
    bool Changed = false;
    for (Function &F : M)
      Changed |= readFirstAll(F, Attached ? &*Attached : nullptr);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-copies`.
void registerStructCopyPass(PassBuilder &PB) {
  registerByName<StructCopyPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
