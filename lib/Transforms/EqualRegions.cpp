// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin(x) and cos(x) reduce x alike, each with branches of its own: is it
// infinite, is it huge. LLVM sees what is computed twice in straight code, and
// not what comes out of two branches:
//
//   if (huge) q = slow(x);  else q = fast;     // sine
//   ...
//   if (huge) r = slow(x);  else r = fast;     // cosine
//   r += 1;
// becomes
//   r = q + 1;
//
// A function with a branch and a division that is inlined twice is the same.
//
// A region is what lies between a branch and where all its ways meet. Each way
// through it is followed, with the conditions under which it is taken. Values
// get numbers, equal ones for equal operations on equal values, as in LLVM's
// value numbering; a phi is, on a way, the value that comes along it. Two
// regions are equal if they have the same ways and on each the same values,
// but for a constant that may be added to an integer on all of them. Nothing
// in a region may write, or depend on when it is done.

#include "EqualRegions.h"
#include "FewerInstructions/BlockRounding.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

#define DEBUG_TYPE "sluice-angle-reduction"

STATISTIC(NumShared, "Branches that computed again what others had");

static constexpr size_t MostBlocks = 12;        ///< Of a region.
static constexpr size_t MostInstructions = 400; ///< Of a region.
static constexpr size_t MostWays = 12;          ///< Through one.
static constexpr unsigned MostShared = 64;      ///< Of a function.
static constexpr unsigned DeepestValue = 24;

namespace {

using Number = uint64_t;

/// Numbers of values, equal for what is surely equal.
class Numbers {
public:
  /// The values of a way.
  using Along = DenseMap<const Value *, Number>;

  Number of(const Value *V, const Along &Way, unsigned Depth = 0);
  /// That \p I has on \p Way; it is no phi.
  Number compute(const Instruction &I, const Along &Way, unsigned Depth = 0);

private:
  Number fresh() { return ++Last; }

  Number Last = 0;
  std::map<std::vector<uint64_t>, Number> Expressions;
  Along Outside; ///< Of what is on no way.
};

/// A condition, in the form that both of `<` and `>=` have, and whether it is
/// true there.
using Condition = std::pair<Number, bool>;

/// What comes along a way: a number, and what is added to it.
struct Coming {
  Number Base;
  APInt Added;
};

/// What lies between a branch and where its ways meet.
struct Region {
  BranchInst *Branch;
  BasicBlock *Tail;
  SmallSetVector<BasicBlock *, 8> Inside;
  /// By the conditions of a way: what the phis of the tail are.
  std::map<std::vector<Condition>, SmallVector<Coming, 4>> Ways;

  BasicBlock *head() const { return Branch->getParent(); }
};

/// The regions of one function.
class EqualRegions {
public:
  EqualRegions(Function &F, function_ref<bool(const Instruction &)> IsKept,
               bool LosesOffset, RegionListener Listener)
      : F(F), IsKept(IsKept), LosesOffset(LosesOffset), Listener(Listener) {}

  bool shareOne();

private:
  bool enclose(Region &R, const DominatorTree &DT,
               const PostDominatorTree &PDT) const;
  bool follow(Region &R, BasicBlock *From, BasicBlock *To,
              std::vector<Condition> When, Numbers::Along Way);
  bool isTakenFrom(const Region &Later, const Region &Earlier);
  std::string whyFusedAnew(const Region &R) const;
  void take(Region &Later, const Region &Earlier);

  Function &F;
  function_ref<bool(const Instruction &)> IsKept;
  bool LosesOffset;
  RegionListener Listener;
  Numbers Values;
  SmallPtrSet<const Instruction *, 8> Refused;
  /// Of each phi of a later region, which one it is, and what is added.
  SmallVector<std::pair<PHINode *, APInt>, 4> Same;
};

} // namespace

/// Does the result depend on the operands alone, and is nothing else done?
static bool isPure(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() && readsConstants(I);
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return isa<CallInst>(I) && !Call->mayReadOrWriteMemory() &&
           Call->doesNotThrow() && !Call->isConvergent() &&
           !Call->hasOperandBundles();
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst,
             GetElementPtrInst, ExtractValueInst, InsertValueInst, FreezeInst>(
      I);
}

/// Is it many instructions of the assembler? A division is, with a branch for
/// operands that are very large or small.
static bool isLong(const Instruction &I) {
  return I.getOpcode() == Instruction::FDiv ||
         (isa<CallInst>(I) && !isa<IntrinsicInst>(I));
}

static uint64_t bits(const void *P) { return uint64_t(uintptr_t(P)); }

/// All that distinguishes the operation of \p I, but for its operands.
static std::vector<uint64_t> operationOf(const Instruction &I) {
  std::vector<uint64_t> Key = {I.getOpcode(), bits(I.getType()),
                               I.getRawSubclassOptionalData()};
  if (const auto *Compare = dyn_cast<CmpInst>(&I))
    Key.push_back(Compare->getPredicate());
  else if (const auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    Key.push_back(bits(GEP->getSourceElementType()));
  else if (const auto *Extract = dyn_cast<ExtractValueInst>(&I))
    append_range(Key, Extract->indices());
  else if (const auto *Insert = dyn_cast<InsertValueInst>(&I))
    append_range(Key, Insert->indices());
  else if (const auto *Call = dyn_cast<CallInst>(&I))
    Key.push_back(bits(Call->getAttributes().getRawPointer()));
  return Key;
}

Number Numbers::compute(const Instruction &I, const Along &Way,
                        unsigned Depth) {
  std::vector<uint64_t> Key = operationOf(I);
  Key.push_back(~uint64_t(0)); // between them and the operands
  for (const Value *Operand : I.operands())
    Key.push_back(of(Operand, Way, Depth + 1));
  auto [Found, IsNew] = Expressions.try_emplace(std::move(Key), 0);
  if (IsNew)
    Found->second = fresh();
  return Found->second;
}

Number Numbers::of(const Value *V, const Along &Way, unsigned Depth) {
  if (const auto On = Way.find(V); On != Way.end())
    return On->second;
  if (const auto Known = Outside.find(V); Known != Outside.end())
    return Known->second;
  const auto *I = dyn_cast<Instruction>(V);
  const Number N = I && Depth < DeepestValue && isPure(*I)
                       ? compute(*I, Along(), Depth)
                       : fresh();
  return Outside[V] = N;
}

/// What \p V is along \p Way. An addition of a constant is told apart.
static Coming comingOf(const Value *V, Numbers &Values,
                       const Numbers::Along &Way) {
  if (!V->getType()->isIntegerTy())
    return {Values.of(V, Way), APInt()};
  APInt Added(V->getType()->getIntegerBitWidth(), 0);
  const Value *Of;
  const APInt *C;
  while (match(V, m_Add(m_Value(Of), m_APInt(C)))) {
    Added += *C;
    V = Of;
  }
  if (match(V, m_APInt(C)))
    return {0, Added + *C};
  return {Values.of(V, Way), Added};
}

/// A comparison and its inverse are one condition.
static Condition conditionOf(const BranchInst &Branch, bool IsTaken,
                             Numbers &Values, const Numbers::Along &Way) {
  const Value *Test = Branch.getCondition();
  const auto *Compare = dyn_cast<CmpInst>(Test);
  if (!Compare || Compare->getPredicate() <= Compare->getInversePredicate())
    return {Values.of(Test, Way), IsTaken};
  auto *Inverse = cast<CmpInst>(Compare->clone());
  Inverse->setPredicate(Compare->getInversePredicate());
  const Number N = Values.compute(*Inverse, Way);
  Inverse->deleteValue();
  return {N, !IsTaken};
}

/// The region that begins with the branch of \p R; false: there is none that
/// could be equal to another.
bool EqualRegions::enclose(Region &R, const DominatorTree &DT,
                           const PostDominatorTree &PDT) const {
  const auto *Meeting = PDT.getNode(R.head())->getIDom();
  R.Tail = Meeting ? Meeting->getBlock() : nullptr;
  if (!R.Tail || R.Tail->phis().empty())
    return false;
  SmallVector<BasicBlock *, 8> Work(successors(R.head()));
  while (!Work.empty()) {
    BasicBlock *Block = Work.pop_back_val();
    if (Block == R.Tail || !R.Inside.insert(Block))
      continue;
    if (R.Inside.size() > MostBlocks || Block == R.head() ||
        !DT.dominates(R.head(), Block) ||
        !isa<BranchInst>(Block->getTerminator()))
      return false;
    append_range(Work, successors(Block));
  }
  if (any_of(predecessors(R.Tail), [&](BasicBlock *From) {
        return From != R.head() && !R.Inside.contains(From);
      }))
    return false;
  size_t Length = 0;
  bool IsWorthIt = false;
  for (BasicBlock *Block : R.Inside)
    for (Instruction &I : Block->instructionsWithoutDebug()) {
      if (!isa<PHINode>(I) && !I.isTerminator() && !isPure(I))
        return false;
      IsWorthIt |= isLong(I);
      if (++Length > MostInstructions)
        return false;
    }
  return IsWorthIt;
}

/// Follows the edge from \p From to \p To and all ways from there. False: they
/// are too many, or go in a circle.
bool EqualRegions::follow(Region &R, BasicBlock *From, BasicBlock *To,
                          std::vector<Condition> When, Numbers::Along Way) {
  if (To == R.Tail) {
    SmallVector<Coming, 4> Values4Tail;
    for (const PHINode &Phi : To->phis())
      Values4Tail.push_back(
          comingOf(Phi.getIncomingValueForBlock(From), Values, Way));
    return R.Ways.size() < MostWays &&
           R.Ways.try_emplace(std::move(When), std::move(Values4Tail)).second;
  }
  if (Way.contains(To))
    return false;
  Way[To] = 0; // was here
  SmallVector<std::pair<const PHINode *, Number>, 4> Phis;
  for (const PHINode &Phi : To->phis())
    Phis.push_back({&Phi, Values.of(Phi.getIncomingValueForBlock(From), Way)});
  for (auto [Phi, N] : Phis)
    Way[Phi] = N;
  for (const Instruction &I : *To)
    if (!isa<PHINode>(I) && !I.isTerminator())
      Way[&I] = Values.compute(I, Way);
  auto *Branch = cast<BranchInst>(To->getTerminator());
  if (Branch->isUnconditional())
    return follow(R, To, Branch->getSuccessor(0), std::move(When),
                  std::move(Way));
  for (unsigned N : {0u, 1u}) {
    std::vector<Condition> Further = When;
    Further.push_back(conditionOf(*Branch, N == 0, Values, Way));
    if (!follow(R, To, Branch->getSuccessor(N), std::move(Further), Way))
      return false;
  }
  return true;
}

/// Are all phis of \p Later's tail those of \p Earlier's, but for constants?
bool EqualRegions::isTakenFrom(const Region &Later, const Region &Earlier) {
  Same.clear();
  if (Later.Ways.size() != Earlier.Ways.size())
    return false;
  unsigned N = 0;
  for (const PHINode &Phi : Later.Tail->phis()) {
    unsigned M = 0;
    for (PHINode &Before : Earlier.Tail->phis()) {
      const unsigned Place = M++;
      if (Before.getType() != Phi.getType())
        continue;
      std::optional<APInt> Added;
      const bool AreEqual = all_of(Later.Ways, [&](const auto &Way) {
        const auto Other = Earlier.Ways.find(Way.first);
        if (Other == Earlier.Ways.end())
          return false;
        const Coming &Now = Way.second[N], &Then = Other->second[Place];
        const APInt Difference = Now.Added - Then.Added;
        if (!Added)
          Added = Difference;
        return Now.Base == Then.Base && Difference == *Added;
      });
      if (!AreEqual)
        continue;
      Same.push_back({&Before, *Added});
      break;
    }
    if (Same.size() != ++N)
      return false;
  }
  return true;
}

/// Why a product would be rounded another way without \p R.
std::string EqualRegions::whyFusedAnew(const Region &R) const {
  // What is computed within goes with all that uses it.
  auto DecidesByUses = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return I && !R.Inside.contains(I->getParent()) && decidesByUses(*I);
  };
  const bool IsUsedLess = any_of(R.Inside, [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      return any_of(I.operands(), DecidesByUses);
    });
  });
  return IsUsedLess || isFusedAnewIfJoined(*R.head(), *R.Tail)
             ? "a product before it would be fused with a sum behind it"
             : "";
}

void EqualRegions::take(Region &Later, const Region &Earlier) {
  IRBuilder<> B(&*Later.Tail->getFirstInsertionPt());
  SmallVector<PHINode *, 4> Phis(make_pointer_range(Later.Tail->phis()));
  for (auto [Phi, From] : zip_equal(Phis, Same)) {
    Value *Taken = From.first;
    if (Phi->getType()->isIntegerTy() && !From.second.isZero() && !LosesOffset)
      Taken = B.CreateAdd(Taken, ConstantInt::get(Phi->getType(), From.second));
    Phi->replaceAllUsesWith(Taken);
    Phi->eraseFromParent();
  }
  BasicBlock *Head = Later.head();
  Value *Test = Later.Branch->getCondition();
  Later.Branch->eraseFromParent();
  BranchInst::Create(Later.Tail, Head);
  DeleteDeadBlocks(Later.Inside.getArrayRef());
  RecursivelyDeleteTriviallyDeadInstructions(Test);
  MergeBlockIntoPredecessor(Later.Tail);
  ++NumShared;
}

bool EqualRegions::shareOne() {
  const DominatorTree DT(F);
  const PostDominatorTree PDT(F);
  Values = Numbers();
  std::vector<std::unique_ptr<Region>> Before;
  for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F)) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    if (!Branch || Branch->isUnconditional() || Refused.contains(Branch))
      continue;
    auto R = std::make_unique<Region>();
    R->Branch = Branch;
    if (!enclose(*R, DT, PDT))
      continue;
    bool IsFollowed = true;
    for (unsigned N : {0u, 1u})
      IsFollowed =
          IsFollowed &&
          follow(*R, Block, Branch->getSuccessor(N),
                 {conditionOf(*Branch, N == 0, Values, Numbers::Along())},
                 Numbers::Along());
    if (!IsFollowed)
      continue;
    const auto Equal = find_if(Before, [&](const auto &Earlier) {
      return DT.dominates(Earlier->Tail, Block) && isTakenFrom(*R, *Earlier);
    });
    if (Equal == Before.end()) {
      Before.push_back(std::move(R));
      continue;
    }
    if (IsKept(*Branch)) {
      Refused.insert(Branch);
      continue;
    }
    const std::string Why = whyFusedAnew(*R);
    Listener(*Branch, Why);
    if (Why.empty()) {
      take(*R, **Equal);
      return true;
    }
    Refused.insert(Branch);
  }
  return false;
}

bool sluice::shareEqualRegions(Function &F,
                               function_ref<bool(const Instruction &)> IsKept,
                               bool LosesOffset, RegionListener Listener) {
  unsigned Long = 0;
  for (const BasicBlock &Block : F)
    Long += count_if(
        Block, [](const Instruction &I) { return isLong(I) && isPure(I); });
  if (Long < 2)
    return false;
  EqualRegions Regions(F, IsKept, LosesOffset, Listener);
  unsigned Shared = 0;
  while (Shared < MostShared && Regions.shareOne())
    ++Shared;
  return Shared != 0;
}
