// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of either memory becomes a load of each:
//
//   v = isInside ? tile[i][j] : image[y * n + x];
//
// LLVM makes one load of both, of an address that the two sides choose. It is
// in no memory for certain then: the assembler makes a generic load (LD), and
// lanes of a warp that come from both sides meet before it. nvcc keeps a load
// of shared memory and one of global memory.

#include "FewerInstructions.h"
#include "sluice/Analysis/SharedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/PHITransAddr.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

/// Of more sides loads would be much code.
static constexpr unsigned MostSides = 4;

/// Are some of \p Places in shared memory for certain, and others not?
template <typename Range> static bool areApart(const Range &Places) {
  const auto IsShared = [](const Value *Place) {
    return sharedVariable(Place) != nullptr;
  };
  return any_of(Places, IsShared) && !all_of(Places, IsShared);
}

/// Could \p Load stand at its block's beginning, as far as memory is concerned?
static bool isFirst(const LoadInst &Load) {
  for (const Instruction &I : *Load.getParent()) {
    if (&I == &Load)
      return true;
    if (I.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&I))
      return false;
  }
  llvm_unreachable("it is in its block");
}

/// What \p Load's address is an offset from, past what nothing else uses.
static Value *baseOf(const LoadInst &Load) {
  Value *Place = const_cast<Value *>(Load.getPointerOperand());
  while (auto *Step = dyn_cast<GetElementPtrInst>(Place)) {
    if (!Step->hasOneUse() || Step->getParent() != Load.getParent())
      break;
    Place = Step->getPointerOperand();
  }
  return Place;
}

/// \p Load of \p Place, before \p At.
static Value *loadFrom(const LoadInst &Load, Value *Place, Instruction *At,
                       bool IsWrong) {
  IRBuilder<> B(At);
  if (IsWrong && sharedVariable(Place))
    Place = B.CreateConstGEP1_32(Load.getType(), Place, 1);
  Instruction *Copy = Load.clone();
  Copy->setOperand(LoadInst::getPointerOperandIndex(), Place);
  return B.Insert(Copy);
}

static void replace(LoadInst &Load, Value *Loaded) {
  Value *Place = Load.getPointerOperand();
  Load.replaceAllUsesWith(Loaded);
  Load.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Place);
}

/// Where two sides meet in the load's block: a load at the end of each.
static bool loadAtEnds(LoadInst &Load, FunctionAnalysisManager &FAM,
                       bool IsWrong) {
  Function &F = *Load.getFunction();
  const auto *Base = dyn_cast<PHINode>(baseOf(Load));
  BasicBlock *Meeting = Load.getParent();
  if (!Base || Base->getParent() != Meeting || !Base->hasOneUse() ||
      Base->getNumIncomingValues() > MostSides ||
      !areApart(Base->incoming_values()) || !isFirst(Load))
    return false;
  SmallPtrSet<BasicBlock *, 4> Ends;
  for (BasicBlock *End : Base->blocks())
    if (!Ends.insert(End).second || !isa<BranchInst>(End->getTerminator()))
      return false;
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  SmallVector<std::pair<BasicBlock *, Value *>, 4> Places;
  SmallVector<Instruction *, 16> New;
  for (BasicBlock *End : Ends) {
    PHITransAddr Place(Load.getPointerOperand(), F.getDataLayout(), &AC);
    Places.emplace_back(End,
                        Place.translateWithInsertion(Meeting, End, DT, New));
    if (Places.back().second)
      continue;
    for (Instruction *I : reverse(New))
      I->eraseFromParent();
    return false;
  }
  // No way is split before all addresses are known.
  for (auto &[End, Place] : Places)
    if (!End->getSingleSuccessor())
      End = SplitEdge(End, Meeting, &DT);
  PHINode *Loaded = IRBuilder<>(&Meeting->front())
                        .CreatePHI(Load.getType(), unsigned(Places.size()));
  for (auto [End, Place] : Places)
    Loaded->addIncoming(loadFrom(Load, Place, End->getTerminator(), IsWrong),
                        End);
  replace(Load, Loaded);
  return true;
}

/// Where a selection says which: a branch in its place.
static bool loadByBranch(LoadInst &Load, FunctionAnalysisManager &FAM,
                         bool IsWrong) {
  auto *Base = dyn_cast<SelectInst>(baseOf(Load));
  if (!Base || !Base->hasOneUse() ||
      !areApart(
          ArrayRef<Value *>({Base->getTrueValue(), Base->getFalseValue()})))
    return false;
  SmallVector<GetElementPtrInst *, 4> Steps;
  for (Value *Place = Load.getPointerOperand(); Place != Base;
       Place = Steps.back()->getPointerOperand())
    Steps.push_back(cast<GetElementPtrInst>(Place));
  DomTreeUpdater Updater(
      FAM.getResult<DominatorTreeAnalysis>(*Load.getFunction()),
      DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *IfTrue = nullptr, *IfFalse = nullptr;
  SplitBlockAndInsertIfThenElse(Base->getCondition(), Load.getIterator(),
                                &IfTrue, &IfFalse, /*BranchWeights=*/nullptr,
                                &Updater);
  PHINode *Loaded = IRBuilder<>(&Load).CreatePHI(Load.getType(), 2);
  for (Instruction *End : {IfTrue, IfFalse}) {
    Value *Place = End == IfTrue ? Base->getTrueValue() : Base->getFalseValue();
    for (const GetElementPtrInst *Step : reverse(Steps)) {
      Instruction *Copy = Step->clone();
      Copy->setOperand(GetElementPtrInst::getPointerOperandIndex(), Place);
      Copy->insertBefore(End->getIterator());
      Place = Copy;
    }
    Loaded->addIncoming(loadFrom(Load, Place, End, IsWrong), End->getParent());
  }
  replace(Load, Loaded);
  return true;
}

Rewritten sluice::loadBySides(Function &F, ChangeTest MayChange,
                              FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  SmallVector<LoadInst *, 16> Loads;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (auto *Load = dyn_cast<LoadInst>(&I);
          Load && Load->isSimple() && MayChange(I))
        Loads.push_back(Load);
  for (LoadInst *Load : Loads) {
    const DebugLoc At = Load->getDebugLoc();
    if (!loadAtEnds(*Load, FAM, IsWrong) && !loadByBranch(*Load, FAM, IsWrong))
      continue;
    if (!Done.Count++)
      Done.At = At;
  }
  return Done;
}
