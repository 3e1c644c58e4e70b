// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least element's place is found so:
//
//   int best = 0;                            float least = d[0];
//   for (int j = 1; j < n; ++j)              for (int j = 1; j < n; ++j)
//     if (d[j] < d[best])                      if (float x = d[j]; x < least)
//       best = j;                                best = j, least = x;
//
// On the left each iteration waits for the load of d[best], whose address it
// knows only then. The value was read when its place was chosen; here it is
// chosen with it. Nothing in the loop writes memory, so it is the same value.

#include "sluice/Transforms/CarriedValues.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

/// Choices between a chosen place and what was chosen before.
static constexpr unsigned MostChoices = 8;

namespace {

/// A loop's load at a place that it has chosen itself.
class ChosenLoad {
public:
  ChosenLoad(LoadInst &Load, PHINode &Place, Loop &L,
             FunctionAnalysisManager &FAM)
      : Load(Load), Place(Place), L(L),
        LI(FAM.getResult<LoopAnalysis>(*Load.getFunction())),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(*Load.getFunction())),
        DT(FAM.getResult<DominatorTreeAnalysis>(*Load.getFunction())) {}

  /// Is what is read next read already where it is chosen?
  bool isCarried() const {
    unsigned Choices = 0;
    return SCEVExpander(SE, "sluice")
               .isSafeToExpandAt(firstAddress(),
                                 L.getLoopPredecessor()->getTerminator()) &&
           isCarried(next(), *L.getLoopLatch()->getTerminator(), Choices) &&
           Choices != 0;
  }
  /// Puts a value of the iteration before in the load's place.
  void carry(bool IsWrong);

private:
  Value *next() const {
    return Place.getIncomingValueForBlock(L.getLoopLatch());
  }
  const SCEV *firstAddress() const {
    return addressAt(Place.getIncomingValueForBlock(L.getLoopPredecessor()));
  }
  /// The address of the load if \p Chosen were its place.
  const SCEV *addressAt(Value *Chosen) const;
  /// A load of the same element that stands before \p At in each iteration.
  LoadInst *readBefore(Value *Chosen, const Instruction &At) const;
  bool isCarried(Value *Chosen, const Instruction &At, unsigned &Choices) const;
  Value *valueOf(Value *Chosen, const Instruction &At, PHINode &Carried,
                 bool IsWrong) const;

  LoadInst &Load;
  PHINode &Place;
  Loop &L;
  LoopInfo &LI;
  ScalarEvolution &SE;
  DominatorTree &DT;
};

} // namespace

const SCEV *ChosenLoad::addressAt(Value *Chosen) const {
  ValueToSCEVMapTy Map;
  Map[&Place] = SE.getSCEV(Chosen);
  return SCEVParameterRewriter::rewrite(SE.getSCEV(Load.getPointerOperand()),
                                        SE, Map);
}

LoadInst *ChosenLoad::readBefore(Value *Chosen, const Instruction &At) const {
  const SCEV *Address = addressAt(Chosen);
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      auto *Other = dyn_cast<LoadInst>(&I);
      if (Other && Other != &Load && Other->isSimple() &&
          Other->getType() == Load.getType() && DT.dominates(Other, &At) &&
          SE.getSCEV(Other->getPointerOperand()) == Address)
        return Other;
    }
  return nullptr;
}

bool ChosenLoad::isCarried(Value *Chosen, const Instruction &At,
                           unsigned &Choices) const {
  if (Chosen == &Place)
    return true;
  if (readBefore(Chosen, At))
    return true;
  if (++Choices > MostChoices)
    return false;
  if (auto *Select = dyn_cast<SelectInst>(Chosen))
    return L.contains(Select) &&
           isCarried(Select->getTrueValue(), *Select, Choices) &&
           isCarried(Select->getFalseValue(), *Select, Choices);
  auto *Phi = dyn_cast<PHINode>(Chosen);
  return Phi && L.contains(Phi) && Phi->getParent() != L.getHeader() &&
         all_of(zip_equal(Phi->incoming_values(), Phi->blocks()),
                [&](const auto &Way) {
                  return isCarried(std::get<0>(Way),
                                   *std::get<1>(Way)->getTerminator(), Choices);
                });
}

Value *ChosenLoad::valueOf(Value *Chosen, const Instruction &At,
                           PHINode &Carried, bool IsWrong) const {
  if (Chosen == &Place)
    return &Carried;
  if (LoadInst *Read = readBefore(Chosen, At))
    return Read;
  if (auto *Select = dyn_cast<SelectInst>(Chosen)) {
    Value *True = valueOf(Select->getTrueValue(), *Select, Carried, IsWrong),
          *False = valueOf(Select->getFalseValue(), *Select, Carried, IsWrong);
    if (IsWrong)
      std::swap(True, False);
    IRBuilder<> B(Select->getNextNode());
    return B.CreateSelect(Select->getCondition(), True, False);
  }
  auto *Phi = cast<PHINode>(Chosen);
  PHINode *Value = PHINode::Create(Load.getType(), Phi->getNumIncomingValues(),
                                   "", Phi->getIterator());
  for (auto [Incoming, From] : zip_equal(Phi->incoming_values(), Phi->blocks()))
    Value->addIncoming(
        valueOf(Incoming, *From->getTerminator(), Carried, IsWrong), From);
  return Value;
}

void ChosenLoad::carry(bool IsWrong) {
  BasicBlock *Preheader = L.getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(&L, &DT, &LI, /*MSSAU=*/nullptr,
                                       /*PreserveLCSSA=*/false);
  Value *Address =
      SCEVExpander(SE, "sluice")
          .expandCodeFor(firstAddress(), Load.getPointerOperand()->getType(),
                         Preheader->getTerminator());
  IRBuilder<> B(Preheader->getTerminator());
  B.SetCurrentDebugLocation(Load.getDebugLoc());
  LoadInst *Before =
      B.CreateAlignedLoad(Load.getType(), Address, Load.getAlign());
  Before->copyMetadata(Load, {LLVMContext::MD_tbaa, LLVMContext::MD_noalias,
                              LLVMContext::MD_alias_scope});
  PHINode *Carried =
      PHINode::Create(Load.getType(), 2, "sluice.carried", Place.getIterator());
  Carried->addIncoming(Before, Preheader);
  Carried->addIncoming(
      valueOf(next(), *L.getLoopLatch()->getTerminator(), *Carried, IsWrong),
      L.getLoopLatch());
  Load.replaceAllUsesWith(Carried);
  Load.eraseFromParent();
}

/// The place that \p Load's address is computed of, and nothing else that
/// changes in the loop.
static PHINode *placeOf(LoadInst &Load, const Loop &L, ScalarEvolution &SE) {
  PHINode *Place = nullptr;
  const bool HasOther = SCEVExprContains(
      SE.getSCEV(Load.getPointerOperand()), [&](const SCEV *Part) {
        if (const auto *Moving = dyn_cast<SCEVAddRecExpr>(Part))
          return Moving->getLoop() == &L;
        const auto *Unknown = dyn_cast<SCEVUnknown>(Part);
        if (!Unknown || L.isLoopInvariant(Unknown->getValue()))
          return false;
        auto *Phi = dyn_cast<PHINode>(Unknown->getValue());
        if (!Phi || Phi->getParent() != L.getHeader() ||
            (Place && Place != Phi))
          return true;
        Place = Phi;
        return false;
      });
  return HasOther ? nullptr : Place;
}

/// The loads that each iteration begins with, whatever happens.
static SmallVector<LoadInst *, 4> firstLoads(const Loop &L) {
  SmallVector<LoadInst *, 4> Loads;
  for (Instruction &I : *L.getHeader()) {
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
      Loads.push_back(Load);
    if (!isGuaranteedToTransferExecutionToSuccessor(&I))
      break;
  }
  return Loads;
}

static bool carryValues(Loop &L, Function &F, const AttachedPlan &Attached,
                        FunctionAnalysisManager &FAM) {
  if (!L.getLoopPredecessor() || !L.getLoopLatch() || writesMemory(L))
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool IsChanged = false;
  for (LoadInst *Load : firstLoads(L)) {
    PHINode *Place = placeOf(*Load, L, SE);
    if (!Place || isSwitchedOff(*Load, Attached))
      continue;
    ChosenLoad Chosen(*Load, *Place, L, FAM);
    if (!Chosen.isCarried())
      continue;
    OptimizationRemarkEmitter Remarks(&F);
    emitPlaced(Remarks, Load->getDebugLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Carried", At, L.getHeader())
             << "the element that the loop has chosen is kept with its index";
    });
    Chosen.carry(Attached.Opts.Wrong == WrongRewrite::SwappedChoice);
    SE.forgetLoop(&L);
    IsChanged = true;
  }
  return IsChanged;
}

PreservedAnalyses CarriedValuesPass::run(Module &M,
                                         ModuleAnalysisManager &MAM) {
  return rewriteEarly(
      M, MAM, "chosen elements are read again",
      [](Function &F, const AttachedPlan &Attached,
         FunctionAnalysisManager &FAM) {
        bool IsChanged = false;
        for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
          IsChanged |= carryValues(*L, F, Attached, FAM);
        return IsChanged;
      });
}
