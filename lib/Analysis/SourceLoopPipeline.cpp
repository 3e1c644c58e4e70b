// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/SourceLoopPipeline.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"

using namespace sluice;
using namespace llvm;

/// `#pragma unroll N` would make several accesses of one and its loop another:
/// the hint is kept under a name that only the access analysis knows.
/// `#pragma unroll 1` stays as it is.
static void hideUnrollHints(Module &M) {
  LLVMContext &Context = M.getContext();
  for (Function &F : M)
    for (BasicBlock &BB : F) {
      Instruction *Last = BB.getTerminator();
      MDNode *Id = Last ? Last->getMetadata(LLVMContext::MD_loop) : nullptr;
      if (!Id)
        continue;
      SmallVector<MDNode *, 1> Hidden;
      for (const MDOperand &Operand : drop_begin(Id->operands())) {
        auto *Option = dyn_cast<MDNode>(Operand);
        auto *Name = Option && Option->getNumOperands() == 2
                         ? dyn_cast<MDString>(Option->getOperand(0))
                         : nullptr;
        if (Name && Name->getString() == "llvm.loop.unroll.count")
          Hidden.push_back(
              MDNode::get(Context, {MDString::get(Context, UnrollCountHint),
                                    Option->getOperand(1)}));
      }
      Last->setMetadata(LLVMContext::MD_loop,
                        makePostTransformationMetadata(
                            Context, Id,
                            {"llvm.loop.unroll.count", "llvm.loop.unroll.full",
                             "llvm.loop.unroll.enable"},
                            Hidden));
    }
}

/// Is \p IR, of any kind, or a part of it in \p Functions? A module is.
static bool concerns(Any IR, const ReachedGlobals &Functions) {
  if (const auto *F = any_cast<const Function *>(&IR))
    return Functions.contains(*F);
  if (const auto *L = any_cast<const Loop *>(&IR))
    return Functions.contains((*L)->getHeader()->getParent());
  if (const auto *C = any_cast<const LazyCallGraph::SCC *>(&IR))
    return any_of(**C, [&](const LazyCallGraph::Node &N) {
      return Functions.contains(&N.getFunction());
    });
  return true;
}

static PipelineTuningOptions tuning() {
  PipelineTuningOptions Tuning;
  Tuning.LoopUnrolling = false;
  Tuning.LoopInterleaving = false;
  Tuning.LoopVectorization = false;
  Tuning.SLPVectorization = false;
  return Tuning;
}

SourceLoopPipeline::SourceLoopPipeline(Module &M, TargetMachine *TM,
                                       ArrayRef<const Function *> Kernels)
    : Reached(reachableFrom(Kernels)),
      Builder(TM, tuning(), std::nullopt, &Callbacks) {
  hideUnrollHints(M);
  Callbacks.registerShouldRunOptionalPassCallback(
      [this](StringRef, Any IR) { return concerns(IR, Reached); });
  Builder.registerModuleAnalyses(MAM);
  Builder.registerCGSCCAnalyses(CGAM);
  Builder.registerFunctionAnalyses(FAM);
  Builder.registerLoopAnalyses(LAM);
  Builder.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1).run(M, MAM);
}
