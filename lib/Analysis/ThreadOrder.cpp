// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions, intrinsics and inline assembly by what they do to the order of
// threads. Every list here is of what is harmless: an instruction that stands
// in none may wait.

#include "sluice/Analysis/ThreadOrder.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace sluice;
using namespace llvm;

/// Functions that clang declares and the toolkit or the driver defines.
static ThreadOrder orderOfRuntimeFunction(StringRef Name) {
  if (isLibdevice(Name))
    return ThreadOrder::None;
  return StringSwitch<ThreadOrder>(Name)
      .Cases({"memcpy", "memset", "memmove"}, ThreadOrder::None)
      .Cases({"vprintf", "printf", "__assertfail", "__assert_fail"},
             ThreadOrder::Memory)
      .Cases({"malloc", "free"}, ThreadOrder::Memory)
      .Default(ThreadOrder::Waits);
}

/// Barrier 0 of all threads is the one that turns use too. Other barriers may
/// be for some of the warps.
static bool isBarrierOfAllThreads(const CallBase &Call, StringRef Name) {
  const auto *Id = Call.arg_size() > 0
                       ? dyn_cast<ConstantInt>(Call.getArgOperand(0))
                       : nullptr;
  return Name.starts_with("barrier.cta.") && Name.contains("all") && Id &&
         Id->isZero();
}

static bool startsWithAny(StringRef Name, ArrayRef<StringRef> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Name.starts_with(P); });
}

/// Whole warps take turns, so what is within a warp parts nobody.
static bool isOfWarp(StringRef Name) {
  return startsWithAny(Name, {"bar.warp.sync", "shfl.", "vote.", "match.",
                              "redux.sync", "activemask", "wmma.", "mma.",
                              "ldmatrix.", "stmatrix.", "elect.sync"});
}

/// Waits at most for what the thread itself, or the clock, has begun.
static bool isOrderOfMemory(StringRef Name) {
  return startsWithAny(
      Name, {"membar.", "fence.", "nanosleep", "atomic.", "prefetch", "discard",
             "applypriority", "createpolicy", "suld.", "sust.", "cp.async.ca.",
             "cp.async.cg.", "cp.async.commit.", "cp.async.wait.", "exit"});
}

static ThreadOrder orderOfIntrinsic(const IntrinsicInst &Call) {
  if (Call.isAssumeLikeIntrinsic() || Call.isLifetimeStartOrEnd() ||
      Call.isDebugOrPseudoInst())
    return ThreadOrder::None;
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call))
    return Memory->isVolatile() ? ThreadOrder::Memory : ThreadOrder::None;
  StringRef Name = Call.getCalledFunction()->getName();
  if (Name.consume_front("llvm.nvvm.")) {
    if (Name.starts_with("read.ptx.sreg."))
      return ThreadOrder::None; // also of a clock, which waits for nobody
    if (isBarrierOfAllThreads(Call, Name))
      return ThreadOrder::Block;
    if (isOfWarp(Name))
      return ThreadOrder::Warp;
    if (isOrderOfMemory(Name))
      return ThreadOrder::Memory;
  }
  if (!Call.isConvergent() && Call.onlyReadsMemory())
    return ThreadOrder::None; // arithmetic, textures
  // Of LLVM's intrinsics for all targets none waits.
  return Call.getCalledFunction()->isTargetIntrinsic() ? ThreadOrder::Waits
                                                       : ThreadOrder::Memory;
}

static ThreadOrder orderOfCall(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    if (isa<CallBrInst>(Call))
      return ThreadOrder::Waits;
    const bool ClobbersMemory =
        StringRef(Asm->getConstraintString()).contains("~{memory}");
    switch (classifyInlinePTX(Asm->getAsmString())) {
    case InlinePTX::Computes:
      return ClobbersMemory ? ThreadOrder::Memory : ThreadOrder::None;
    case InlinePTX::Accesses:
      return ThreadOrder::Memory;
    case InlinePTX::Unknown:
      return ThreadOrder::Waits;
    }
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return ThreadOrder::Waits;
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call))
    return orderOfIntrinsic(*Intrinsic);
  if (Callee->isDeclaration())
    return orderOfRuntimeFunction(Callee->getName());
  return Callee->isInterposable() ? ThreadOrder::Waits : ThreadOrder::None;
}

ThreadOrder sluice::threadOrderOf(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return orderOfCall(*Call);
  if (I.isAtomic() || I.isVolatile())
    return ThreadOrder::Memory; // a fence too
  return ThreadOrder::None;
}

bool sluice::isFunctionOfOperands(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return !I.mayReadOrWriteMemory();
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return !isa<CallBrInst>(I) &&
           classifyInlinePTX(Asm->getAsmString()) == InlinePTX::Computes;
  if (!Call->getCalledFunction())
    return false;
  if (Call->doesNotAccessMemory() && !Call->isConvergent())
    return true;
  StringRef Name = Call->getCalledFunction()->getName();
  return Name.consume_front("llvm.nvvm.") &&
         (Name.starts_with("read.ptx.sreg.") ||
          startsWithAny(
              Name, {"shfl.", "vote.", "match.", "redux.sync", "activemask"}));
}
