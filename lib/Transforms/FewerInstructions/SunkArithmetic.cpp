// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM moves what is computed down to the block that uses it (InstCombine), and
// so keeps what it is computed from in registers until then: of the sine and
// cosine of an angle twelve coefficients, where two results would do. Here it
// goes back, where that takes fewer registers:
//
//   a:  c = load ...            a:  c = load ...
//       br d, e                     p = polynomial of c
//   d:  ...                         br d, e
//   e:  p = polynomial of c    =>   d:  ...
//       use p                   e:  use p
//
// What is moved is as it was, and runs as often. A product stays in the block
// of its sum, or out of it: they would be rounded once there (LoopRounding.h).

#include "../ValueRegisters.h"
#include "FewerInstructions.h"
#include "MovedRounding.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

/// Registers that a group must gain, and all groups of a block: half of what a
/// thread can have. What is moved waits for its operands earlier, and where the
/// kernel has the registers that costs more: HeCBench's grrt lost 5 % by 10 to
/// 54 registers, and its fft gained 1.4 times by 170.
static constexpr int LeastGain = 8, LeastOfBlock = 128;

namespace {

using Group = SmallVector<Instruction *, 16>;
using InstructionSet = SmallPtrSet<const Instruction *, 16>;

/// What is known of a function.
struct Order {
  explicit Order(Function &F) : DT(F), PDT(F), LI(DT) {}
  /// Does \p Later run exactly as often as \p Earlier, behind it?
  bool areOne(const BasicBlock *Earlier, const BasicBlock *Later) const {
    return LI.getLoopFor(Earlier) == LI.getLoopFor(Later) &&
           PDT.dominates(Later, Earlier);
  }
  DominatorTree DT;
  PostDominatorTree PDT;
  LoopInfo LI;
};

/// A block that arithmetic was moved down to.
class SunkBlock {
public:
  SunkBlock(BasicBlock &BB, const Order &In, ChangeTest MayChange, bool IsWrong)
      : BB(BB), In(In), MayChange(MayChange), IsWrong(IsWrong) {}
  /// Each group that gains \p Least; returns what they gain.
  int moveBack(int Least);
  void undo();
  Rewritten done() const;

private:
  bool mayMove(const Instruction &I) const;
  BasicBlock *placeOf(const Instruction &I) const;
  SmallVector<std::pair<BasicBlock *, Group>, 0> byPlace();
  bool diesBefore(const Instruction &Leaf, const InstructionSet &Moved) const;
  MapVector<Instruction *, Group> groupsOf(ArrayRef<Instruction *> All) const;
  int gain(const Group &Moved) const;

  BasicBlock &BB;
  const Order &In;
  ChangeTest MayChange;
  const bool IsWrong;
  MapVector<Instruction *, BasicBlock *> Places;
  /// What was moved, and what it stood before.
  std::vector<std::pair<Instruction *, Instruction *>> Moves;
};

} // namespace

static Instruction *instruction(Value *V) { return dyn_cast<Instruction>(V); }

bool SunkBlock::mayMove(const Instruction &I) const {
  if (isa<PHINode>(I) || I.isTerminator() || I.getType()->isVoidTy() ||
      I.isDebugOrPseudoInst() || !MayChange(I))
    return false;
  if (IsWrong && isa<LoadInst>(I))
    return true;
  // What fast-math flags let LLVM do depends on what is near.
  if (mayBeApproximate(I))
    return false;
  return !I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I);
}

/// The block in front of this one where the last of its operands is; null: it
/// is to stay.
BasicBlock *SunkBlock::placeOf(const Instruction &I) const {
  if (!mayMove(I))
    return nullptr;
  BasicBlock *Last = nullptr;
  for (Value *Operand : I.operands()) {
    Instruction *From = instruction(Operand);
    if (!From)
      continue;
    BasicBlock *At =
        From->getParent() == &BB ? Places.lookup(From) : From->getParent();
    if (!At)
      return nullptr;
    if (!Last || In.DT.properlyDominates(Last, At))
      Last = At;
  }
  return Last && Last != &BB && In.areOne(Last, &BB) ? Last : nullptr;
}

/// From the first block to the last, each with what would go there.
SmallVector<std::pair<BasicBlock *, Group>, 0> SunkBlock::byPlace() {
  Places.clear();
  MapVector<BasicBlock *, Group> Found;
  for (Instruction &I : BB)
    if (BasicBlock *Place = placeOf(I)) {
      Places[&I] = Place;
      Found[Place].push_back(&I);
    }
  auto All = Found.takeVector();
  sort(All, [&](const auto &A, const auto &B) {
    return In.DT.properlyDominates(A.first, B.first);
  });
  return All;
}

/// Is \p Leaf held until the block for \p Moved alone?
bool SunkBlock::diesBefore(const Instruction &Leaf,
                           const InstructionSet &Moved) const {
  return In.LI.getLoopFor(Leaf.getParent()) == In.LI.getLoopFor(&BB) &&
         all_of(Leaf.users(), [&](const User *U) {
           const auto *I = cast<Instruction>(U);
           return Moved.contains(I) ||
                  (!isa<PHINode>(I) &&
                   In.DT.properlyDominates(I->getParent(), &BB));
         });
}

/// What of \p All, which would go to one block, hangs together: by what is
/// computed from what, or from the same that nobody else needs. By one of each.
MapVector<Instruction *, Group>
SunkBlock::groupsOf(ArrayRef<Instruction *> All) const {
  const InstructionSet Moved(All.begin(), All.end());
  DenseMap<const Instruction *, bool> Dies; // one may have many users
  auto Joins = [&](const Instruction &From) {
    const auto [Known, IsNew] = Dies.try_emplace(&From);
    if (IsNew)
      Known->second = Moved.contains(&From) || diesBefore(From, Moved);
    return Known->second;
  };
  EquivalenceClasses<Instruction *> Classes;
  for (Instruction *I : All) {
    Classes.insert(I);
    for (Value *Operand : I->operands())
      if (Instruction *From = instruction(Operand); From && Joins(*From))
        Classes.unionSets(From, I);
  }
  MapVector<Instruction *, Group> Groups;
  for (Instruction *I : All)
    Groups[Classes.getLeaderValue(I)].push_back(I);
  return Groups;
}

/// Registers that are held less in front of the block if \p Moved goes back.
int SunkBlock::gain(const Group &Moved) const {
  const InstructionSet Members(Moved.begin(), Moved.end());
  InstructionSet Leaves;
  const DataLayout &DL = BB.getDataLayout();
  int Made = 0, Gone = 0;
  for (Instruction *I : Moved) {
    if (any_of(I->users(), [&](const User *U) {
          return !Members.contains(cast<Instruction>(U));
        }))
      Made += int(registersOf(*I, DL));
    for (Value *Operand : I->operands())
      if (Instruction *Leaf = instruction(Operand);
          Leaf && !Members.contains(Leaf) && Leaves.insert(Leaf).second &&
          !Leaf->getType()->isIntegerTy(1) && diesBefore(*Leaf, Members))
        Gone += int(registersOf(*Leaf, DL));
  }
  return Gone - Made;
}

/// Could \p Product be fused with what \p User makes of it? Products, and what
/// is one operation already, take it as it is.
static bool mayFuse(const Instruction &Product, const User &User) {
  const auto &I = cast<Instruction>(User);
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (I.getOpcode() == Instruction::FMul ||
      I.getOpcode() == Instruction::FDiv || isa<FCmpInst, StoreInst>(I) ||
      (Call && (Call->getIntrinsicID() == Intrinsic::fma ||
                Call->getCalledFunction()->isTargetIntrinsic())))
    return false;
  return (Product.getType()->isFPOrFPVectorTy() || isa<BitCastInst>(Product)) &&
         mayBeProduct(&Product);
}

bool sluice::keepsRounding(ArrayRef<Instruction *> Moved) {
  const InstructionSet Members(Moved.begin(), Moved.end());
  return none_of(Moved, [&](const Instruction *I) {
    return any_of(I->users(),
                  [&](const User *U) {
                    return !Members.contains(cast<Instruction>(U)) &&
                           mayFuse(*I, *U);
                  }) ||
           any_of(I->operands(), [&](const Use &Operand) {
             const auto *From = dyn_cast<Instruction>(Operand);
             return From && !Members.contains(From) && mayFuse(*From, *I);
           });
  });
}

int SunkBlock::moveBack(int Least) {
  int Gain = 0;
  for (auto &[Place, All] : byPlace()) {
    // What stays keeps what is computed from it.
    InstructionSet Movable;
    erase_if(All, [&](Instruction *I) {
      const bool Waits = any_of(I->operands(), [&](Value *Operand) {
        const Instruction *From = instruction(Operand);
        return From && From->getParent() == &BB && !Movable.contains(From);
      });
      if (!Waits)
        Movable.insert(I);
      return Waits;
    });
    for (const auto &[First, Moved] : groupsOf(All)) {
      const int OfGroup = gain(Moved);
      if (OfGroup < Least || !keepsRounding(Moved))
        continue;
      Gain += OfGroup;
      for (Instruction *I : Moved) {
        Moves.emplace_back(I, I->getNextNode());
        I->moveBefore(Place->getTerminator()->getIterator());
      }
    }
  }
  return Gain;
}

void SunkBlock::undo() {
  for (auto [I, Next] : reverse(Moves))
    I->moveBefore(Next->getIterator());
  Moves.clear();
}

Rewritten SunkBlock::done() const {
  if (Moves.empty())
    return {};
  return {unsigned(Moves.size()), Moves.front().first->getDebugLoc()};
}

Rewritten sluice::computeEarly(Function &F, ChangeTest MayChange,
                               bool IsWrong) {
  Rewritten Done;
  if (F.size() < 2)
    return Done;
  const Order In(F);
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    SunkBlock Block(*BB, In, MayChange, IsWrong);
    const int Gain = Block.moveBack(IsWrong ? 0 : LeastGain);
    if (Gain >= (IsWrong ? 0 : LeastOfBlock))
      Block.moveBack(/*Least=*/0); // what makes way for other groups
    else
      Block.undo();
    const Rewritten Here = Block.done();
    if (!Done.Count)
      Done.At = Here.At;
    Done.Count += Here.Count;
  }
  return Done;
}
