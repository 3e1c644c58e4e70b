// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's atomicCAS is relaxed and holds for the device. clang 22 makes it from
// a builtin whose order is sequentially consistent for the whole system, and
// the code generator obeys:
//
//   fence.sc.sys;
//   atom.acquire.sys.global.cas.b32  %r1, [%rd4], 0, 1;
//
// becomes, as nvcc has it,
//
//   atom.relaxed.gpu.global.cas.b32  %r1, [%rd4], 0, 1;
//
// by
//
//   cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
//   cmpxchg ptr %p, i32 0, i32 1 syncscope("device") monotonic monotonic
//
// A compare-exchange that the source orders itself (C++ atomics, __atomic_*,
// cuda::atomic) looks the same. What tells them apart is the place: the
// function, in clang's own header, that atomicCAS calls. Its debug location
// goes through inlining, and where LLVM makes one instruction of two the merged
// location is that of code which both are in: never of the header, unless both
// are.
//
// It is the last of the optimisation's passes: those before it move nothing
// across an atomicCAS that they did not without Sluice.

#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-atomics"

STATISTIC(NumRelaxed, "Number of atomicCAS without clang's fences");

/// One of those that atomicCAS calls, by its type? What atomicCAS_block and
/// atomicCAS_system call is right already: intrinsics that order nothing.
static bool isOfAtomicCAS(StringRef Function) {
  return StringSwitch<bool>(Function)
      .Case("__iAtomicCAS", true)
      .Case("__uAtomicCAS", true)
      .Case("__ullAtomicCAS", true)
      .Case("__usAtomicCAS", true)
      .Default(false);
}

/// Was \p At written in the body of what atomicCAS calls? Names alone would not
/// do: a namespace may have the same, and the place has no namespaces.
static bool isInAtomicCAS(const DILocation *At) {
  const DISubprogram *In = At ? At->getScope()->getSubprogram() : nullptr;
  return In && isOfAtomicCAS(In->getName()) &&
         sys::path::filename(In->getFilename()) ==
             "__clang_cuda_device_functions.h";
}

/// As the builtin of the header makes it.
static bool isSystemWide(const AtomicCmpXchgInst &Exchange) {
  return Exchange.getSyncScopeID() == SyncScope::System &&
         Exchange.getSuccessOrdering() ==
             AtomicOrdering::SequentiallyConsistent &&
         Exchange.getFailureOrdering() ==
             AtomicOrdering::SequentiallyConsistent &&
         !Exchange.isVolatile() && !Exchange.isWeak();
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.RelaxAtomics && !*Kernel.RelaxAtomics;
}

static void report(AtomicCmpXchgInst &Exchange) {
  OptimizationRemarkEmitter Remarks(Exchange.getFunction());
  emitPlaced(Remarks, Exchange.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Relaxed", At, Exchange.getParent())
           << "atomicCAS is relaxed and holds for the device, as CUDA says: "
              "clang's fences are left out";
  });
}

static void relax(AtomicCmpXchgInst &Exchange, WrongRewrite Wrong) {
  Exchange.setSuccessOrdering(AtomicOrdering::Monotonic);
  Exchange.setFailureOrdering(AtomicOrdering::Monotonic);
  Exchange.setSyncScopeID(Exchange.getContext().getOrInsertSyncScopeID(
      Wrong == WrongRewrite::NarrowScope ? "block" : "device"));
  ++NumRelaxed;
  report(Exchange);
}

static bool relaxAll(Function &F, const AttachedPlan *Attached) {
  if (Attached && isKeptFrom(F, *Attached, isKept))
    return false;
  const WrongRewrite Wrong =
      Attached ? Attached->Opts.Wrong : WrongRewrite::None;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
    if (!Exchange || !isSystemWide(*Exchange))
      continue;
    const DILocation *At = Exchange->getDebugLoc().get();
    if (!isInAtomicCAS(At) && Wrong != WrongRewrite::EveryExchange)
      continue;
    if (Attached && isSwitchedOff(*Exchange, *Attached))
      continue;
    relax(*Exchange, Wrong);
    Changed = true;
  }
  return Changed;
}

namespace {

struct AtomicsPass : PassInfoMixin<AtomicsPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "all atomicCAS are relaxed");
    if (Attached && !Attached->Opts.Atomics)
      return PreservedAnalyses::all();
    bool Changed = false;
    for (Function &F : M)
      Changed |= relaxAll(F, Attached ? &*Attached : nullptr);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-atomics`.
void registerAtomicsPass(PassBuilder &PB) {
  registerByName<AtomicsPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
