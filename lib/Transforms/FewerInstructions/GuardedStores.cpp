// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop computes for one store is computed before the condition of that:
//
//   for (...) {                         const float *t = c ? tile + me : tile;
//     __syncthreads();                  for (...) {
//     if (c)                      =>      __syncthreads();
//       out[..] = k * tile[me]              x = k * t[0] + l * t[1];
//               + l * tile[me + 1];         if (c)
//   }                                         out[..] = x;
//                                       }
//
// The assembler predicates the store alone, and has one block where there were
// three, in which it orders loads and sums as it likes. nvcc computes all of it
// for all threads too.
//
// The condition is the edge of a grid: its warps go one way nearly everywhere,
// so that nearly nothing is computed that was not. Threads that do not store
// read the array's beginning, as their own addresses may be outside of it. It
// may not be written yet: nothing is done with what they read. Nobody writes
// the array between the barriers around the loads, so there is no new race.
// Sums and products stay in one block.
//
// LLVM would move all of it back (MachineSink). A copy stands in between, by
// assembly that is said to be convergent: that may not go behind a condition.

#include "../AccessGroups.h"
#include "FewerInstructions.h"
#include "MovedRounding.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

/// Of what is computed. The assembler predicates fewer by itself; of more, a
/// warp that stores nothing would do too much in vain.
static constexpr size_t FewestInstructions = 8, MostInstructions = 128;

/// Addresses that are chosen before a loop, a register each.
static constexpr size_t MostTiles = 2;

/// How deep an index is looked into.
static constexpr unsigned MostDepth = 8;

namespace {

/// Loads of one array whose addresses differ by constants.
struct TileLoads {
  GlobalVariable *Array;
  Value *Generic; ///< The array, as the loads have it.
  const SCEV *First;
  Value *Root; ///< What the first address is a constant offset from.
  int64_t FromRoot;
  int64_t Low = 0,
          High = 0; ///< From the first: the first byte, the last's end.
  SmallVector<std::pair<LoadInst *, int64_t>, 16> All;
};

/// A store behind a condition, and what is computed for it.
class GuardedStore {
public:
  GuardedStore(BranchInst &Branch, const Loop &L, ScalarEvolution &SE)
      : Branch(Branch), L(L), SE(SE) {}
  bool find(ChangeTest MayChange);
  void computeBefore(bool IsWrong);
  const DebugLoc &place() const { return Store->getDebugLoc(); }

private:
  BasicBlock *arm() const { return Branch.getSuccessor(Way); }
  BasicBlock *next() const { return Branch.getSuccessor(1 - Way); }
  bool findArm(ChangeTest MayChange);
  bool findMoved();
  bool asksForEdge(Value &Condition) const;
  bool mayWriteTile(const Instruction &I) const;
  bool onlyReadsBetweenBarriers() const;
  bool addLoad(LoadInst &Load);
  bool addTo(LoadInst &Load, const SCEV *Address, GlobalVariable &Array,
             Value *Generic);
  bool mayChoose() const;
  void choose(const TileLoads &Loads);

  BranchInst &Branch;
  const Loop &L;
  ScalarEvolution &SE;
  unsigned Way = 0; ///< Of the branch, to the store.
  StoreInst *Store = nullptr;
  SmallVector<Instruction *, 64> Moved;
  SmallVector<TileLoads, 2> Tiles;
};

} // namespace

/// Of loads that run for threads, too, which do nothing with what they load:
/// nobody need have written it.
static constexpr char VainMark[] = "sluice.vain";

/// One instruction or few, without a branch.
static bool isCheap(const Instruction &I) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    switch (Call->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::fabs:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
      return true;
    default:
      return false;
    }
  switch (I.getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
  case Instruction::Call:
    return false;
  default:
    return !isa<PHINode>(I) && !I.mayReadOrWriteMemory() &&
           isSafeToSpeculativelyExecute(&I);
  }
}

/// Is \p V made of one that \p Is is true for?
static bool isMadeOf(const Value &V, function_ref<bool(const Value &)> Is,
                     unsigned Depth = 0) {
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || isa<PHINode>(I) || Depth == MostDepth)
    return false;
  return Is(V) || any_of(I->operands(), [&](const Value *Operand) {
           return isMadeOf(*Operand, Is, Depth + 1);
         });
}

static bool isBlockIndex(const Value &V) {
  const auto *Call = dyn_cast<IntrinsicInst>(&V);
  return Call && is_contained({Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                               Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                               Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
                              Call->getIntrinsicID());
}

static bool isThreadIndex(const Value &V) {
  const auto *Call = dyn_cast<IntrinsicInst>(&V);
  return Call && is_contained({Intrinsic::nvvm_read_ptx_sreg_tid_x,
                               Intrinsic::nvvm_read_ptx_sreg_tid_y,
                               Intrinsic::nvvm_read_ptx_sreg_tid_z},
                              Call->getIntrinsicID());
}

/// Does \p Condition hold but at a grid's edge, if it holds for the store? An
/// index with the block's in it is below what is known when the kernel runs, or
/// above a constant.
bool GuardedStore::asksForEdge(Value &Condition) const {
  Value *A = nullptr, *B = nullptr;
  if (Way == 0 ? match(&Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
               : match(&Condition, m_LogicalOr(m_Value(A), m_Value(B))))
    return asksForEdge(*A) && asksForEdge(*B);
  const auto *Compare = dyn_cast<ICmpInst>(&Condition);
  if (!Compare || !Compare->isRelational())
    return false;
  auto Predicate =
      Way == 0 ? Compare->getPredicate() : Compare->getInversePredicate();
  const Value *Index = Compare->getOperand(0), *Bound = Compare->getOperand(1);
  if (!isMadeOf(*Index, isBlockIndex)) {
    std::swap(Index, Bound);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (!isMadeOf(*Index, isBlockIndex) || isMadeOf(*Bound, isBlockIndex) ||
      isMadeOf(*Bound, isThreadIndex))
    return false;
  const bool IsBelow = ICmpInst::isLT(Predicate) || ICmpInst::isLE(Predicate);
  return IsBelow != isa<Constant>(Bound);
}

/// May \p I write what is read from an array?
bool GuardedStore::mayWriteTile(const Instruction &I) const {
  if (!I.mayWriteToMemory())
    return false;
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    Pointer = Update->getPointerOperand();
  if (!Pointer)
    return true;
  const Value *Object = getUnderlyingObject(Pointer);
  if (isa<AllocaInst, GlobalVariable>(Object))
    return any_of(Tiles, [&](const TileLoads &T) { return T.Array == Object; });
  return !isKnownGlobal(Pointer);
}

/// Does nobody write the arrays from the last barrier before the loads to the
/// next one behind them?
bool GuardedStore::onlyReadsBetweenBarriers() const {
  auto IsBarrier = [](const Instruction &I) {
    return threadOrderOf(I) == ThreadOrder::Block;
  };
  bool IsBehindBarrier = false;
  for (const Instruction &I : reverse(*Branch.getParent())) {
    IsBehindBarrier = IsBarrier(I);
    if (IsBehindBarrier)
      break;
    if (mayWriteTile(I))
      return false;
  }
  if (!IsBehindBarrier)
    return false;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Open = {arm(), next()};
  while (!Open.empty()) {
    const BasicBlock *Block = Open.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    const auto End = find_if(*Block, [&](const Instruction &I) {
      return IsBarrier(I) || mayWriteTile(I);
    });
    if (End == Block->end())
      append_range(Open, successors(Block));
    else if (!IsBarrier(*End))
      return false;
  }
  return true;
}

/// Does the branch go around a block with one store, and no other access of
/// memory behind that?
bool GuardedStore::findArm(ChangeTest MayChange) {
  for (Way = 0; Way < 2; ++Way) {
    if (!L.contains(arm()) || arm()->getSinglePredecessor() == nullptr ||
        arm()->getSingleSuccessor() != next() || arm()->hasAddressTaken())
      continue;
    for (Instruction &I : *arm()) {
      if (Store && I.mayReadOrWriteMemory())
        return false;
      if (I.mayWriteToMemory()) {
        Store = dyn_cast<StoreInst>(&I);
        if (!Store)
          return false;
      }
    }
    return Store && Store->isSimple() && MayChange(*Store);
  }
  return false;
}

bool GuardedStore::addTo(LoadInst &Load, const SCEV *Address,
                         GlobalVariable &Array, Value *Generic) {
  const auto Bytes = int64_t(bytesTouched(Load));
  for (TileLoads &Known : Tiles) {
    const auto *Distance =
        Known.Array == &Array && Known.Generic == Generic
            ? dyn_cast<SCEVConstant>(SE.getMinusSCEV(Address, Known.First))
            : nullptr;
    if (!Distance || !Distance->getAPInt().isSignedIntN(32))
      continue;
    const int64_t From = Distance->getAPInt().getSExtValue();
    Known.Low = std::min(Known.Low, From);
    Known.High = std::max(Known.High, From + Bytes);
    Known.All.emplace_back(&Load, From);
    return true;
  }
  APInt FromRoot(64, 0);
  Value *Root = Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      Load.getDataLayout(), FromRoot, /*AllowNonInbounds=*/true);
  if (!L.isLoopInvariant(Root) || !L.isLoopInvariant(Generic) ||
      Root->getType() != Generic->getType())
    return false;
  Tiles.push_back({&Array,
                   Generic,
                   Address,
                   Root,
                   FromRoot.getSExtValue(),
                   0,
                   Bytes,
                   {{&Load, 0}}});
  return true;
}

bool GuardedStore::addLoad(LoadInst &Load) {
  Value *Pointer = Load.getPointerOperand();
  auto *Array = const_cast<GlobalVariable *>(sharedVariable(Pointer));
  if (!Load.isSimple() || !Array || Array->isDeclaration() ||
      Array->isInterposable() ||
      Load.getDataLayout().getIndexTypeSizeInBits(Pointer->getType()) != 64)
    return false;
  const SCEV *Address = SE.getSCEV(Pointer);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || Base->getValue()->stripPointerCasts() != Array)
    return false;
  return addTo(Load, Address, *Array, Base->getValue());
}

/// Are the loads of each group in its array if the first is at its beginning?
bool GuardedStore::mayChoose() const {
  return Tiles.size() <= MostTiles && all_of(Tiles, [](const TileLoads &T) {
           const GlobalVariable &Array = *T.Array;
           return uint64_t(T.High - T.Low) <=
                      Array.getDataLayout()
                          .getTypeAllocSize(Array.getValueType())
                          .getFixedValue() &&
                  all_of(T.All, [&](const auto &Load) {
                    return Load.first->getAlign() <=
                           commonAlignment(Array.getAlign().valueOrOne(),
                                           uint64_t(Load.second - T.Low));
                  });
         });
}

/// What the stored value needs of the block, in order.
bool GuardedStore::findMoved() {
  SmallPtrSet<const Instruction *, 32> Needed;
  SmallVector<const Value *, 64> Open = {Store->getValueOperand()};
  while (!Open.empty()) {
    const auto *I = dyn_cast<Instruction>(Open.pop_back_val());
    if (I && I->getParent() == arm() && Needed.insert(I).second)
      append_range(Open, I->operand_values());
  }
  bool HasLoad = false;
  for (Instruction &I : *arm()) {
    if (!Needed.contains(&I)) {
      if (&I != Store && I.mayReadOrWriteMemory())
        return false;
      continue;
    }
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!(Load ? addLoad(*Load) : isCheap(I) && !mayBeApproximate(I)))
      return false;
    HasLoad |= Load != nullptr;
    Moved.push_back(&I);
  }
  return HasLoad && Moved.size() >= FewestInstructions &&
         Moved.size() <= MostInstructions;
}

bool GuardedStore::find(ChangeTest MayChange) {
  if (!findArm(MayChange))
    return false;
  const Type &Stored = *Store->getValueOperand()->getType();
  return (Stored.isFloatTy() || Stored.isDoubleTy() || Stored.isIntegerTy(32) ||
          Stored.isIntegerTy(64)) &&
         L.isLoopInvariant(Branch.getCondition()) &&
         asksForEdge(*Branch.getCondition()) && findMoved() && mayChoose() &&
         onlyReadsBetweenBarriers() && keepsRounding(Moved);
}

/// Threads that do not store read \p Loads from the array's beginning on.
void GuardedStore::choose(const TileLoads &Loads) {
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  Value *First =
      B.CreatePtrAdd(Loads.Root, B.getInt64(Loads.FromRoot + Loads.Low));
  Value *From =
      B.CreateSelect(Branch.getCondition(), Way == 0 ? First : Loads.Generic,
                     Way == 0 ? Loads.Generic : First);
  B.SetInsertPoint(&Branch);
  for (auto [Load, Offset] : Loads.All)
    Load->setOperand(LoadInst::getPointerOperandIndex(),
                     B.CreatePtrAdd(From, B.getInt64(Offset - Loads.Low)));
}

/// A copy of \p V that stays where it is.
static Value *keepHere(Value &V, IRBuilder<> &B) {
  Type *Of = V.getType();
  const bool IsWide = Of->getPrimitiveSizeInBits() == 64;
  const char Kind = Of->isFloatTy()    ? 'f'
                    : Of->isDoubleTy() ? 'd'
                    : IsWide           ? 'l'
                                       : 'r';
  auto *Move =
      InlineAsm::get(FunctionType::get(Of, Of, /*isVarArg=*/false),
                     IsWide ? "mov.b64 \t$0, $1;" : "mov.b32 \t$0, $1;",
                     std::string("=") + Kind + "," + Kind,
                     /*hasSideEffects=*/false);
  CallInst *Copy = B.CreateCall(Move, &V);
  Copy->setDoesNotAccessMemory();
  Copy->setConvergent();
  return Copy;
}

/// Keeps the end of \p L last: LLVM may place it first, and jump back to it, or
/// jump around what leaves the loop.
static void branchBackWhereTrue(const Loop &L) {
  auto *Back = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator());
  auto *Ends = Back && Back->isConditional()
                   ? dyn_cast<CmpInst>(Back->getCondition())
                   : nullptr;
  if (!Ends || !Ends->hasOneUse() || Back->getSuccessor(0) == L.getHeader())
    return;
  Ends->setPredicate(Ends->getInversePredicate());
  Back->swapSuccessors();
}

void GuardedStore::computeBefore(bool IsWrong) {
  SmallVector<WeakTrackingVH, 16> Old;
  for (const TileLoads &Loads : Tiles) {
    for (auto [Load, Offset] : Loads.All)
      Old.push_back(Load->getPointerOperand());
    choose(Loads);
  }
  for (Instruction *I : Moved) {
    I->dropUBImplyingAttrsAndMetadata();
    I->moveBefore(Branch.getIterator());
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  MDNode *Mark = accessGroup(*Branch.getModule(), VainMark);
  for (const TileLoads &Loads : Tiles)
    for (auto [Load, Offset] : Loads.All)
      if (!Load->hasMetadata(LLVMContext::MD_access_group))
        Load->setMetadata(LLVMContext::MD_access_group, Mark);
  IRBuilder<> B(&Branch);
  Store->setOperand(0, keepHere(*Store->getValueOperand(), B));
  MDBuilder Weights(Branch.getContext());
  if (!Branch.hasMetadata(LLVMContext::MD_prof))
    Branch.setMetadata(LLVMContext::MD_prof,
                       Way == 0 ? Weights.createLikelyBranchWeights()
                                : Weights.createUnlikelyBranchWeights());
  branchBackWhereTrue(L);
  if (IsWrong)
    Branch.setCondition(B.getInt1(Way == 0));
}

Rewritten sluice::computeBeforeGuards(Function &F, ChangeTest MayChange,
                                      FunctionAnalysisManager &FAM,
                                      bool IsWrong) {
  Rewritten Done;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  for (BasicBlock &Block : F) {
    const Loop *L = LI.getLoopFor(&Block);
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (!L || !L->isInnermost() || !L->getLoopPreheader() ||
        !L->getLoopLatch() || !Branch || !Branch->isConditional())
      continue;
    GuardedStore Store(*Branch, *L, SE);
    if (!Store.find(MayChange))
      continue;
    if (!Done.Count++)
      Done.At = Store.place();
    Store.computeBefore(IsWrong);
  }
  return Done;
}
