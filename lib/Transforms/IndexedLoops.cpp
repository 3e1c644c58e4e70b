// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop keeps its index:
//
//   for (int j = 0; j < n; j++)  s += f(x[j], y[j]);
//
// LLVM's loop strength reduction, in code generation, makes a pointer of each
// array, which is moved on in every iteration. On a CPU that saves an addition
// for each access. On this GPU an address is one multiply-add of the index (two
// instructions of the assembler at most, and no register from one iteration to
// the next), and moving a pointer of 64 bits on takes two additions.
//
// It does so in innermost loops only. Where a pass has unrolled the loop within
// (WindowArrays.cpp), the one around it becomes innermost, and would be slower
// for it outside of what the pass wanted to change. There the index is copied
// by an instruction of the target, through which LLVM does not look and the
// assembler does. So it is where a loop is moved on by what is known when it
// runs only: pointers take a step for each size of elements besides.

#include "FewerInstructions.h"
#include "IndexMark.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static Intrinsic::ID copyOf(const Type *T) {
  return T->isIntegerTy(32)   ? Intrinsic::nvvm_move_i32
         : T->isIntegerTy(64) ? Intrinsic::nvvm_move_i64
                              : Intrinsic::not_intrinsic;
}

/// Gives what is done with \p Index in \p L a copy of it, but for \p Next and
/// comparisons. False: there is nothing else.
static bool copyIndex(Instruction &Index, const Value *Next, const Loop &L) {
  SmallVector<Use *, 4> Uses;
  for (Use &U : Index.uses()) {
    const auto *User = cast<Instruction>(U.getUser());
    if (User != Next && !isa<PHINode, CmpInst>(User) && L.contains(User))
      Uses.push_back(&U);
  }
  if (Uses.empty())
    return false;
  IRBuilder<> B(&*Index.getInsertionPointAfterDef().value());
  Value *Copy =
      B.CreateIntrinsic(Index.getType(), copyOf(Index.getType()), {&Index});
  for (Use *U : Uses)
    U->set(Copy);
  return true;
}

/// What \p Phi becomes in the next iteration, if that is a sum of it and of
/// what is the same in all of them, and some of that is known when it runs
/// only; else null.
static Instruction *runTimeStep(const PHINode &Phi, const Loop &L) {
  auto *Next =
      dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  bool IsRunTime = false;
  // Of several iterations together each adds its part.
  static constexpr unsigned MostParts = 64;
  const Value *Sum = Next;
  for (unsigned Part = 0; Sum != &Phi; ++Part) {
    const auto *Add = dyn_cast_or_null<Instruction>(Sum);
    if (!Add || Part == MostParts || Add->getOpcode() != Instruction::Add ||
        !L.contains(Add))
      return nullptr;
    const bool IsFirst = L.isLoopInvariant(Add->getOperand(0));
    const Value *Step = Add->getOperand(IsFirst ? 0 : 1);
    if (!L.isLoopInvariant(Step))
      return nullptr;
    IsRunTime |= !isa<Constant>(Step);
    Sum = Add->getOperand(IsFirst ? 1 : 0);
  }
  return IsRunTime ? Next : nullptr;
}

/// Is an address in \p L, of more than that of \p Phi itself, made of it?
static bool isIndex(const PHINode &Phi, const Loop &L) {
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 16> Open = {&Phi};
  while (!Open.empty())
    for (const User *U : Open.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (isa<GetElementPtrInst>(I) && L.contains(I))
        return true;
      if ((isa<BinaryOperator, CastInst>(I)) && L.contains(I) &&
          Seen.insert(I).second)
        Open.push_back(I);
    }
  return false;
}

/// Hides how \p L is moved on where it is by what is known when it runs: a
/// pointer of each array, and such a step for each size of elements, would take
/// two registers each.
static bool keepStridedIndices(const Loop &L, ChangeTest MayChange) {
  SmallVector<PHINode *, 2> Found;
  for (PHINode &Phi : L.getHeader()->phis())
    if (copyOf(Phi.getType()) != Intrinsic::not_intrinsic)
      if (const Instruction *Next = runTimeStep(Phi, L);
          Next && isIndex(Phi, L) && MayChange(*Next))
        Found.push_back(&Phi);
  for (PHINode *Phi : Found) {
    IRBuilder<> B(&*Phi->getInsertionPointAfterDef().value());
    Value *Copy =
        B.CreateIntrinsic(Phi->getType(), copyOf(Phi->getType()), {Phi});
    Phi->replaceUsesWithIf(Copy, [&](const Use &U) {
      return U.getUser() != Copy && L.contains(cast<Instruction>(U.getUser()));
    });
  }
  return !Found.empty();
}

Rewritten sluice::keepIndices(Function &F, ChangeTest MayChange) {
  Rewritten Done;
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  for (const Loop *L : LI.getLoopsInPreorder()) {
    const BasicBlock *Latch = L->getLoopLatch();
    if (!L->isInnermost() || !Latch ||
        !findStringMetadataForLoop(L, KeepsIndex))
      continue;
    bool Changed = keepStridedIndices(*L, MayChange);
    if (!Changed)
      for (PHINode &Phi : L->getHeader()->phis()) {
        auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
        Value *Step;
        if (!Next || copyOf(Phi.getType()) == Intrinsic::not_intrinsic ||
            !match(Next, m_c_Add(m_Specific(&Phi), m_Value(Step))) ||
            !L->isLoopInvariant(Step) || !MayChange(*Next))
          continue;
        Changed |= copyIndex(Phi, Next, *L);
        Changed |= copyIndex(*Next, nullptr, *L);
      }
    if (Changed && !Done.Count++)
      Done.At = L->getStartLoc();
  }
  return Done;
}
