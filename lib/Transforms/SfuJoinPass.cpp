// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second half of what SfuPass.cpp begins: a kernel and its approximate
// version, both optimised, become one function, whose first block says which of
// them a warp runs.

#include "SfuFunctions.h"
#include "SfuMarks.h"
#include "SharedArrays.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/SfuVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

bool sluice::hasSfuVersions(const Function &Kernel) {
  if (Kernel.getName().ends_with(SfuVersionEnding))
    return Kernel.hasFnAttribute(SfuWarpsMark);
  const Function *Version = Kernel.getParent()->getFunction(
      (Kernel.getName() + SfuVersionEnding).str());
  return Version && Version->hasFnAttribute(SfuWarpsMark);
}

/// Is this warp below LAMBDA? All lanes say the same, and a vote tells the
/// assembler so: where it has to count with lanes in both versions at a time a
/// thread gets registers for both (nbody 43, and 32 with the vote).
static Value *testWarp(IRBuilder<> &B, const Function &Version) {
  Value *Warp = Version.hasFnAttribute(SfuSlotMark)
                    ? B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_warpid,
                                        ArrayRef<Type *>(), ArrayRef<Value *>())
                    : B.CreateLShr(linearThread(B), 5, "warp");
  Attribute Warps = Version.getFnAttribute(SfuWarpsMark);
  unsigned Number;
  Value *Limit;
  if (Warps.getValueAsString().getAsInteger(10, Number))
    Limit = B.CreateLoad(B.getInt32Ty(),
                         Version.getParent()->getGlobalVariable(SfuSymbol));
  else
    Limit = B.getInt32(Number);
  Value *IsBelow = B.CreateICmpULT(Warp, Limit);
  Value *Lanes = B.CreateIntrinsic(Intrinsic::nvvm_activemask,
                                   ArrayRef<Type *>(), ArrayRef<Value *>());
  Value *Approximates = B.CreateIntrinsic(Intrinsic::nvvm_vote_any_sync,
                                          ArrayRef<Type *>(), {Lanes, IsBelow});
  Approximates->setName("approximates");
  return Approximates;
}

/// What was found out of one need not be true of the other.
static void joinAttributes(Function &Kernel, const Function &Version) {
  LLVMContext &Context = Kernel.getContext();
  const AttributeList Theirs = Version.getAttributes();
  AttributeList Ours = Kernel.getAttributes();
  for (unsigned Number = 0; Number < Kernel.arg_size(); ++Number) {
    auto Both = Ours.getParamAttrs(Number).intersectWith(
        Context, Theirs.getParamAttrs(Number));
    if (!Both)
      continue; // what is passed by value, and the like, is the same in both
    Ours =
        Ours.removeParamAttributes(Context, Number)
            .addParamAttributes(Context, Number, AttrBuilder(Context, *Both));
  }
  Kernel.setAttributes(Ours);
  Kernel.removeFnAttr(Attribute::Memory);
  // The passes of either version may have set one.
  const auto Most = registerLimit(Kernel), TheirMost = registerLimit(Version);
  if (TheirMost && TheirMost < Most.value_or(~0u))
    setRegisterLimit(Kernel, *TheirMost);
}

/// Where a function has no subprogram passes may take a call's location away;
/// a function that has one is not valid so.
static void placeCalls(Function &Version, DISubprogram *SP) {
  if (!SP)
    return;
  for (Instruction &I : instructions(Version))
    if (isa<CallBase>(I) && !I.getDebugLoc())
      I.setDebugLoc(DILocation::get(SP->getContext(), 0, 0, SP));
}

/// Puts \p Version, which has the same parameters, into \p Kernel.
static void join(Function &Kernel, Function &Version) {
  joinAttributes(Kernel, Version);
  Kernel.addFnAttr(SfuJoinedMark);
  for (auto [Ours, Theirs] : zip_equal(Kernel.args(), Version.args()))
    Theirs.replaceAllUsesWith(&Ours);
  placeCalls(Version, Kernel.getSubprogram());
  BasicBlock *Exact = &Kernel.getEntryBlock();
  BasicBlock *Approximate = &Version.getEntryBlock();
  auto *Entry =
      BasicBlock::Create(Kernel.getContext(), "partition", &Kernel, Exact);
  Kernel.splice(Kernel.end(), &Version);
  IRBuilder<> B(Entry);
  B.CreateCondBr(testWarp(B, Version), Approximate, Exact);
  // Only in the first block is the size of a thread's arrays known.
  for (BasicBlock *BB : {Exact, Approximate})
    for (Instruction &I : make_early_inc_range(*BB))
      if (auto *Array = dyn_cast<AllocaInst>(&I);
          Array && isa<ConstantInt>(Array->getArraySize()))
        Array->moveBefore(Entry->begin());
}

namespace {

struct SfuJoinPass : PassInfoMixin<SfuJoinPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    bool Changed = false;
    for (Function &F : make_early_inc_range(M)) {
      if (F.hasFnAttribute(SfuApproximateMark) && !F.isDeclaration()) {
        combineApproximate(F);
        Changed = true;
      }
      if (!F.hasFnAttribute(SfuWarpsMark))
        continue;
      if (Function *Kernel = M.getFunction(withoutSfuEnding(F.getName())))
        join(*Kernel, F);
      F.eraseFromParent();
      Changed = true;
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-sfu-join`.
void registerSfuJoinPass(PassBuilder &PB) {
  registerByName<SfuJoinPass>(PB, "sluice-sfu-join");
}
} // namespace sluice
