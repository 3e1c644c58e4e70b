// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libdevice does to reduce the angle of a sine, once and in registers:
//
//   y[i] = a * sinf(x[i]) + b * cosf(x[i]);
//
// clang links libdevice, and all of __nv_sinf and __nv_cosf is inlined: each
// with a branch for large angles, with a loop, and with an array in local
// memory of which words are read that only run time can tell. Here, at the end
// of LLVM's pipeline, the array goes to registers (WindowArrays.cpp), and what
// the sine has found out is taken for the cosine (EqualRegions.cpp). Neither
// knows libdevice: both look at the code.
//
// At the end, since all that was decided before stays as it is then: what LLVM
// unrolls, and which products it fuses with sums.

#include "EqualRegions.h"
#include "WindowArrays.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-angle-reduction"

static void sayOfArray(const Instruction &Read, uint64_t Bytes, StringRef Why) {
  OptimizationRemarkEmitter Remarks(Read.getFunction());
  emitPlaced(Remarks, Read.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Window", At, Read.getParent())
           << "an array of " << ore::NV("Bytes", Bytes)
           << " bytes is in registers, where what is read of it is chosen";
  });
}

static void sayWhyNotArray(const Instruction &Read, uint64_t Bytes,
                           StringRef Why) {
  OptimizationRemarkEmitter Remarks(Read.getFunction());
  emitPlaced(Remarks, Read.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "Array", At, Read.getParent())
           << "an array of " << ore::NV("Bytes", Bytes)
           << " bytes stays in local memory: " << Why;
  });
}

static void sayOfBranch(const Instruction &Branch, StringRef Why) {
  OptimizationRemarkEmitter Remarks(Branch.getFunction());
  if (Why.empty())
    emitPlaced(Remarks, Branch.getDebugLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Once", At, Branch.getParent())
             << "a branch goes: what it computes was computed before";
    });
  else
    emitPlaced(Remarks, Branch.getDebugLoc(), [&](const DebugLoc &At) {
      return OptimizationRemarkMissed(DEBUG_TYPE, "Twice", At,
                                      Branch.getParent())
             << "a branch computes what was computed before, and stays: "
             << Why;
    });
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.AnglesOnce && !*Kernel.AnglesOnce;
}

static bool reduceOnce(Function &F, FunctionAnalysisManager &FAM,
                       const AttachedPlan *Attached) {
  auto IsOff = [&](const Instruction &I) {
    return Attached && isSwitchedOff(I, *Attached);
  };
  const WrongRewrite Wrong =
      Attached ? Attached->Opts.Wrong : WrongRewrite::None;
  bool Changed = keepWindowsInRegisters(
      F, FAM, IsOff, Wrong == WrongRewrite::OtherWord,
      [](const Instruction &Read, uint64_t Bytes, StringRef Why) {
        (Why.empty() ? sayOfArray : sayWhyNotArray)(Read, Bytes, Why);
      });
  Changed |= shareEqualRegions(F, IsOff, Wrong == WrongRewrite::LostOffset,
                               sayOfBranch);
  return Changed;
}

namespace {

struct AngleReductionPass : PassInfoMixin<AngleReductionPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "angles are reduced once");
    if (Attached && !Attached->Opts.AngleReduction)
      return PreservedAnalyses::all();
    auto &FAM =
        Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    bool Changed = false;
    for (Function &F : M)
      if (!F.isDeclaration() && !F.hasOptNone() &&
          !(Attached && isKeptFrom(F, *Attached, isKept)))
        Changed |= reduceOnce(F, FAM, Attached ? &*Attached : nullptr);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-angle-reduction`.
void registerAngleReductionPass(PassBuilder &PB) {
  registerByName<AngleReductionPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
