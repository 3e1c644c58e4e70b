// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop within another one begins at a block of its own:
//
//   while (i < end) {                       around:
//     Key hash = HashStart;                   hash = HashStart
//     while (text[i] != ' ' && ...) {       inner:
//       hash = f(hash, text[i]);              if (text[i] is one of two)
//       ++i;                         =>         goto behind
//     }                                       hash = f(hash, text[i]), ++i
//     count(hash);                            goto inner
//     ...                                   behind:
//   }                                         count(hash), ...
//                                             if (i < end) goto around
//
// The block `around` sets a number only, so LLVM leaves it out: the code behind
// goes to `inner`, with the number. Both loops are one then, for LLVM and for
// the assembler, and that one counts, with its atomics. The assembler moves the
// load of a small loop up before the arithmetic of its end, and keeps addresses
// in uniform registers over it; over this one it does neither.
//
// A block with a call that does nothing (`llvm.sideeffect`) goes before the
// first one. It is no instruction of the GPU. Which ways back are of which loop
// is seen from the number: it is anew what it was at first, or it is computed.
//
// It pays where the inner loop ends by what it loads, and does no more than to
// compute, and the loop around has more to do.
//
// Two more things are as nvcc has them then:
//
// - Where one of two values ends the inner loop, these are two branches. By
// one,
//   lanes that leave at once meet apart from those that leave later.
// - The inner loop keeps its index, by a copy that an instruction of the target
//   makes (IndexedLoops.cpp), and so does another one in the loop around that
//   looks for a value in the same array. The index is needed behind it, and the
//   array's address is in uniform registers; a pointer would be two more.

#include "LoopBegins.h"
#include "HiddenIndex.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

namespace {

using Blocks = SmallSetVector<BasicBlock *, 16>;

/// A loop that begins where the one around it does.
struct SharedBegin {
  Loop *Around;
  /// What all ways back to the first block go through, if they do.
  BasicBlock *Latch = nullptr;
  SmallVector<BasicBlock *, 4> Inner = {},
                               Outer = {}; ///< Where they come from.
  Blocks Body = {};                        ///< Of the inner loop.

  BasicBlock *begin() const { return Around->getHeader(); }
  BasicBlock *target() const { return Latch ? Latch : begin(); }
  /// What \p Phi, of the first block, is on the way from \p From.
  Value *value(const PHINode &Phi, BasicBlock *From) const {
    Value *V = Phi.getIncomingValueForBlock(Latch ? Latch : From);
    const auto *Within = dyn_cast<PHINode>(V);
    return Latch && Within && Within->getParent() == Latch
               ? Within->getIncomingValueForBlock(From)
               : V;
  }
};

} // namespace

/// Does \p Block only collect ways to \p To?
static bool onlyCollects(const BasicBlock &Block, const BasicBlock &To) {
  const auto *End = dyn_cast<BranchInst>(Block.getTerminator());
  return End && End->isUnconditional() &&
         &*Block.getFirstNonPHIOrDbg() == End &&
         all_of(Block.phis(), [&](const PHINode &Phi) {
           return all_of(Phi.users(), [&](const User *U) {
             return isa<PHINode>(U) && cast<PHINode>(U)->getParent() == &To;
           });
         });
}

/// What \p Phi is where \p L is entered, if that is one value.
static Value *entryValue(const PHINode &Phi, const Loop &L) {
  Value *Entry = nullptr;
  for (auto [From, V] : zip(Phi.blocks(), Phi.incoming_values())) {
    if (L.contains(From))
      continue;
    if (Entry && Entry != V)
      return nullptr;
    Entry = V;
  }
  return Entry;
}

/// Parts the ways back by whether a number is anew what it was at first. False:
/// there are no two kinds.
static bool partWaysBack(SharedBegin &S) {
  SmallVector<BasicBlock *, 4> From;
  for (BasicBlock *Pred : predecessors(S.begin()))
    if (S.Around->contains(Pred))
      From.push_back(Pred);
  if (From.size() == 1 && onlyCollects(*From.front(), *S.begin())) {
    S.Latch = From.front();
    From.assign(pred_begin(S.Latch), pred_end(S.Latch));
  }
  // Of a branch both ways of which go there neither is moved.
  if (SmallPtrSet<BasicBlock *, 4>(From.begin(), From.end()).size() <
      From.size())
    return false;
  for (const PHINode &Phi : S.begin()->phis()) {
    Value *Entry = entryValue(Phi, *S.Around);
    if (!Entry)
      continue;
    S.Inner.clear();
    S.Outer.clear();
    for (BasicBlock *Block : From)
      (S.value(Phi, Block) == Entry ? S.Outer : S.Inner).push_back(Block);
    if (!S.Inner.empty() && !S.Outer.empty())
      return true;
  }
  return false;
}

/// The blocks from the first one to the inner ways back.
static void findBody(SharedBegin &S) {
  SmallVector<BasicBlock *, 4> Open = S.Inner;
  S.Body.insert(S.begin());
  if (S.Latch)
    S.Body.insert(S.Latch);
  while (!Open.empty()) {
    BasicBlock *Block = Open.pop_back_val();
    if (S.Body.insert(Block))
      append_range(Open, predecessors(Block));
  }
}

/// The load in \p Body that decides whether it goes on behind \p Block.
static const LoadInst *decidingLoad(const BasicBlock &Block,
                                    const Blocks &Body) {
  const Instruction *End = Block.getTerminator();
  const Value *Asked = nullptr;
  if (const auto *Branch = dyn_cast<BranchInst>(End))
    Asked = Branch->isConditional() ? Branch->getCondition() : nullptr;
  else if (const auto *Switch = dyn_cast<SwitchInst>(End))
    Asked = Switch->getCondition();
  if (!Asked || all_of(successors(&Block), [&](const BasicBlock *To) {
        return Body.contains(const_cast<BasicBlock *>(To));
      }))
    return nullptr;
  static constexpr size_t Most = 16;
  SmallSetVector<const Value *, Most> Open;
  Open.insert(Asked);
  for (size_t I = 0; I < Open.size() && I < Most; ++I) {
    if (const auto *Load = dyn_cast<LoadInst>(Open[I]);
        Load && Body.contains(const_cast<BasicBlock *>(Load->getParent())))
      return Load;
    if (isa<CmpInst, BinaryOperator, CastInst, SelectInst>(Open[I]))
      Open.insert_range(cast<User>(Open[I])->operand_values());
  }
  return nullptr;
}

/// The load that ends the loop of \p Body, if that does no more than to load
/// and compute; else null. A loop of its own would not be innermost.
static const LoadInst *onlySearches(const Blocks &Body) {
  const LoadInst *Ends = nullptr;
  for (const BasicBlock *Block : Body) {
    for (const Instruction &I : *Block) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (I.mayWriteToMemory() || (Load && !Load->isSimple()))
        return nullptr;
    }
    if (const LoadInst *Load = decidingLoad(*Block, Body))
      Ends = Load;
  }
  return Ends;
}

/// Has the rest of the loop around a loop, or does it write?
static bool hasMoreWork(const SharedBegin &S) {
  return !S.Around->isInnermost() ||
         any_of(S.Around->blocks(), [&](const BasicBlock *Block) {
           return any_of(*Block, [](const Instruction &I) {
             return I.mayWriteToMemory() && !isa<IntrinsicInst>(I);
           });
         });
}

static std::optional<SharedBegin> sharedBegin(Loop &L, const LoopInfo &LI) {
  SharedBegin S = {&L};
  if (L.getHeader()->hasAddressTaken() || !partWaysBack(S) ||
      hasConvergentCalls(L))
    return std::nullopt;
  findBody(S);
  const auto IsPart = [&](BasicBlock *Block) {
    return LI.getLoopFor(Block) == &L;
  };
  const auto IsInner = [&](BasicBlock *Block) {
    return S.Body.contains(Block);
  };
  if (!all_of(S.Body, IsPart) || any_of(S.Outer, IsInner) ||
      !onlySearches(S.Body) || !hasMoreWork(S))
    return std::nullopt;
  return S;
}

/// Gives the loop around a first block of its own.
static void addBegin(const SharedBegin &S) {
  BasicBlock *Begin = S.begin();
  auto *Own = BasicBlock::Create(Begin->getContext(), "around",
                                 Begin->getParent(), Begin);
  SmallVector<BasicBlock *, 4> Entries;
  for (BasicBlock *Pred : predecessors(Begin))
    if (!S.Around->contains(Pred) && !is_contained(Entries, Pred))
      Entries.push_back(Pred);
  IRBuilder<> B(Own);
  for (PHINode &Phi : Begin->phis()) {
    PHINode *New = B.CreatePHI(Phi.getType(), 4);
    for (BasicBlock *From : S.Outer)
      New->addIncoming(S.value(Phi, From), From);
    for (BasicBlock *From : Entries) {
      Value *V = Phi.getIncomingValueForBlock(From);
      for (unsigned Edges = count(successors(From), Begin); Edges; --Edges) {
        New->addIncoming(V, From);
        Phi.removeIncomingValue(From, false);
      }
    }
    if (!S.Latch)
      for (BasicBlock *From : S.Outer)
        Phi.removeIncomingValue(From, false);
    Phi.addIncoming(New, Own);
  }
  if (S.Latch)
    for (PHINode &Phi : S.Latch->phis())
      for (BasicBlock *From : S.Outer)
        Phi.removeIncomingValue(From, false);
  for (BasicBlock *From : S.Outer)
    From->getTerminator()->replaceSuccessorWith(S.target(), Own);
  for (BasicBlock *From : Entries)
    From->getTerminator()->replaceSuccessorWith(Begin, Own);
  B.SetCurrentDebugLocation(Begin->getTerminator()->getDebugLoc());
  B.CreateIntrinsic(Intrinsic::sideeffect, {});
  B.CreateBr(Begin);
}

namespace {
/// What leaves a loop where a number is one of two.
struct TwoReasons {
  Value *Number, *First, *Second;
  BasicBlock *Out, *On;
};
} // namespace

static std::optional<TwoReasons> twoReasons(BasicBlock &Block,
                                            const Blocks &Body) {
  if (auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator())) {
    if (Switch->getNumCases() != 2)
      return std::nullopt;
    auto First = *Switch->case_begin(), Second = *++Switch->case_begin();
    BasicBlock *Out = First.getCaseSuccessor(), *On = Switch->getDefaultDest();
    if (Out != Second.getCaseSuccessor() || Body.contains(Out) ||
        !Body.contains(On))
      return std::nullopt;
    return TwoReasons{Switch->getCondition(), First.getCaseValue(),
                      Second.getCaseValue(), Out, On};
  }
  Value *Left, *First, *Right, *Second;
  BasicBlock *Out, *On;
  if (!match(Block.getTerminator(),
             m_Br(m_LogicalOr(m_SpecificICmp(ICmpInst::ICMP_EQ, m_Value(Left),
                                             m_Value(First)),
                              m_SpecificICmp(ICmpInst::ICMP_EQ, m_Value(Right),
                                             m_Value(Second))),
                  Out, On)) ||
      Left != Right || !isa<ConstantInt>(First) || !isa<ConstantInt>(Second) ||
      Body.contains(Out) || !Body.contains(On))
    return std::nullopt;
  return TwoReasons{Left, First, Second, Out, On};
}

/// Asks for one after the other. Both comparisons stay in \p Block: a block of
/// a comparison alone is joined with the one before by LLVM's LoopSimplify.
static void askInTurn(BasicBlock &Block, const TwoReasons &Two, bool IsWrong) {
  Instruction *End = Block.getTerminator();
  BasicBlock *Then =
      BasicBlock::Create(Block.getContext(), "then", Block.getParent(), Two.On);
  IRBuilder<> B(End);
  Value *First = B.CreateICmpEQ(Two.Number, Two.First);
  Value *Second = B.CreateNot(B.CreateICmpNE(Two.Number, Two.Second));
  B.CreateCondBr(First, Two.Out, Then);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(End->getDebugLoc());
  B.CreateCondBr(IsWrong ? First : Second, Two.Out, Two.On);
  // A switch has an edge for each, a branch one.
  const bool IsBoth = isa<SwitchInst>(End);
  for (PHINode &Phi : Two.Out->phis()) {
    Phi.addIncoming(Phi.getIncomingValueForBlock(&Block), Then);
    if (IsBoth)
      Phi.removeIncomingValue(&Block, false);
  }
  Two.On->replacePhiUsesWith(&Block, Then);
  End->eraseFromParent();
}

/// The array of \p Load.
static const Value *arrayOf(const LoadInst &Load) {
  return getUnderlyingObject(Load.getPointerOperand());
}

/// Hides \p Phi in the loop of \p Body, if each of
/// \p Ways, what it becomes, is a constant more.
static void keepIndex(PHINode &Phi, ArrayRef<Value *> Ways,
                      const Blocks &Body) {
  if (canBeHidden(Phi) && all_of(Ways, [&](Value *V) {
        return match(V, m_c_Add(m_Specific(&Phi), m_ConstantInt()));
      }))
    hideIndex(Phi, [&](BasicBlock *Block) { return Body.contains(Block); });
}

static void keepInnerIndex(const SharedBegin &S) {
  for (PHINode &Phi : S.begin()->phis()) {
    SmallVector<Value *, 4> Ways;
    for (BasicBlock *From : S.Inner)
      Ways.push_back(S.value(Phi, From));
    keepIndex(Phi, Ways, S.Body);
  }
}

/// Of the loops of the one around that look for a value in \p Array.
static void keepOtherIndices(const Loop &Around, const Value *Array,
                             ChangeTest MayChange) {
  for (const Loop *L : Around) {
    if (!L->isInnermost() || !L->getLoopLatch()) {
      keepOtherIndices(*L, Array, MayChange);
      continue;
    }
    const Blocks Body(L->block_begin(), L->block_end());
    const LoadInst *Ends = onlySearches(Body);
    if (Ends && arrayOf(*Ends) == Array && MayChange(*Ends))
      for (PHINode &Phi : L->getHeader()->phis())
        keepIndex(Phi, {Phi.getIncomingValueForBlock(L->getLoopLatch())}, Body);
  }
}

static void beginApart(const SharedBegin &S, ChangeTest MayChange,
                       bool IsWrong) {
  keepOtherIndices(*S.Around, arrayOf(*onlySearches(S.Body)), MayChange);
  keepInnerIndex(S);
  addBegin(S);
  for (BasicBlock *Block : S.Body)
    if (const auto Two = twoReasons(*Block, S.Body))
      askInTurn(*Block, *Two, IsWrong);
}

Rewritten sluice::beginLoopsApart(Function &F, ChangeTest MayChange,
                                  FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<SharedBegin, 2> Found;
  for (Loop *L : LI.getLoopsInPreorder())
    if (MayChange(*L->getHeader()->getTerminator()))
      if (auto S = sharedBegin(*L, LI))
        Found.push_back(std::move(*S));
  for (const SharedBegin &S : Found) {
    if (!Done.Count++)
      Done.At = S.begin()->getTerminator()->getDebugLoc();
    beginApart(S, MayChange, IsWrong);
  }
  return Done;
}
