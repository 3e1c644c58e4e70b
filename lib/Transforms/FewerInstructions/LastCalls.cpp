// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM inlines a large function at its last call. Of one that is not `static`
// it does not know which is the last: other files could call it. And assembly
// counts as much as a call: a hash of 2,400 instructions, a quarter of which are
// funnel shifts, has a cost of 40,000. So of a function that has one call,
//
//   define void @_Z6sha256Pj(ptr %hash)    becomes
//   define void @_Z6sha256Pj(ptr %hash) alwaysinline
//
// Inlined, products and sums come into one block that were in two, and would be
// fused anew. So it is done where no function that could be joined with it, by
// whatever calls, has a product: hashes, ciphers, searches. Functions with
// products: InlinedCalls.cpp.

#include "sluice/Transforms/LastCalls.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
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

/// Functions that call each other, whichever way.
static EquivalenceClasses<const Function *> joinCallers(const Module &M) {
  EquivalenceClasses<const Function *> Joined;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    Joined.insert(&F);
    for (const Instruction &I : instructions(F))
      for (const Value *V : I.operand_values())
        if (const auto *Other = dyn_cast<Function>(V->stripPointerCasts());
            Other && !Other->isDeclaration())
          Joined.unionSets(&F, Other);
  }
  return Joined;
}

/// Of IR as it comes from the front end: more than any cipher's rounds.
static constexpr unsigned MostInstructions = 32768;

/// Is there one call of \p F, of a size that may be inlined?
static bool hasOneCall(const Function &F) {
  const auto *Call =
      F.hasOneUse() ? dyn_cast<CallInst>(F.user_back()) : nullptr;
  return Call && Call->isCallee(&*F.use_begin()) &&
         Call->getFunction() != &F && !Call->isNoInline() &&
         F.getInstructionCount() <= MostInstructions;
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
  const auto Joined = joinCallers(M);
  SmallPtrSet<const Function *, 8> WithProducts;
  for (const Function &F : M)
    if (!F.isDeclaration() && any_of(instructions(F), mayBeProduct))
      WithProducts.insert(Joined.getLeaderValue(&F));
  bool IsChanged = false;
  for (Function &F : M) {
    if (F.isDeclaration() || isKernel(F) || F.hasOptNone() ||
        F.hasFnAttribute(Attribute::NoInline) || !hasOneCall(F) ||
        isKeptFrom(F, *Attached, isKept) ||
        WithProducts.contains(Joined.getLeaderValue(&F)))
      continue;
    F.addFnAttr(Attribute::AlwaysInline);
    IsChanged = true;
  }
  return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
