// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Transforms/LoopRounding.h"
#include "RefilledArrays.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include <utility>

using namespace llvm;
using namespace sluice;

static constexpr const char *HowUnrolled =
    "whether a product is fused with a sum depends on how it is unrolled";

static bool anyIn(const Loop &L,
                  function_ref<bool(const Instruction &)> Holds) {
  return any_of(L.blocks(),
                [&](const BasicBlock *BB) { return any_of(*BB, Holds); });
}

/// Flags let the compiler add in another order.
static bool hasReassociation(const Loop &L) {
  return anyIn(L, [](const Instruction &I) {
    return isa<FPMathOperator>(I) && I.hasAllowReassoc();
  });
}

bool sluice::isFusedProduct(const Instruction &I) {
  return I.getOpcode() == Instruction::FMul && I.hasAllowContract();
}

bool sluice::isSum(const Instruction &I) {
  return I.getOpcode() == Instruction::FAdd ||
         I.getOpcode() == Instruction::FSub;
}

bool sluice::readsConstants(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Array = Load ? dyn_cast<GlobalVariable>(
                                 getUnderlyingObject(Load->getPointerOperand()))
                           : nullptr;
  return Array && Array->isConstant();
}

SmallVector<const Instruction *, 2>
sluice::distantSumsOf(const Instruction &Product) {
  SmallVector<const Instruction *, 2> Sums;
  SmallVector<const Instruction *, 8> Work = {&Product};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    for (const User *U : I->users()) {
      const auto *By = cast<Instruction>(U);
      if (isSum(*By)) {
        if (I != &Product || By->getParent() != I->getParent())
          Sums.push_back(By);
      } else if ((isa<PHINode, SelectInst>(By) ||
                  By->getOpcode() == Instruction::FNeg) &&
                 Seen.insert(By).second) {
        Work.push_back(By);
      }
    }
  }
  return Sums;
}

static bool isSummed(const Instruction &Product) {
  return any_of(Product.users(),
                [](const User *U) { return isSum(*cast<Instruction>(U)); }) ||
         !distantSumsOf(Product).empty();
}

/// Where clang unrolls a loop, a product is fused with what the next iteration
/// adds it to, and rounds another way; who rewrites the loop does not know if
/// clang would.
static bool carriesSummand(const Loop &L) {
  auto IsSummed = [&](const User *U) {
    const auto *I = cast<Instruction>(U);
    return L.contains(I) &&
           (I->getOpcode() == Instruction::FAdd ||
            I->getOpcode() == Instruction::FSub ||
            I->getOpcode() == Instruction::FNeg || isa<IntrinsicInst>(I));
  };
  return any_of(L.getHeader()->phis(), [&](const PHINode &P) {
    const auto *Next =
        dyn_cast<Instruction>(P.getIncomingValueForBlock(L.getLoopLatch()));
    return Next && L.contains(Next) && isFusedProduct(*Next) &&
           any_of(P.users(), IsSummed);
  });
}

namespace {
/// What may be a constant in an iteration of a loop that is unrolled whole.
class Constants {
  const Loop &L;
  SmallPtrSet<const Value *, 32> Others;

  bool follows(const Instruction &I) const {
    auto IsConstant = [&](const Value *V) { return mayBe(V); };
    if (const auto *P = dyn_cast<PHINode>(&I))
      return any_of(P->incoming_values(), [&](const Value *V) {
        // A product with zero is exact.
        return mayBe(V) && !match(V, PatternMatch::m_AnyZeroFP());
      });
    return (!I.mayReadOrWriteMemory() || readsConstants(I)) &&
           all_of(I.operands(), IsConstant);
  }

public:
  explicit Constants(const Loop &L) : L(L) {
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const BasicBlock *BB : L.blocks())
        for (const Instruction &I : *BB)
          Changed |= mayBe(&I) && !follows(I) && Others.insert(&I).second;
  }

  bool mayBe(const Value *V) const {
    const auto *I = dyn_cast<Instruction>(V);
    return I ? L.contains(I) && !Others.contains(I) : isa<Constant>(V);
  }
};
} // namespace

bool sluice::mayHaveConstantProduct(const Loop &L) {
  const Constants Known(L);
  return anyIn(L, [&](const Instruction &I) {
    return isFusedProduct(I) && Known.mayBe(&I) && isSummed(I);
  });
}

/// Is there a condition in \p L, but for its end, that only counters decide?
static bool hasKnownCondition(const Loop &L) {
  const Constants Known(L);
  return anyIn(L, [&](const Instruction &I) {
    if (const auto *Select = dyn_cast<SelectInst>(&I))
      return Known.mayBe(Select->getCondition());
    const auto *Branch = dyn_cast<BranchInst>(&I);
    return Branch && Branch->isConditional() &&
           I.getParent() != L.getLoopLatch() &&
           Known.mayBe(Branch->getCondition());
  });
}

/// Does a product in \p L come to a sum in it from another block, or by other
/// values?
static bool hasDistantSum(const Loop &L) {
  return anyIn(L, [&](const Instruction &I) {
    return isFusedProduct(I) &&
           any_of(distantSumsOf(I),
                  [&](const Instruction *Sum) { return L.contains(Sum); });
  });
}

namespace {
/// What differs from one iteration of a loop to each later one: by the data
/// that it reads, or by a counter that never comes back.
class Progress {
  const Loop &L;
  SmallPtrSet<const Value *, 32> Counting, Data;

  bool isFixed(const Value *V) const {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || !L.contains(I);
  }

  /// A header's phi that is moved on by the same each time.
  bool isCounter(const PHINode &P) const {
    const auto *Next =
        dyn_cast<Instruction>(P.getIncomingValueForBlock(L.getLoopLatch()));
    return Next && L.contains(Next) && !P.getType()->isFloatingPointTy() &&
           (Next->getOpcode() == Instruction::Add ||
            Next->getOpcode() == Instruction::Sub ||
            Next->getOpcode() == Instruction::GetElementPtr) &&
           is_contained(Next->operands(), &P) &&
           all_of(Next->operands(),
                  [&](const Value *V) { return V == &P || isFixed(V); });
  }

  bool counts(const Instruction &I) const {
    switch (I.getOpcode()) {
    case Instruction::PHI:
      return I.getParent() == L.getHeader() && isCounter(cast<PHINode>(I));
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::GetElementPtr:
      return any_of(I.operands(),
                    [&](const Value *V) { return Counting.contains(V); }) &&
             all_of(I.operands(), [&](const Value *V) {
               return isFixed(V) || Counting.contains(V);
             });
    default:
      return false;
    }
  }

  bool dependsOnData(const Instruction &I) const {
    if (isa<PHINode>(I) && I.getParent() == L.getHeader())
      return !isCounter(cast<PHINode>(I));
    const bool TakesCounter = isa<LoadInst, SIToFPInst, UIToFPInst>(I);
    return any_of(I.operands(), [&](const Value *V) {
      return Data.contains(V) || (TakesCounter && Counting.contains(V));
    });
  }

public:
  explicit Progress(const Loop &L) : L(L) {
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const BasicBlock *BB : L.blocks())
        for (const Instruction &I : *BB) {
          Changed |=
              !Counting.contains(&I) && counts(I) && Counting.insert(&I).second;
          Changed |=
              !Data.contains(&I) && dependsOnData(I) && Data.insert(&I).second;
        }
  }

  bool isData(const Instruction &I) const { return Data.contains(&I); }
};
} // namespace

/// Does LLVM keep \p L a loop, whatever it becomes?
static bool isKept(const Loop &L, ScalarEvolution &SE) {
  // With at most so many it has copies that each may end it.
  static constexpr unsigned MostEnds = 8;
  return !SE.getSmallConstantTripCount(&L) &&
         (!SE.getSmallConstantMaxTripCount(&L) ||
          SE.getSmallConstantMaxTripCount(&L) > MostEnds);
}

/// A product that is the same every few iterations, as of `A[j % 8]`, is moved
/// out where as many are taken together, away from its sum. Of a loop in \p L
/// that stays one, and in which the product differs from iteration to
/// iteration, it cannot leave; that is looked at if there is \p SE.
static bool hasRepeatedProduct(const Loop &L, ScalarEvolution *SE = nullptr) {
  auto StaysWithin = [&](const Instruction &I) {
    return any_of(L.getLoopsInPreorder(), [&](const Loop *In) {
      return In != &L && In->contains(&I) && In->isInnermost() &&
             isKept(*In, *SE) && Progress(*In).isData(I);
    });
  };
  const Progress Differs(L);
  return anyIn(L, [&](const Instruction &I) {
    return isFusedProduct(I) && isSummed(I) && !Differs.isData(I) &&
           !(SE && StaysWithin(I));
  });
}

std::string sluice::whyProductApart(const Loop &L, unsigned ClangsCopies) {
  const bool Any = ClangsCopies == 1 && !sumsOfProductsFromBefore(L).empty();
  return Any ? "a product from before it is added in it, and fused with the "
               "sum where there is one copy of the loop"
             : "";
}

static std::string whyUnrolledAnew(const Loop &L, unsigned ClangsCopies,
                                   ScalarEvolution *SE,
                                   bool FusesProductsFromBefore = false) {
  if (hasReassociation(L))
    return "its results may be added up in any order";
  if (carriesSummand(L))
    return "it carries a product over into its next iteration";
  // Also where several iterations are taken together: every second, say.
  if (hasDistantSum(L) && hasKnownCondition(L))
    return HowUnrolled;
  if (L.getLoopLatch() && hasRepeatedProduct(L, SE))
    return "a product in it may be the same every few iterations";
  return FusesProductsFromBefore ? "" : whyProductApart(L, ClangsCopies);
}

std::string sluice::whyRoundedAnew(const Loop &L, unsigned ClangsCopies) {
  return whyUnrolledAnew(L, ClangsCopies, nullptr);
}

namespace {
/// What certainly differs from one iteration of a loop to the next, also where
/// counters of the loops inside it have become constants, and elements of local
/// arrays values.
class Variation {
  const Loop &Around;
  const RefilledArrays Refilled;
  SmallPtrSet<const Value *, 32> Uncertain;

  bool isFixed(const Value *V) const {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || !Around.contains(I);
  }

  bool follows(const Instruction &I) const {
    auto IsCertain = [&](const Value *V) { return isCertain(V); };
    if (const auto *P = dyn_cast<PHINode>(&I))
      return P->getParent() == Around.getHeader() ||
             all_of(P->incoming_values(), IsCertain);
    switch (I.getOpcode()) {
    case Instruction::Call:
      return false;
    case Instruction::Select:
      return isCertain(I.getOperand(0)) ||
             (isCertain(I.getOperand(1)) && isCertain(I.getOperand(2)));
    case Instruction::Load:
      return isCertain(I.getOperand(0)) ||
             Refilled.isFilledBy(I.getOperand(0), IsCertain) ||
             Refilled.isInRewrittenTile(I.getOperand(0));
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::GetElementPtr:
      return any_of(I.operands(), IsCertain);
    default:
      // One that is constant may decide: 0 times anything.
      return any_of(I.operands(), IsCertain) &&
             all_of(I.operands(),
                    [&](const Value *V) { return isFixed(V) || isCertain(V); });
    }
  }

public:
  Variation(const Loop &Around, ScalarEvolution &SE, const DominatorTree &DT)
      : Around(Around), Refilled(Around, SE, DT) {
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const BasicBlock *BB : Around.blocks())
        for (const Instruction &I : *BB)
          Changed |=
              isCertain(&I) && !follows(I) && Uncertain.insert(&I).second;
  }

  bool isCertain(const Value *V) const {
    return !isFixed(V) && !Uncertain.contains(V);
  }
};
} // namespace

/// Where the loop is unrolled whole, or its first iteration taken out, what is
/// before it, in it and behind it becomes one block.
static bool fusesElsewhere(const Loop &L) {
  return any_of(
      instructions(L.getHeader()->getParent()), [&](const Instruction &I) {
        if (!isFusedProduct(I))
          return false;
        const auto Sums = distantSumsOf(I);
        auto IsIn = [&](const Instruction *Sum) { return L.contains(Sum); };
        return L.contains(&I) ? !Sums.empty() : any_of(Sums, IsIn);
      });
}

/// Does \p L run in some iterations of a loop around it only, as with turns?
/// Then no load goes from it to before that loop: it might fault.
static bool isGuarded(const Loop &L, const Loop &Around,
                      const Variation &Varies, const DominatorTree &DT) {
  for (const DomTreeNode *N = DT.getNode(L.getHeader())->getIDom();
       N && Around.contains(N->getBlock()); N = N->getIDom()) {
    const auto *Branch = dyn_cast<BranchInst>(N->getBlock()->getTerminator());
    if (Branch && Branch->isConditional() &&
        Varies.isCertain(Branch->getCondition()) &&
        any_of(Branch->successors(), [&](const BasicBlock *To) {
          return DT.dominates(BasicBlockEdge(N->getBlock(), To), L.getHeader());
        }))
      return true;
  }
  return false;
}

/// Has \p Product a value that is loaded in \p L, where that may fault?
static bool mayFault(const Instruction &Product, const Loop &L) {
  SmallVector<const Instruction *, 8> Work = {&Product};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (isa<LoadInst>(I) && !isSafeToSpeculativelyExecute(I))
      return true;
    for (const Value *V : I->operands())
      if (const auto *From = dyn_cast<Instruction>(V);
          From && L.contains(From) && Seen.insert(From).second)
        Work.push_back(From);
  }
  return false;
}

/// Iterations that LLVM can unroll whole: its threshold of 300 instructions,
/// four times as many where constants simplify them.
static constexpr unsigned MostUnrolled = 1200;

/// It takes iterations out for values and conditions that do not change after
/// them.
bool sluice::mayLoseIterations(const Loop &L, ScalarEvolution &SE) {
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  if (Most != 0 && Most <= MostUnrolled)
    return true;
  auto Settles = [&](const PHINode &P) {
    const Value *Next = P.getIncomingValueForBlock(L.getLoopLatch());
    const auto *Other = dyn_cast<PHINode>(Next);
    return L.isLoopInvariant(Next) ||
           (Other && Other->getParent() == L.getHeader());
  };
  if (any_of(L.getHeader()->phis(), Settles))
    return true;
  const Instruction *End = L.getLoopLatch()->getTerminator();
  return any_of(L.blocks(), [&](BasicBlock *BB) {
    return any_of(*BB, [&](Instruction &I) {
      auto *Compare = dyn_cast<ICmpInst>(&I);
      if (!Compare || is_contained(End->operands(), Compare))
        return false;
      Value *A = Compare->getOperand(0), *B = Compare->getOperand(1);
      if (!SE.isSCEVable(A->getType()))
        return false;
      auto Counts = [&](Value *V, Value *Against) {
        const auto *Form = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V));
        return Form && Form->getLoop() == &L &&
               SE.isLoopInvariant(SE.getSCEV(Against), &L);
      };
      return Counts(A, B) || Counts(B, A);
    });
  });
}

/// Of loops that lose iterations.
static std::string whySumsTakenApart(const Loop &L, ScalarEvolution &SE,
                                     bool FusesSumsFromZero) {
  if (!mayLoseIterations(L, SE))
    return "";
  if (mayHaveConstantProduct(L))
    return "a product in it may be a constant";
  if (!FusesSumsFromZero && hasSumFromZero(L))
    return "its first sum may be a product alone";
  if (fusesElsewhere(L))
    return HowUnrolled;
  const Loop *Around = L.getParentLoop();
  if (!Around)
    return "";
  const DominatorTree DT(*L.getHeader()->getParent());
  for (; Around; Around = Around->getParentLoop()) {
    const Variation Varies(*Around, SE, DT);
    const bool IsGuarded = isGuarded(L, *Around, Varies, DT);
    auto MayLeave = [&](const Instruction &I) {
      return isFusedProduct(I) && !Varies.isCertain(&I) && isSummed(I) &&
             !(IsGuarded && mayFault(I, L));
    };
    if (anyIn(L, MayLeave))
      return "a product in it may be the same each time, and be taken out "
             "of a loop around it";
  }
  return "";
}

std::string sluice::whyRoundedAnew(const Loop &L, ScalarEvolution &SE,
                                   unsigned ClangsCopies,
                                   bool FusesSumsFromZero,
                                   bool FusesProductsFromBefore) {
  const std::string Why =
      whyUnrolledAnew(L, ClangsCopies, nullptr, FusesProductsFromBefore);
  return Why.empty() ? whySumsTakenApart(L, SE, FusesSumsFromZero) : Why;
}

std::string sluice::whyNestRoundedAnew(const Loop &L, ScalarEvolution &SE,
                                       bool MayBeWhole) {
  const std::string Why = whyUnrolledAnew(L, /*ClangsCopies=*/1, &SE);
  return Why.empty() && MayBeWhole
             ? whySumsTakenApart(L, SE, /*FusesSumsFromZero=*/false)
             : Why;
}
