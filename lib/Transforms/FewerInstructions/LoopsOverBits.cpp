// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over the bits of a word is unrolled whole:
//
//   for (int i = 0; i < 64; ++i)
//     if (from >> (64 - place[i]) & 1)
//       to |= 1ull << (63 - i);
//
// Each bit of `to` is a constant then; else it takes a shift of 64 bits by a
// variable, which is several instructions. LLVM stops at 300 instructions, nvcc
// goes on.
//
// Where blocks become one, products and sums may be fused anew. So a function
// that has any stays as it is.

#include "sluice/Transforms/LoopsOverBits.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

/// LLVM unrolls what has fewer by itself.
static constexpr unsigned FewestBits = 9, MostBits = 64;
/// Of all copies together, by LLVM's count.
static constexpr unsigned MostSize = 1536;

static bool hasProducts(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return I.getOpcode() == Instruction::FMul ||
           (isa<CallBase>(I) && I.getType()->isFPOrFPVectorTy());
  });
}

/// Arrays of a thread are the local arrays' pass's.
static bool isOfThread(const Instruction &I) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  return Pointer && isa<AllocaInst>(getUnderlyingObject(Pointer));
}

static bool isFunnelShift(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::fshl ||
                  Call->getIntrinsicID() == Intrinsic::fshr);
}

/// Does \p I shift by as many places as a loop counts?
static bool isByCounter(const Instruction &I, ScalarEvolution &SE) {
  return I.isShift() && SE.isSCEVable(I.getType()) &&
         isa<SCEVAddRecExpr>(SE.getSCEV(I.getOperand(1)));
}

/// Does \p I read a table of constants where the loop's counter says?
static bool isOfTable(const Instruction &I, ScalarEvolution &SE) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Table = Load ? dyn_cast<GlobalVariable>(
                                 getUnderlyingObject(Load->getPointerOperand()))
                           : nullptr;
  return Table && Table->isConstant() && Table->hasDefinitiveInitializer() &&
         Load->getType()->isIntegerTy() && Load->isSimple() &&
         isa<SCEVAddRecExpr>(
             SE.getSCEV(const_cast<Value *>(Load->getPointerOperand())));
}

/// Is what \p Load reads an index of an array, or by how much is shifted?
static bool isIndexOrShift(const Instruction &Load) {
  SmallVector<const Instruction *, 4> Work = {&Load};
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (isa<GetElementPtrInst>(I) || I->isShift() || isFunnelShift(*I))
        return true;
      if (isa<CastInst>(I) && I->getParent() == Load.getParent())
        Work.push_back(I);
    }
  return false;
}

/// The first shift for which \p L is to be unrolled whole, if it is.
static Instruction *shiftByCounter(Loop &L, ScalarEvolution &SE,
                                   const TargetTransformInfo &TTI) {
  const unsigned Trip = SE.getSmallConstantTripCount(&L);
  // What a bit decides by a branch, such as a load, is more than its shift.
  if (L.getNumBlocks() != 1 || Trip < FewestBits || Trip > MostBits ||
      !L.isSafeToClone() || hasConvergentCalls(L) ||
      hasUnrollTransformation(&L) != TM_Unspecified)
    return nullptr;
  InstructionCost Size = 0;
  Instruction *Found = nullptr;
  bool IsOfThread = false, IsOfTable = false;
  for (Instruction &I : *L.getHeader()) {
    IsOfThread |= isOfThread(I);
    IsOfTable |= isOfTable(I, SE) && isIndexOrShift(I);
    Size += TTI.getInstructionCost(&I, TargetTransformInfo::TCK_SizeAndLatency);
    if (!Found && (isByCounter(I, SE) || IsOfTable))
      Found = &I;
  }
  if (IsOfThread && !IsOfTable)
    return nullptr;
  return Size.isValid() && Size * Trip <= MostSize ? Found : nullptr;
}

static void report(Function &F, const Instruction &Shift, unsigned Copies) {
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Shift.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Bits", At, Shift.getParent())
           << "a loop of " << ore::NV("Iterations", Copies)
           << " iterations is unrolled whole: by how much it shifts is a "
              "constant then";
  });
}

/// Tells LLVM's unroller, as a pragma would.
static bool unrollLoopsOverBits(Function &F, const AttachedPlan &Attached,
                                FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (LI.empty() || hasProducts(F))
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  bool IsChanged = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    const Instruction *Shift = shiftByCounter(*L, SE, TTI);
    if (!Shift || isSwitchedOff(*Shift, Attached))
      continue;
    report(F, *Shift, SE.getSmallConstantTripCount(L));
    addStringMetadataToLoop(L, "llvm.loop.unroll.full", 1);
    IsChanged = true;
  }
  return IsChanged;
}

PreservedAnalyses LoopsOverBitsPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  return rewriteEarly(M, MAM, "no loops over bits are unrolled",
                      unrollLoopsOverBits);
}
