// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases that meet before the end:
//
//   switch (n) {                if (n < 3) {
//   case 3: a += v; break;        if (n == 0) return;
//   case 2: b += v; break;   =>   ...
//   case 1: c += v; break;      } else ...
//   case 0: return;
//   }
//   ...                         // all lanes but those of case 0, together
//
// LLVM makes one table of branches of a switch with many cases. Lanes that a
// table sends apart meet again only where all of its ways do: with a case that
// goes elsewhere, each of the others runs what stands behind the switch by
// itself. Of a tree of comparisons the assembler sees where most ways meet, and
// lets the others leave. It makes tables of the tree's leaves by itself, as it
// does in nvcc's code.
//
// LLVM makes trees if a function says so:
//
//   attributes #0 = { ... "no-jump-tables"="true" }      ; added

#include "SwitchTrees.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// LLVM's attribute of a function whose switches become trees.
static constexpr StringLiteral Trees = "no-jump-tables";

/// Of fewer LLVM makes no table.
static constexpr unsigned FewestCases = 4;
/// That meet; a tree takes a few comparisons more than a table.
static constexpr unsigned FewestWays = 3;
/// Instructions where they meet.
static constexpr int64_t FewestShared = 8;

/// Where most cases of \p Switch go on together; null: they do not, or there is
/// little to do.
static const BasicBlock *meetingPlace(const SwitchInst &Switch) {
  const BasicBlock *From = Switch.getParent();
  SmallMapVector<const BasicBlock *, unsigned, 4> Ways;
  SmallPtrSet<const BasicBlock *, 8> Seen;
  for (const BasicBlock *Case : successors(From))
    if (Seen.insert(Case).second)
      if (const BasicBlock *Then =
              Case->getUniquePredecessor() ? Case->getSingleSuccessor() : Case)
        ++Ways[Then];
  const auto *Most = max_element(
      Ways, [](const auto &X, const auto &Y) { return X.second < Y.second; });
  if (Most == Ways.end() || Most->second < FewestWays)
    return nullptr;
  const BasicBlock *Place = Most->first;
  const int64_t Phis = range_size(Place->phis());
  return Place->sizeWithoutDebug() < FewestShared + Phis ? nullptr : Place;
}

Rewritten sluice::letCasesMeet(Function &F, ChangeTest MayChange,
                               FunctionAnalysisManager &FAM) {
  Rewritten Done;
  SmallVector<const SwitchInst *, 4> Tables;
  SmallVector<std::pair<const SwitchInst *, const BasicBlock *>, 4> Meeting;
  for (const BasicBlock &BB : F) {
    const auto *Switch = dyn_cast<SwitchInst>(BB.getTerminator());
    if (!Switch || Switch->getNumCases() < FewestCases)
      continue;
    Tables.push_back(Switch);
    const BasicBlock *Place = meetingPlace(*Switch);
    if (Place && MayChange(*Switch))
      Meeting.emplace_back(Switch, Place);
  }
  if (Meeting.empty() || F.hasFnAttribute(Trees))
    return Done;
  // Where all ways meet a table's lanes do too.
  const auto &Ends = FAM.getResult<PostDominatorTreeAnalysis>(F);
  erase_if(Meeting, [&](const auto &M) {
    return Ends.dominates(M.second, M.first->getParent());
  });
  if (Meeting.empty())
    return Done;
  // Where all lanes go the same way a table is shorter.
  const auto &Threads = FAM.getResult<UniformityInfoAnalysis>(F);
  if (any_of(Tables, [&](const SwitchInst *Switch) {
        return Threads.isUniform(Switch->getCondition());
      }))
    return Done;
  F.addFnAttr(Trees, "true");
  Done.Count = Meeting.size();
  Done.At = Meeting.front().first->getDebugLoc();
  return Done;
}
