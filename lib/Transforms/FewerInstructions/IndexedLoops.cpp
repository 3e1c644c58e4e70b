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
// It does so in innermost loops only, and mostly that is right: a load's
// address is there early, several elements are offsets of one pointer, and the
// assembler unrolls what it can count. An index is kept where none of that
// holds, by a copy of it that an instruction of the target makes, through which
// LLVM does not look and the assembler does:
//
// - Where a pass has unrolled the loop within (WindowArrays.cpp), the one
//   around it becomes innermost, and would be slower for it outside of what the
//   pass wanted to change. Where a pass takes several iterations together of a
//   step that is known when the loop runs only, pointers take such a step for
//   each size of elements besides. Both are marked (IndexMark.h).
//
// - A loop with one index and such a step that writes and loads nothing:
//
//     for (; i < n; i += step)  out[i] = next(state);
//
//   The assembler does not unroll it, and no load waits for an address.
//
// - A loop around several others, each of which begins where it says:
//
//     for (int i = 0; i < 5; i++) {
//       for (int k = 0; k < 32; k++)  a ^= m[i].a[k];
//       for (int k = 0; k < 32; k++)  b ^= m[i].b[k];
//       ...
//     }
//
//   LLVM moves on a pointer to where each of them begins. All of these are in
//   registers while each of the loops runs.
//
// So do loops that look for a value, where LoopBegins.cpp says so.
//
// And a loop over structs in constant memory, of which words are beside each
// other, keeps an offset that begins at zero:
//
//   for (int i = 0; i < n; i += 2)  use(c[i].x, c[i].y, c[i].z, ...);
//
//   LLVM moves on a pointer to one of the words, whichever comes first, and
//   reads the others at distances from it. The assembler reads two words at
//   once where it sees that they begin at a multiple of eight bytes. That it
//   does where the offset is a multiple of eight, and does not where a word was
//   taken off.

#include "../IndexMark.h"
#include "FewerInstructions.h"
#include "HiddenIndex.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

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

bool sluice::canBeHidden(const PHINode &Phi) {
  return copyOf(Phi.getType()) != Intrinsic::not_intrinsic;
}

void sluice::hideIndex(PHINode &Phi, function_ref<bool(BasicBlock *)> Within) {
  IRBuilder<> B(&*Phi.getInsertionPointAfterDef().value());
  Value *Copy = B.CreateIntrinsic(Phi.getType(), copyOf(Phi.getType()), {&Phi});
  Phi.replaceUsesWithIf(Copy, [&](const Use &U) {
    return U.getUser() != Copy &&
           Within(cast<Instruction>(U.getUser())->getParent());
  });
}

static void hide(PHINode &Phi, const Loop &L) {
  hideIndex(Phi, [&](const BasicBlock *Block) { return L.contains(Block); });
}

/// Hides how \p L is moved on where it is by what is known when it runs: a
/// pointer of each array, and such a step for each size of elements, would take
/// two registers each.
static bool keepStridedIndices(const Loop &L, ChangeTest MayChange) {
  SmallVector<PHINode *, 2> Found;
  for (PHINode &Phi : L.getHeader()->phis())
    if (canBeHidden(Phi))
      if (const Instruction *Next = runTimeStep(Phi, L);
          Next && isIndex(Phi, L) && MayChange(*Next))
        Found.push_back(&Phi);
  for (PHINode *Phi : Found)
    hide(*Phi, L);
  return !Found.empty();
}

/// What is added to \p V in each iteration of \p L is the same: how; else null.
static const SCEVAddRecExpr *movedOn(Value &V, const Loop &L,
                                     ScalarEvolution &SE) {
  if (!SE.isSCEVable(V.getType()))
    return nullptr;
  const auto *Moved = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&V));
  return Moved && Moved->getLoop() == &L && Moved->isAffine() ? Moved : nullptr;
}

/// The phis of \p L by which it is moved on.
static SmallVector<PHINode *, 4> indices(const Loop &L, ScalarEvolution &SE) {
  SmallVector<PHINode *, 4> All;
  for (PHINode &Phi : L.getHeader()->phis())
    if (movedOn(Phi, L, SE))
      All.push_back(&Phi);
  return All;
}

/// Does \p L write, and nothing in it wait for an address that differs between
/// iterations?
static bool onlyWrites(const Loop &L) {
  bool Writes = false;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      Writes |= I.mayWriteToMemory();
      if (!I.mayReadFromMemory())
        continue;
      const auto *Load = dyn_cast<LoadInst>(&I);
      const bool IsSame = Load && Load->isSimple() &&
                          L.isLoopInvariant(Load->getPointerOperand());
      if (!IsSame && !(isa<AtomicRMWInst>(I) && I.use_empty()))
        return false;
    }
  return Writes;
}

/// \p L is moved on by one index, by what is known when it runs only, and
/// writes what it does not load.
static bool onlyWritesByStep(const Loop &L, ScalarEvolution &SE) {
  const auto All = indices(L, SE);
  return All.size() == 1 &&
         !isa<SCEVConstant>(
             movedOn(*All.front(), L, SE)->getStepRecurrence(SE)) &&
         onlyWrites(L);
}

/// Adds to \p Starts where accesses in \p Inner begin, if that is moved on by
/// the loop around it; once for those that are constant offsets from others.
static void addStarts(const Loop &Inner, ScalarEvolution &SE,
                      SmallPtrSetImpl<const SCEV *> &Starts) {
  SmallVector<const SCEV *, 8> Own;
  for (BasicBlock *Block : Inner.blocks())
    for (Instruction &I : *Block) {
      Value *Pointer = getLoadStorePointerOperand(&I);
      const auto *Moved = Pointer ? movedOn(*Pointer, Inner, SE) : nullptr;
      if (!Moved)
        continue;
      const auto *Start = dyn_cast<SCEVAddRecExpr>(Moved->getStart());
      if (Start && Start->getLoop() == Inner.getParentLoop() &&
          none_of(Own, [&](const SCEV *Other) {
            return isa<SCEVConstant>(SE.getMinusSCEV(Other, Start));
          }))
        Own.push_back(Start);
    }
  Starts.insert_range(Own);
}

/// Would many pointers to where the loops in \p L begin be moved on?
static bool startsMany(const Loop &L, ScalarEvolution &SE) {
  // Of two registers each.
  static constexpr unsigned Many = 4;
  SmallPtrSet<const SCEV *, 8> Starts;
  for (const Loop *Inner : L)
    if (Inner->isInnermost())
      addStarts(*Inner, SE, Starts);
  return Starts.size() >= Many;
}

/// Hides how each of \p Loops is moved on where no pointer would be worth it.
/// Returns which.
static SmallVector<const Loop *, 4> keepPlainIndices(ArrayRef<Loop *> Loops,
                                                     ScalarEvolution &SE,
                                                     ChangeTest MayChange) {
  SmallVector<std::pair<PHINode *, const Loop *>, 8> Found;
  for (const Loop *L : Loops) {
    const BasicBlock *Latch = L->getLoopLatch();
    if (!Latch ||
        !(L->isInnermost() ? onlyWritesByStep(*L, SE) : startsMany(*L, SE)))
      continue;
    for (PHINode *Phi : indices(*L, SE))
      if (const auto *Next =
              dyn_cast<Instruction>(Phi->getIncomingValueForBlock(Latch));
          Next && canBeHidden(*Phi) && MayChange(*Next))
        Found.emplace_back(Phi, L);
  }
  SmallVector<const Loop *, 4> Done;
  for (auto [Phi, L] : Found) {
    hide(*Phi, *L);
    if (Done.empty() || Done.back() != L)
      Done.push_back(L);
  }
  return Done;
}

/// Iterations of a loop that the assembler may unroll whole.
static constexpr unsigned MostUnrolledWhole = 8;

namespace {
/// Loads of an array in constant memory that a loop moves on by the same.
struct ConstantReads {
  GlobalVariable *Array;
  uint64_t Step;
  SmallVector<std::pair<LoadInst *, uint64_t>, 8> Loads; ///< And first bytes.
};
} // namespace

/// Where \p Load is of constant memory, at constant places in \p L: adds it.
static void addConstantRead(LoadInst &Load, const Loop &L, ScalarEvolution &SE,
                            SmallVectorImpl<ConstantReads> &All) {
  Value *Pointer = Load.getPointerOperand();
  auto *Array = dyn_cast<GlobalVariable>(getUnderlyingObject(Pointer));
  if (!Array || Array->getAddressSpace() != NVPTXAS::ADDRESS_SPACE_CONST ||
      !Load.isSimple())
    return;
  const auto *Moved = movedOn(*Pointer, L, SE);
  if (!Moved)
    return;
  const auto *Step = dyn_cast<SCEVConstant>(Moved->getStepRecurrence(SE));
  const auto *First = dyn_cast<SCEVConstant>(
      SE.getMinusSCEV(Moved->getStart(), SE.getPointerBase(Moved)));
  if (!Step || !First)
    return;
  const uint64_t By = Step->getAPInt().getZExtValue();
  auto Same = find_if(All, [&](const ConstantReads &R) {
    return R.Array == Array && R.Step == By;
  });
  if (Same == All.end()) {
    All.push_back({Array, By, {}});
    Same = std::prev(All.end());
  }
  Same->Loads.emplace_back(&Load, First->getAPInt().getZExtValue());
}

/// Are words beside each other in \p Reads, at multiples of eight bytes in all
/// iterations, read in one block?
static bool hasPairs(const ConstantReads &Reads) {
  static constexpr uint64_t WordBytes = 4, PairBytes = 8;
  auto IsWord = [](const LoadInst &Load) {
    return Load.getDataLayout().getTypeStoreSize(Load.getType()) == WordBytes;
  };
  return Reads.Step % PairBytes == 0 &&
         any_of(Reads.Loads, [&](const auto &Left) {
           return Left.second % PairBytes == 0 && IsWord(*Left.first) &&
                  any_of(Reads.Loads, [&](const auto &Right) {
                    return Right.second == Left.second + WordBytes &&
                           IsWord(*Right.first) &&
                           Right.first->getParent() == Left.first->getParent();
                  });
         });
}

/// Gives \p L an offset that begins at zero, by which LLVM cannot see through
/// to \p Reads.
static void keepOffset(const ConstantReads &Reads, const Loop &L,
                       bool IsWrong) {
  BasicBlock *Header = L.getHeader();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Offset = B.CreatePHI(B.getInt64Ty(), 2, "offset");
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Next = B.CreateNUWAdd(Offset, B.getInt64(Reads.Step));
  for (BasicBlock *From : predecessors(Header))
    Offset->addIncoming(L.contains(From) ? Next : B.getInt64(0), From);
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  Value *Copy =
      B.CreateIntrinsic(B.getInt64Ty(), copyOf(B.getInt64Ty()), {Offset});
  for (auto [Load, First] : Reads.Loads) {
    B.SetInsertPoint(Load);
    Value *Struct =
        B.CreatePtrAdd(ConstantExpr::getPointerBitCastOrAddrSpaceCast(
                           Reads.Array, Load->getPointerOperandType()),
                       Copy);
    Load->setOperand(
        LoadInst::getPointerOperandIndex(),
        B.CreatePtrAdd(Struct, B.getInt64(IsWrong ? First + 4 : First)));
  }
}

/// Of innermost loops. Returns which.
static SmallVector<const Loop *, 4> keepOffsets(ArrayRef<Loop *> Loops,
                                                ScalarEvolution &SE,
                                                ChangeTest MayChange,
                                                bool IsWrong) {
  SmallVector<std::pair<const Loop *, SmallVector<ConstantReads, 2>>, 4> Found;
  for (const Loop *L : Loops) {
    // Of few iterations the assembler may make none, with addresses that are
    // constants.
    const unsigned Trips = SE.getSmallConstantTripCount(L);
    if (!L->isInnermost() || !L->getLoopLatch() ||
        (Trips && Trips <= MostUnrolledWhole))
      continue;
    SmallVector<ConstantReads, 2> Reads;
    for (BasicBlock *Block : L->blocks())
      for (Instruction &I : *Block)
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && MayChange(*Load))
          addConstantRead(*Load, *L, SE, Reads);
    erase_if(Reads, [](const ConstantReads &R) { return !hasPairs(R); });
    if (!Reads.empty())
      Found.emplace_back(L, std::move(Reads));
  }
  SmallVector<const Loop *, 4> Done;
  for (const auto &[L, All] : Found) {
    for (const ConstantReads &Reads : All)
      keepOffset(Reads, *L, IsWrong);
    Done.push_back(L);
  }
  return Done;
}

/// Of a loop that is marked.
static bool keepMarkedIndices(const Loop &L, ChangeTest MayChange) {
  if (keepStridedIndices(L, MayChange))
    return true;
  bool Changed = false;
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Next =
        dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    Value *Step;
    if (!Next || !canBeHidden(Phi) ||
        !match(Next, m_c_Add(m_Specific(&Phi), m_Value(Step))) ||
        !L.isLoopInvariant(Step) || !MayChange(*Next))
      continue;
    Changed |= copyIndex(Phi, Next, L);
    Changed |= copyIndex(*Next, nullptr, L);
  }
  return Changed;
}

Rewritten sluice::keepIndices(Function &F, ChangeTest MayChange,
                              FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  const auto Loops = FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto Plain = keepPlainIndices(Loops, SE, MayChange);
  append_range(Plain, keepOffsets(Loops, SE, MayChange, IsWrong));
  for (const Loop *L : Loops)
    if (is_contained(Plain, L) || (L->isInnermost() && L->getLoopLatch() &&
                                   findStringMetadataForLoop(L, KeepsIndex) &&
                                   keepMarkedIndices(*L, MayChange)))
      if (!Done.Count++)
        Done.At = L->getStartLoc();
  return Done;
}
