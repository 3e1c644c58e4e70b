// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM inlines a large function at its last call. Of one that is not `static`
// it does not know which is the last: other files could call it. And assembly
// counts as much as a call: a hash of 2,400 instructions, a quarter of which
// are funnel shifts, has a cost of 40,000. So of a function that has one call,
//
//   define void @_Z6sha256Pj(ptr %hash)    becomes
//   define void @_Z6sha256Pj(ptr %hash) alwaysinline
//
// when LLVM has simplified it, and before it comes to the caller: so functions
// that it inlines by itself are inlined when they were.
// Inlined, products and sums come into one block that were in two, and would be
// fused anew. So it is done where no function that could come into one body
// with it has a product: hashes, ciphers, searches. Functions with products:
// InlinedCalls.cpp.

#include "sluice/Transforms/LastCalls.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

/// What may be fused, or is known to no function here.
static bool mayBeProduct(const Instruction &I) {
  if (I.getOpcode() == Instruction::FMul)
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || !Call->getType()->isFPOrFPVectorTy())
    return false;
  const Function *Callee = Call->getCalledFunction();
  return !Callee || Callee->isDeclaration();
}

using CallEdges = DenseMap<const Function *, SmallVector<const Function *, 4>>;
using Functions = SmallPtrSet<const Function *, 16>;

/// \p From, and all that \p Edges lead to from there.
static Functions follow(const Functions &From, CallEdges &Edges) {
  Functions Found;
  SmallVector<const Function *, 16> Work(From.begin(), From.end());
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (Found.insert(F).second)
      append_range(Work, Edges[F]);
  }
  return Found;
}

/// Functions that may come into one body with a product: whatever calls one
/// that has some, and all that those call.
static Functions functionsNearProducts(const Module &M) {
  CallEdges Callers, Callees;
  Functions WithProducts;
  for (const Function &F : M) {
    for (const Instruction &I : instructions(F))
      for (const Value *V : I.operand_values())
        if (const auto *Other = dyn_cast<Function>(V->stripPointerCasts())) {
          Callers[Other].push_back(&F);
          Callees[&F].push_back(Other);
        }
    if (any_of(instructions(F), mayBeProduct))
      WithProducts.insert(&F);
  }
  return follow(follow(WithProducts, Callers), Callees);
}

/// Of functions that are to be inlined once they are simplified.
static constexpr char CalledOnce[] = "sluice-called-once";
/// Of IR as it comes from the front end: more than any cipher's rounds.
static constexpr unsigned MostInstructions = 32768;

/// Is there one call of \p F, of a size that may be inlined?
static bool hasOneCall(const Function &F) {
  const auto *Call =
      F.hasOneUse() ? dyn_cast<CallInst>(F.user_back()) : nullptr;
  return Call && Call->isCallee(&*F.use_begin()) && Call->getFunction() != &F &&
         !Call->isNoInline() && F.getInstructionCount() <= MostInstructions;
}

static bool isKept(const KernelPlan &Plan) {
  return Plan.FewerInstructions == false;
}

PreservedAnalyses LastCallsPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  auto Attached =
      attachedPlanOrWarning(M, "functions that are called once stay functions");
  if (!Attached || !Attached->Opts.FewerInstructions)
    return PreservedAnalyses::all();
  const Functions Near = functionsNearProducts(M);
  bool IsChanged = false;
  for (Function &F : M) {
    if (F.isDeclaration() || F.isInterposable() || isKernel(F) ||
        F.hasOptNone() || F.hasFnAttribute(Attribute::NoInline) ||
        !hasOneCall(F) || isKeptFrom(F, *Attached, isKept) || Near.contains(&F))
      continue;
    F.addFnAttr(CalledOnce);
    IsChanged = true;
  }
  return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses InlineLastCallsPass::run(LazyCallGraph::SCC &C,
                                           CGSCCAnalysisManager &,
                                           LazyCallGraph &,
                                           CGSCCUpdateResult &) {
  for (LazyCallGraph::Node &N : C) {
    Function &F = N.getFunction();
    // It may have been copied meanwhile.
    if (!F.hasFnAttribute(CalledOnce) || !hasOneCall(F))
      continue;
    F.removeFnAttr(CalledOnce);
    F.addFnAttr(Attribute::AlwaysInline);
  }
  return PreservedAnalyses::all(); // no code is changed here
}
