// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that a condition is around, and that are computed behind it again:
//
//   if (c)                          p = &tile[y][x];
//     tile[y][x] = a[i];      =>    if (c)
//   __syncthreads();                  *p = a[i];
//   ... tile[y][x] ...              __syncthreads();
//                                   ... *p ...
//
// They are computed once, and what stays behind the condition is so little that
// the assembler predicates it: there is no branch, and no place where lanes
// meet again. LLVM has no pass for that in its pipeline (GVNHoist is off).
//
// It is done outside of loops, where nobody else moves addresses, and where the
// second place is near, so that registers are not held for long.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <optional>
#include <utility>

using namespace llvm;
using namespace sluice;

/// What the assembler predicates: accesses, and what stays beside them.
static constexpr unsigned MostAccesses = 4, MostLeft = 8;

/// What is computed once.
static constexpr unsigned MostMoved = 8;

namespace {

/// A block with accesses that one condition or two, the first at the end of
/// `From`, go around, to `Next`.
struct GuardedAccesses {
  BasicBlock *From, *Arm, *Next;
};

/// Finds what is computed again.
class EqualAddresses {
public:
  EqualAddresses(const GuardedAccesses &G, const DominatorTree &DT,
                 ChangeTest MayChange)
      : G(G), DT(DT), MayChange(MayChange) {}
  bool find();
  void computeOnce(bool IsWrong);
  const DebugLoc &place() const { return Moved.front()->getDebugLoc(); }
  unsigned count() const { return Moved.size(); }

private:
  bool isBefore(const Value &Operand) const;
  bool isNear(const Instruction &I) const;
  bool isEqual(const Instruction &I, const Instruction &Twin) const;
  void addTwins(Instruction &I);

  const GuardedAccesses G;
  const DominatorTree &DT;
  const ChangeTest MayChange;
  SmallVector<Instruction *, MostMoved> Moved; ///< In order.
  /// Of what is near behind the condition: which of those it is.
  SmallMapVector<Instruction *, Instruction *, 16> Twins;
};

} // namespace

static bool isPartOfAddress(const Instruction &I) {
  return (isa<GetElementPtrInst, CastInst>(I) ||
          (isa<BinaryOperator>(I) && I.getType()->isIntegerTy())) &&
         (I.getType()->isIntegerTy() || I.getType()->isPointerTy()) &&
         !I.getOperand(0)->getType()->isFPOrFPVectorTy() &&
         isSafeToSpeculativelyExecute(&I);
}

static bool mayGoTo(const BasicBlock &From, const BasicBlock &To) {
  return is_contained(successors(&From), &To);
}

static std::optional<GuardedAccesses> accessesIn(BasicBlock &Arm) {
  BasicBlock *Last = Arm.getSinglePredecessor(),
             *Next = Arm.getSingleSuccessor();
  if (!Last || !Next || !mayGoTo(*Last, *Next))
    return std::nullopt;
  BasicBlock *First = Last->getSinglePredecessor();
  const bool AreTwo = First && mayGoTo(*First, *Next);
  const GuardedAccesses G{AreTwo ? First : Last, &Arm, Next};
  return isa<BranchInst>(G.From->getTerminator()) ? std::optional(G)
                                                  : std::nullopt;
}

/// Is there nothing but accesses and their addresses?
static bool onlyAccesses(const BasicBlock &Arm) {
  unsigned Accesses = 0;
  for (const Instruction &I : Arm) {
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    const auto *Load = dyn_cast<LoadInst>(&I);
    const auto *Store = dyn_cast<StoreInst>(&I);
    if ((Load && Load->isSimple()) || (Store && Store->isSimple()))
      ++Accesses;
    else if (!isPartOfAddress(I))
      return false;
  }
  return Accesses > 0 && Accesses <= MostAccesses;
}

/// Is \p Operand known at the condition, or moved there?
bool EqualAddresses::isBefore(const Value &Operand) const {
  const auto *I = dyn_cast<Instruction>(&Operand);
  return !I || is_contained(Moved, I) ||
         DT.dominates(I, G.From->getTerminator());
}

bool EqualAddresses::isNear(const Instruction &I) const {
  const BasicBlock *At = I.getParent();
  return DT.properlyDominates(G.From, At) &&
         (At == G.Next || At->getSinglePredecessor() == G.Next);
}

bool EqualAddresses::isEqual(const Instruction &I,
                             const Instruction &Twin) const {
  return Twin.isSameOperationAs(&I) &&
         equal(I.operands(), Twin.operands(), [&](Value *A, Value *B) {
           const auto *Of = Twins.find(dyn_cast<Instruction>(B));
           return A == B || (Of != Twins.end() && Of->second == A);
         });
}

/// What computes the same as \p I.
void EqualAddresses::addTwins(Instruction &I) {
  const auto *Known = find_if(
      I.operands(), [](const Use &U) { return isa<Instruction, Argument>(U); });
  if (Known == I.op_end())
    return;
  SmallVector<Value *, 4> Same = {*Known};
  for (auto [Twin, Of] : Twins)
    if (Of == *Known)
      Same.push_back(Twin);
  bool IsNew = true;
  for (Value *Operand : Same)
    for (User *U : Operand->users()) {
      auto *Twin = dyn_cast<Instruction>(U);
      if (!Twin || !isNear(*Twin) || Twins.contains(Twin) ||
          !isEqual(I, *Twin) || !MayChange(*Twin))
        continue;
      Twins[Twin] = &I;
      if (std::exchange(IsNew, false))
        Moved.push_back(&I);
    }
}

/// Is so much computed again that the assembler predicates what is left?
bool EqualAddresses::find() {
  size_t Size = 0;
  for (Instruction &I : *G.Arm) {
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    ++Size;
    if (isPartOfAddress(I) && all_of(I.operands(), [&](const Use &Operand) {
          return isBefore(*Operand);
        }))
      addTwins(I);
  }
  return Size > MostLeft && Size - Moved.size() <= MostLeft &&
         Moved.size() <= MostMoved;
}

void EqualAddresses::computeOnce(bool IsWrong) {
  for (Instruction *I : Moved)
    I->moveBefore(G.From->getTerminator()->getIterator());
  for (auto [Twin, Of] : reverse(Twins)) {
    Of->andIRFlags(Twin);
    Value *New = Of;
    if (IsWrong && Twin->getType()->isPointerTy())
      New = IRBuilder<>(Twin).CreatePtrAdd(
          Of, ConstantInt::get(Type::getInt64Ty(Of->getContext()), 4));
    Twin->replaceAllUsesWith(New);
    Twin->eraseFromParent();
  }
}

Rewritten sluice::computeAddressesOnce(Function &F, ChangeTest MayChange,
                                       FunctionAnalysisManager &FAM,
                                       bool IsWrong) {
  Rewritten Done;
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  for (BasicBlock &Block : F) {
    const auto G = accessesIn(Block);
    if (!G || LI.getLoopFor(G->From) || !onlyAccesses(Block) ||
        !MayChange(*G->From->getTerminator()))
      continue;
    EqualAddresses Equal(*G, DT, MayChange);
    if (!Equal.find())
      continue;
    if (!Done.Count)
      Done.At = Equal.place();
    Done.Count += Equal.count();
    Equal.computeOnce(IsWrong);
  }
  return Done;
}
