// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop loads first in each iteration, and the code behind it again, is
// loaded before the branch that chooses between the two:
//
//   if (n > 0)                        node = current[block]
//     do {                            if (n > 0)
//       node = current[block]           do {
//       key = keys[node]                  key = keys[node]
//       ...                     =>        ...
//       __syncthreads();                  __syncthreads();
//     } while (++i < n);                  node = current[block]
//   node = current[block]               } while (++i < n);
//   key = keys[node]                  key = keys[node]
//
// The first answer of memory is under way while the loop is prepared: its
// bounds and addresses are computed, which takes as long as a load of the L1.
// nvcc begins with these loads too. All ways make the same loads as before, and
// nothing is written between their old and their new place.

#include "../LoadOrder.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace sluice;

/// They are in registers where the loop begins anew.
static constexpr size_t MostLoads = 4;
/// How deep an address is looked into.
static constexpr unsigned MostDepth = 6;

namespace {

/// A loop behind a test, and the code that follows both.
struct TestedLoop {
  BasicBlock *Test;   ///< Goes to Before, or past the loop.
  BasicBlock *Before; ///< The loop's preheader.
  BasicBlock *Header;
  BasicBlock *Latch;
  BasicBlock *Skip;   ///< The way past the loop: Test, or a block behind it.
  BasicBlock *Behind; ///< Where both ways meet.
};

/// The same load at the begin of the loop and behind it.
struct SameLoad {
  LoadInst *InLoop, *Behind;
};

class NextLoads {
public:
  NextLoads(const TestedLoop &L, const DominatorTree &DT, ChangeTest MayChange)
      : L(L), DT(DT), MayChange(MayChange) {}
  void find();
  /// Returns how many loads have moved.
  unsigned move(bool IsWrong);
  DebugLoc place() const {
    return Loads.empty() ? DebugLoc() : Loads.front().InLoop->getDebugLoc();
  }

private:
  bool canBeKnown(const Value *V, unsigned Depth = 0) const;
  void makeKnown(Value *V, unsigned Depth = 0) const;
  LoadInst *sameBehind(const LoadInst &Load) const;
  bool isWaitedFor() const;
  LoadInst *copyAt(const SameLoad &Of, Instruction &Place) const;

  const TestedLoop &L;
  const DominatorTree &DT;
  const ChangeTest MayChange;
  SmallVector<SameLoad, MostLoads> Loads;
};

} // namespace

/// May no load move past \p I?
static bool keepsLoads(const Instruction &I) {
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  const auto *Call = dyn_cast<CallBase>(&I);
  if ((Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) ||
      (Call && isPureAssembly(*Call)))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  return I.mayReadOrWriteMemory() || I.mayHaveSideEffects() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

/// All but the branch at its end.
static bool letsLoadsPass(const BasicBlock &BB) {
  return none_of(BB, [](const Instruction &I) {
    return !I.isTerminator() && keepsLoads(I);
  });
}

/// The same number wherever both are known?
static bool areSame(const Value *A, const Value *B, unsigned Depth = 0) {
  if (A == B)
    return true;
  const auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  return I && J && Depth < MostDepth && !isa<PHINode>(I) &&
         !I->mayReadOrWriteMemory() && !isa<CallBase>(I) &&
         I->isSameOperationAs(J) && I->getType() == J->getType() &&
         all_of(
             zip(I->operands(), J->operands()),
             [&](const auto &Pair) {
               return areSame(std::get<0>(Pair), std::get<1>(Pair), Depth + 1);
             });
}

static std::optional<TestedLoop> testedLoop(const Loop &Of) {
  TestedLoop L{};
  L.Before = Of.getLoopPreheader();
  L.Header = Of.getHeader();
  L.Latch = Of.getLoopLatch();
  if (!L.Before || !L.Latch || !letsLoadsPass(*L.Before))
    return std::nullopt;
  L.Test = L.Before->getSinglePredecessor();
  const auto *Test =
      L.Test ? dyn_cast<BranchInst>(L.Test->getTerminator()) : nullptr;
  const auto *Again = dyn_cast<BranchInst>(L.Latch->getTerminator());
  if (!Test || !Test->isConditional() || !Again || !Again->isConditional() ||
      L.Latch == L.Header)
    return std::nullopt;
  auto Other = [](const BranchInst &Branch, const BasicBlock *One) {
    return Branch.getSuccessor(Branch.getSuccessor(0) == One ? 1 : 0);
  };
  L.Behind = Other(*Again, L.Header);
  L.Skip = Other(*Test, L.Before);
  if (Of.contains(L.Behind) || L.Skip == L.Before)
    return std::nullopt;
  if (L.Skip == L.Behind)
    L.Skip = L.Test;
  else if (L.Skip->getSinglePredecessor() != L.Test ||
           L.Skip->getSingleSuccessor() != L.Behind || !letsLoadsPass(*L.Skip))
    return std::nullopt;
  if (!L.Behind->hasNPredecessors(2) ||
      !is_contained(predecessors(L.Behind), L.Latch))
    return std::nullopt;
  return L;
}

/// Is \p V known at the test's end, or can it be?
bool NextLoads::canBeKnown(const Value *V, unsigned Depth) const {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || DT.dominates(I, L.Test->getTerminator()))
    return true;
  return Depth < MostDepth && I->getParent() == L.Before &&
         isa<GetElementPtrInst, CastInst, BinaryOperator>(I) &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(
             I->operands(),
             [&](const Value *Operand) {
               return canBeKnown(Operand, Depth + 1);
             });
}

/// With no promises that hold on the loop's way only.
void NextLoads::makeKnown(Value *V, unsigned Depth) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > MostDepth || isa<PHINode>(I) || isa<CallBase>(I) ||
      I->mayReadOrWriteMemory())
    return;
  for (Value *Operand : I->operands())
    makeKnown(Operand, Depth + 1);
  I->dropPoisonGeneratingAnnotations();
  if (I->getParent() == L.Before)
    I->moveBefore(L.Test->getTerminator()->getIterator());
}

using Marks = SmallVector<std::pair<unsigned, MDNode *>, 4>;

/// What is said of a load but for what LLVM joins by itself.
static Marks marksOf(const LoadInst &Load) {
  Marks All;
  Load.getAllMetadataOtherThanDebugLoc(All);
  erase_if(All, [](const auto &Mark) {
    switch (Mark.first) {
    case LLVMContext::MD_tbaa:
    case LLVMContext::MD_alias_scope:
    case LLVMContext::MD_noalias:
    case LLVMContext::MD_noundef:
    case LLVMContext::MD_range:
      return true;
    default:
      return false;
    }
  });
  return All;
}

static bool areAlike(const LoadInst &A, const LoadInst &B) {
  return A.getType() == B.getType() && A.getAlign() == B.getAlign() &&
         marksOf(A) == marksOf(B);
}

LoadInst *NextLoads::sameBehind(const LoadInst &Load) const {
  for (Instruction &I : *L.Behind) {
    if (keepsLoads(I))
      return nullptr;
    if (auto *Same = dyn_cast<LoadInst>(&I);
        Same && areAlike(Load, *Same) &&
        areSame(Load.getPointerOperand(), Same->getPointerOperand()))
      return MayChange(*Same) ? Same : nullptr;
  }
  return nullptr;
}

/// Does the address of another load of the loop's first block hang on one?
bool NextLoads::isWaitedFor() const {
  SmallPtrSet<const Value *, 16> Known;
  for (const SameLoad &Same : Loads)
    Known.insert(Same.InLoop);
  for (const Instruction &I : *L.Header) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Known.contains(Load->getPointerOperand()))
      return true;
    if (!Load && !isa<PHINode>(I) &&
        any_of(I.operands(), [&](const Value *V) { return Known.contains(V); }))
      Known.insert(&I);
  }
  return false;
}

void NextLoads::find() {
  for (Instruction &I : *L.Header) {
    if (keepsLoads(I) || Loads.size() == MostLoads)
      break;
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !isFar(Load->getPointerOperand()) ||
        !canBeKnown(Load->getPointerOperand()) || !MayChange(*Load))
      continue;
    LoadInst *Same = sameBehind(*Load);
    if (Same && none_of(Loads, [&](const SameLoad &Other) {
          return Other.Behind == Same;
        }))
      Loads.push_back({Load, Same});
  }
  if (!isWaitedFor())
    Loads.clear();
}

LoadInst *NextLoads::copyAt(const SameLoad &Of, Instruction &Place) const {
  auto *Copy = cast<LoadInst>(Of.InLoop->clone());
  combineMetadataForCSE(Copy, Of.Behind, /*DoesKMove=*/true);
  for (const auto &[Kind, Mark] : marksOf(*Of.InLoop))
    Copy->setMetadata(Kind, Mark);
  Copy->insertBefore(Place.getIterator());
  return Copy;
}

/// Behind all of it that loads may not pass.
static Instruction &earliestAtEnd(BasicBlock &BB) {
  Instruction *Place = BB.getTerminator();
  while (Place != &*BB.getFirstNonPHIIt() && !keepsLoads(*Place->getPrevNode()))
    Place = Place->getPrevNode();
  return *Place;
}

unsigned NextLoads::move(bool IsWrong) {
  if (Loads.empty())
    return 0;
  Instruction &Next = earliestAtEnd(*L.Latch);
  for (const SameLoad &Same : Loads) {
    makeKnown(Same.InLoop->getPointerOperand());
    LoadInst *First = copyAt(Same, *L.Test->getTerminator());
    LoadInst *Then = copyAt(Same, Next);
    auto Choose = [&](LoadInst *Old, BasicBlock *At, BasicBlock *From) {
      PHINode *Value = PHINode::Create(Old->getType(), 2, "", At->begin());
      Value->setDebugLoc(Old->getDebugLoc());
      Value->addIncoming(First, From);
      Value->addIncoming(Then, L.Latch);
      Old->replaceAllUsesWith(Value);
      Old->eraseFromParent();
      return Value;
    };
    PHINode *InLoop = Choose(Same.InLoop, L.Header, L.Before);
    Choose(Same.Behind, L.Behind, L.Skip);
    if (IsWrong)
      InLoop->setIncomingValueForBlock(L.Latch, InLoop);
  }
  return unsigned(Loads.size());
}

Rewritten sluice::loadNextFirst(Function &F, ChangeTest MayChange,
                                FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (const Loop *Of : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    const auto L = testedLoop(*Of);
    if (!L)
      continue;
    NextLoads Found(*L, DT, MayChange);
    Found.find();
    const DebugLoc At = Found.place();
    const unsigned Count = Found.move(IsWrong);
    if (Count && !Done.Count)
      Done.At = At;
    Done.Count += Count;
  }
  return Done;
}
