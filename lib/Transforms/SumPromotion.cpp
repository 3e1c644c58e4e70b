// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Transforms/SumPromotion.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Transforms/ContractMultiplyAdd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopVersioningLICM.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

static constexpr char PassName[] = "sluice-promote";
/// What keeps LLVM's pass from a loop; it leaves it on both versions of one.
static constexpr char Versioned[] = "llvm.loop.licm_versioning.disable";

static bool hasSum(const Loop &L) {
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB,
                  [&](const Instruction &I) { return isSumInMemory(I, L); });
  });
}

static void promoteIn(Function &F, FunctionAnalysisManager &FAM,
                      function_ref<bool(const CodeId &)> IsOff) {
  // By where they start: versioning makes loops anew.
  SmallVector<std::pair<CodeId, DebugLoc>> Candidates;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (!L->isInnermost() || !hasSum(*L))
      continue;
    const CodeId Id = codeIdOf(*L);
    if (IsOff(Id))
      addStringMetadataToLoop(L, Versioned);
    if (findOptionMDForLoop(L, Versioned))
      continue;
    Candidates.push_back({Id, L->getStartLoc()});
    // What is in one block with the sum now may not be when code is generated.
    for (BasicBlock *Block : L->blocks())
      contractMultiplyAdd(*Block, ContractionMode::Flagged);
  }
  if (Candidates.empty())
    return;

  FunctionPassManager Passes;
  Passes.addPass(createFunctionToLoopPassAdaptor(LoopVersioningLICMPass()));
  Passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  const PreservedAnalyses Kept = Passes.run(F, FAM);
  FAM.invalidate(F, Kept);

  SmallVector<CodeId> Done;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (findOptionMDForLoop(L, Versioned))
      Done.push_back(codeIdOf(*L));
  OptimizationRemarkEmitter Remarks(&F);
  BasicBlock *Entry = &F.getEntryBlock();
  for (const auto &[Id, Start] : Candidates) {
    if (is_contained(Done, Id))
      Remarks.emit([&, &Start = Start] {
        return OptimizationRemark(PassName, "Promoted", Start, Entry)
               << "what the loop adds up in memory stays in registers where "
                  "it overlaps nothing that the loop reads or writes";
      });
    else
      Remarks.emit([&, &Start = Start] {
        return OptimizationRemarkMissed(PassName, "NotPromoted", Start, Entry)
               << "what the loop adds up in memory stays there: no test of "
                  "addresses before it would tell whether they overlap "
                  "(-Rpass-missed=loop-versioning-licm has LLVM's reason)";
      });
  }
}

PreservedAnalyses SumPromotionPass::run(Module &M,
                                        ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::PTX_Kernel &&
        !F.hasOptNone() && !F.hasMinSize())
      promoteIn(F, FAM, IsOff);
  return PreservedAnalyses::none();
}
