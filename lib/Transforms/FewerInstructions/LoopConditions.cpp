// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a loop's condition does not change in it is asked before it:
//
//   for (...)                            never = low > x || x > high;
//     if (x > i && low <= x    =>        for (...)
//         && x <= high) ...                if (!never && x > i) ...
//
// LLVM moves each comparison out of the loop, and then (CodeGenPrepare) back to
// where its result is used, as there are few registers for results. In an order
// that mixes what changes with what does not, none of what joins them can move.
// One result for all of them stays before the loop.

#include "FewerInstructions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

/// Fewer stay: one comparison is no more than to hold its result.
static constexpr size_t FewestSame = 2;

namespace {

/// A condition of \p L: parts of which one holds (`||`), or all (`&&`).
class PartedCondition {
public:
  PartedCondition(const Loop &L, bool IsOr) : L(L), IsOr(IsOr) {}
  /// Finds the parts that do not change in the loop.
  void read(Value &V) {
    if (L.isLoopInvariant(&V))
      Same.insert(&V);
    else if (const auto [A, B] = parts(V); A) {
      read(*A);
      read(*B);
    } else
      IsOther = true;
  }
  bool isWorthIt() const { return IsOther && Same.size() >= FewestSame; }
  Value *before(IRBuilder<> &B) const;
  Value *withoutSame(Value &V) const;
  Value *join(IRBuilder<> &B, Value *First, Value *Then) const {
    return IsOr ? B.CreateLogicalOr(First, Then)
                : B.CreateLogicalAnd(First, Then);
  }

private:
  std::pair<Value *, Value *> parts(Value &V) const;

  const Loop &L;
  const bool IsOr;
  SmallSetVector<Value *, 8> Same;
  bool IsOther = false;
};

} // namespace

std::pair<Value *, Value *> PartedCondition::parts(Value &V) const {
  Value *A = nullptr, *B = nullptr;
  if (!V.hasOneUse() ||
      !(IsOr ? match(&V, m_LogicalOr(m_Value(A), m_Value(B)))
             : match(&V, m_LogicalAnd(m_Value(A), m_Value(B)))))
    return {};
  return {A, B};
}

/// All that does not change, as one. It is asked where one of it was not, as
/// those before it decided: then it may be anything, but only one thing.
Value *PartedCondition::before(IRBuilder<> &B) const {
  Value *All = nullptr;
  for (Value *Own : Same) {
    if (!isGuaranteedNotToBeUndefOrPoison(Own))
      Own = B.CreateFreeze(Own);
    All = !All ? Own : IsOr ? B.CreateOr(All, Own) : B.CreateAnd(All, Own);
  }
  return All;
}

/// What is left, null if nothing is. It keeps its order.
Value *PartedCondition::withoutSame(Value &V) const {
  if (Same.contains(&V))
    return nullptr;
  const auto [A, B] = parts(V);
  if (!A)
    return &V;
  Value *First = withoutSame(*A), *Then = withoutSame(*B);
  if (!First || !Then)
    return First ? First : Then;
  if (First == A && Then == B)
    return &V;
  IRBuilder<> Here(cast<Instruction>(&V));
  if (isa<SelectInst>(V))
    return join(Here, First, Then);
  return IsOr ? Here.CreateOr(First, Then) : Here.CreateAnd(First, Then);
}

static bool askBefore(BranchInst &Branch, const Loop &L, bool IsWrong) {
  Value *Old = Branch.getCondition();
  for (const bool IsOr : {true, false}) {
    PartedCondition Condition(L, IsOr);
    Condition.read(*Old);
    if (!Condition.isWorthIt())
      continue;
    IRBuilder<> Before(L.getLoopPreheader()->getTerminator());
    Value *Same = Condition.before(Before);
    Value *Rest = Condition.withoutSame(*Old);
    IRBuilder<> Here(&Branch);
    Branch.setCondition(IsWrong ? Rest : Condition.join(Here, Same, Rest));
    RecursivelyDeleteTriviallyDeadInstructions(Old);
    return true;
  }
  return false;
}

Rewritten sluice::askBeforeLoops(Function &F, ChangeTest MayChange,
                                 FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  for (BasicBlock &Block : F) {
    const Loop *L = LI.getLoopFor(&Block);
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    if (!L || !L->getLoopPreheader() || !Branch || !Branch->isConditional() ||
        !MayChange(*Branch) || !askBefore(*Branch, *L, IsWrong))
      continue;
    if (!Done.Count++)
      Done.At = Branch->getDebugLoc();
  }
  return Done;
}
