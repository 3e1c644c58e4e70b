// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same results by fewer instructions, where nvcc has them and clang does
// not: sums with a sign (SignedSums.cpp), the SIMD intrinsics
// (PackedIntegers.cpp), choices (BranchlessChoices.cpp), and calls that all
// ways make (BusyCalls.cpp), and arrays of small elements (AlignedArrays.cpp).
// docs/passes/fewer-instructions.md says why each is right.

#include "FewerInstructions.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

STATISTIC(NumSums, "Number of sums that are multiplied by a sign");
STATISTIC(NumChoices, "Number of choices without branches");
STATISTIC(NumCalls, "Number of calls that are made once for all ways");
STATISTIC(NumArrays, "Number of arrays that are aligned");
STATISTIC(NumPacked, "Number of SIMD instructions that compute in whole words");

static void report(Function &F, const DebugLoc &At, StringRef Name,
                   const Twine &Text) {
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, At, [&](const DebugLoc &Place) {
    return OptimizationRemark(DEBUG_TYPE, Name, Place, &F.getEntryBlock())
           << Text.str();
  });
}

static bool rewrite(Function &F, const AttachedPlan *Attached) {
  auto MayChange = [&](const Instruction &I) {
    return !Attached || !isReachedFrom(Attached->Off, I.getDebugLoc().get());
  };
  const WrongRewrite Wrong =
      Attached ? Attached->Opts.Wrong : WrongRewrite::None;
  const Rewritten Sums =
      multiplyBySigns(F, MayChange, Wrong == WrongRewrite::LostFactor);
  if (Sums.Count)
    report(F, Sums.At, "Signs",
           Twine(Sums.Count) +
               " sums with a value that a condition negates are multiply-adds "
               "with a sign, which is made once for each condition");
  const Rewritten Packed =
      computeInWords(F, MayChange, Wrong == WrongRewrite::CarriedLane);
  if (Packed.Count)
    report(F, Packed.At, "Packed",
           Twine(Packed.Count) +
               (Packed.Count == 1 ? " SIMD instruction computes"
                                  : " SIMD instructions compute") +
               " in whole words: this GPU has none for it");
  const Rewritten Choices =
      chooseWithoutBranches(F, MayChange, Wrong == WrongRewrite::SwappedChoice);
  if (Choices.Count)
    report(F, Choices.At, "Choices",
           Twine(Choices.Count) +
               (Choices.Count == 1 ? " choice of a loop has no branches"
                                   : " choices of loops have no branches") +
               ": lanes of a warp would go several ways");
  const Rewritten Calls =
      makeBusyCallsOnce(F, MayChange, Wrong == WrongRewrite::OtherCall);
  if (Calls.Count)
    report(F, Calls.At, "Calls",
           Twine(Calls.Count) +
               (Calls.Count == 1 ? " call is made once before a loop"
                                 : " calls are made once before loops and "
                                   "branches") +
               ": all ways through make them");
  const Rewritten Arrays =
      alignArrays(F, MayChange, Wrong == WrongRewrite::UnevenPlace);
  if (Arrays.Count)
    report(F, Arrays.At, "Arrays",
           Twine(Arrays.Count) +
               (Arrays.Count == 1 ? " array is" : " arrays are") +
               " aligned so that several elements are set or read at once");
  NumChoices += Choices.Count;
  NumArrays += Arrays.Count;
  NumCalls += Calls.Count;
  NumSums += Sums.Count;
  NumPacked += Packed.Count;
  return Sums.Count || Packed.Count || Choices.Count || Calls.Count ||
         Arrays.Count;
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.FewerInstructions && !*Kernel.FewerInstructions;
}

namespace {

struct FewerInstructionsPass : PassInfoMixin<FewerInstructionsPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "results are computed by fewer instructions");
    if (Attached && !Attached->Opts.FewerInstructions)
      return PreservedAnalyses::all();
    bool Changed = false;
    for (Function &F : M)
      if (!F.isDeclaration() && !F.hasOptNone() &&
          !(Attached && isKeptFrom(F, *Attached, isKept)))
        Changed |= rewrite(F, Attached ? &*Attached : nullptr);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-fewer-instructions`.
void registerFewerInstructionsPass(PassBuilder &PB) {
  registerByName<FewerInstructionsPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
