// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells LLVM's unroller what the plan says, by what a pragma would:
//
//   br i1 %more, label %loop, label %done, !llvm.loop !7
//   !7 = distinct !{!7, !8}
//   !8 = !{!"llvm.loop.unroll.count", i32 8}         ; added
//
// LLVM unrolls, where that is legal, and the assembler moves the copies' loads
// together. By itself it does so within 32 registers if it can; where the plan
// knows that few threads are on an SM, it gets room:
//
//   attributes #0 = { ... "nvvm.maxnreg"="64" }      ; added

#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-loads-in-flight"

STATISTIC(NumUnrolled, "Number of loops unrolled for their loads");

namespace {

class KernelUnroller {
public:
  KernelUnroller(Function &F, const AttachedPlan &Attached,
                 const KernelPlan &Plan, const GPUModel &GPU,
                 FunctionAnalysisManager &FAM)
      : F(F), Attached(Attached), Plan(Plan), GPU(GPU), FAM(FAM), Remarks(&F) {}
  void run();

private:
  unsigned wanted(const Loop &L, const LoopPlan *Planned,
                  std::string &Why) const;
  unsigned copiesOf(const Loop &L, std::string &Why);

  Function &F;
  const AttachedPlan &Attached;
  const KernelPlan &Plan;
  const GPUModel &GPU;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter Remarks;
};

} // namespace

/// As many as are wanted, whether the loop may be repeated or not.
unsigned KernelUnroller::wanted(const Loop &L, const LoopPlan *Planned,
                                std::string &Why) const {
  const UnrollFacts Facts =
      analyzeUnrolling(L, FAM.getResult<ScalarEvolutionAnalysis>(F),
                       FAM.getResult<UniformityInfoAnalysis>(F),
                       FAM.getResult<TargetIRAnalysis>(F));
  if (!Facts.Refusal.empty() || !Facts.Loads)
    return 0;
  if (Planned && Planned->Unroll) {
    Why = Planned->UnrollWhy;
    // What is planned whole is unrolled whole, by a loop's own count.
    return Facts.Trip
               ? unsigned(std::min<uint64_t>(Planned->Unroll, *Facts.Trip))
               : Planned->Unroll;
  }
  if (!Attached.Opts.ForcedUnroll)
    return iterationsTogether(Facts, Plan, GPU, Why);
  Why = "so many were asked for";
  const unsigned Asked = *Attached.Opts.ForcedUnroll;
  // LLVM unrolls it whole.
  return Facts.Trip && Asked >= *Facts.Trip ? 0 : Asked;
}

/// 0: it stays as clang has it.
unsigned KernelUnroller::copiesOf(const Loop &L, std::string &Why) {
  const CodeId Id = codeIdOf(L).ofAllCopies();
  if (isIn(Attached.Off, Id) || hasUnrollTransformation(&L) != TM_Unspecified)
    return 0;
  const auto Planned = find_if(
      Plan.Loops, [&](const LoopPlan &P) { return P.Id.ofAllCopies() == Id; });
  const bool IsPlanned = Planned != Plan.Loops.end();
  if (IsPlanned && keepsLinesOrRows(*Planned))
    return 0;
  const unsigned Copies = wanted(L, IsPlanned ? &*Planned : nullptr, Why);
  if (Copies < 2 || Attached.Opts.Wrong == WrongRewrite::UnrolledProduct)
    return Copies;
  const std::string Rounded =
      whyRoundedAnew(L, FAM.getResult<ScalarEvolutionAnalysis>(F));
  if (Rounded.empty())
    return Copies;
  emitPlaced(Remarks, L.getStartLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NotUnrolled", At,
                                    L.getHeader())
           << "iterations of the loop are not taken together: " << Rounded;
  });
  return 0;
}

void KernelUnroller::run() {
  if (Plan.ResidentBlocks) // as few loads as can be are to be in flight
    return;
  bool IsChanged = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    std::string Why;
    const unsigned Copies = copiesOf(*L, Why);
    if (Copies < 2)
      continue;
    addStringMetadataToLoop(L, "llvm.loop.unroll.count", Copies);
    ++NumUnrolled;
    IsChanged = true;
    emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Unrolled", At, L->getHeader())
             << ore::NV("Iterations", Copies)
             << " iterations of the loop are taken together: " << Why;
    });
  }
  if (IsChanged && Plan.LoadRegisters && !Plan.MaxRegisters &&
      !registerLimit(F))
    setRegisterLimit(F, Plan.LoadRegisters);
}

namespace {

struct LoadsInFlightPass : PassInfoMixin<LoadsInFlightPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "no loop is unrolled");
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    if (!Attached || !Attached->Opts.LoadsInFlight)
      return PreservedAnalyses::all();
    for (Function &F : M) {
      if (F.isDeclaration() || !isKernel(F))
        continue;
      auto GPU =
          findGPUModel(F.getFnAttribute("target-cpu").getValueAsString());
      const KernelPlan *Plan = Attached->kernel(F);
      if (GPU && Plan)
        KernelUnroller(F, *Attached, *Plan, **GPU, FAM).run();
      else if (!GPU)
        consumeError(GPU.takeError());
    }
    return PreservedAnalyses::all(); // only LLVM's unroller and the assembler
                                     // look
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-loads-in-flight`.
void registerLoadsInFlightPass(PassBuilder &PB) {
  registerByName<LoadsInFlightPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
