// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own -O1. Code that no kernel reaches is dropped or left out, and hints
// to unroll wait under a name that no pass knows.

#include "sluice/Analysis/SourceLoopPipeline.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
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

/// Drops the code that is not among \p Reached, which some passes would work on
/// nonetheless. Not what uses a variable that is: no pass may take it for one
/// that nobody writes.
static void dropOthers(Module &M, const ReachedGlobals &Reached) {
  for (Function &F : M) {
    if (F.isDeclaration() || Reached.contains(&F) ||
        any_of(F.users(), [](const User *U) { return isa<GlobalAlias>(U); }))
      continue;
    SmallPtrSet<const Constant *, 16> Seen;
    SmallVector<const Constant *, 16> Work;
    auto Add = [&](const Use &Operand) {
      if (const auto *C = dyn_cast<Constant>(&Operand))
        if (!isa<Function>(C) && Seen.insert(C).second)
          Work.push_back(C);
    };
    for (const Instruction &I : instructions(F))
      for_each(I.operands(), Add);
    bool IsShared = false;
    while (!Work.empty() && !IsShared) {
      const Constant *C = Work.pop_back_val();
      const auto *Global = dyn_cast<GlobalValue>(C);
      IsShared = Global && Reached.contains(Global);
      for_each(C->operands(), Add);
    }
    if (IsShared)
      continue;
    F.deleteBody();
    F.setComdat(nullptr);
  }
}

static PipelineTuningOptions tuning() {
  PipelineTuningOptions Tuning;
  Tuning.LoopUnrolling = false;
  Tuning.LoopInterleaving = false;
  Tuning.LoopVectorization = false;
  Tuning.SLPVectorization = false;
  return Tuning;
}

namespace {

/// What \p Kernels reach now.
struct ReachAgainPass : PassInfoMixin<ReachAgainPass> {
  ArrayRef<const Function *> Kernels;
  ReachedGlobals &Reached;

  ReachAgainPass(ArrayRef<const Function *> Kernels, ReachedGlobals &Reached)
      : Kernels(Kernels), Reached(Reached) {}
  PreservedAnalyses run(Module &, ModuleAnalysisManager &) {
    Reached = reachableFrom(Kernels);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

SourceLoopPipeline::SourceLoopPipeline(Module &M, TargetMachine *TM,
                                       ArrayRef<const Function *> Kernels)
    : Reached(reachableFrom(Kernels)),
      Builder(TM, tuning(), std::nullopt, &Callbacks) {
  dropOthers(M, Reached);
  hideUnrollHints(M);
  Callbacks.registerShouldRunOptionalPassCallback(
      [this](StringRef, Any IR) { return concerns(IR, Reached); });
  Times.registerCallbacks(Callbacks);
  // What has been inlined everywhere is no longer of the kernels.
  Builder.registerOptimizerEarlyEPCallback(
      [&](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        MPM.addPass(ReachAgainPass(Kernels, Reached));
      });
  Managers.add(Builder);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(M, Managers.OfModules);
}
