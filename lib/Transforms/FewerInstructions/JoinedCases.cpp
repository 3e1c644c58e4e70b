// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of a short switch that go one way are one condition:
//
//   switch (n) {                     if (n == 4 || n == 0)
//   case 4: case 0: v = a[i]; ...      v = a[i]; ...
//   case 1: ...                =>    else if (n == 1)
//   default: ...                       ...
//   }                                else ...
//
// LLVM compares with each case, and branches. A block that two branches lead to
// is one more place where lanes of a warp meet, and the lanes that take none of
// the ways run through all of the branches. NVVM asks the first condition
// together.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

/// Of more LLVM makes a table or a tree.
static constexpr unsigned MostCases = 3;

/// Are \p Cases neighbours? Then one comparison is enough, and LLVM sees to it.
static bool areNeighbours(ArrayRef<ConstantInt *> Cases) {
  const auto Less = [](const ConstantInt *A, const ConstantInt *B) {
    return A->getValue().slt(B->getValue());
  };
  const APInt &First = (*min_element(Cases, Less))->getValue(),
              &Last = (*max_element(Cases, Less))->getValue();
  return Last - First == Cases.size() - 1;
}

/// The cases of \p Switch that go one way, if there are several, and not the
/// default's.
static SmallVector<ConstantInt *, 3> casesTogether(SwitchInst &Switch) {
  SmallMapVector<BasicBlock *, SmallVector<ConstantInt *, 3>, 4> Ways;
  for (const auto &Case : Switch.cases())
    if (Case.getCaseSuccessor() != Switch.getDefaultDest())
      Ways[Case.getCaseSuccessor()].push_back(Case.getCaseValue());
  for (auto &[To, Cases] : Ways)
    if (Cases.size() > 1 && !areNeighbours(Cases))
      return Cases;
  return {};
}

/// Asks \p Cases of \p Switch first, which go one way, by one condition.
static void askFirst(SwitchInst &Switch, ArrayRef<ConstantInt *> Cases,
                     bool IsWrong) {
  BasicBlock *From = Switch.getParent();
  BasicBlock *To = Switch.findCaseValue(Cases.front())->getCaseSuccessor();
  BasicBlock *Rest = From->splitBasicBlock(&Switch, From->getName() + ".rest");
  From->getTerminator()->eraseFromParent();
  IRBuilder<> B(From);
  B.SetCurrentDebugLocation(Switch.getDebugLoc());
  Value *Any = nullptr;
  SwitchInstProfUpdateWrapper Weighted(Switch);
  for (ConstantInt *Case : Cases) {
    Value *Is = B.CreateICmpEQ(Switch.getCondition(), Case);
    Any = !Any ? Is : IsWrong ? Any : B.CreateOr(Any, Is);
    Weighted.removeCase(Switch.findCaseValue(Case));
  }
  B.CreateCondBr(Any, To, Rest);
  // They were one edge each, all with one value.
  for (PHINode &Phi : To->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Rest);
    for (size_t I = 0; I < Cases.size(); ++I)
      Phi.removeIncomingValue(Rest, /*DeletePHIIfEmpty=*/false);
    Phi.addIncoming(V, From);
  }
}

Rewritten sluice::joinCases(Function &F, ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  SmallVector<SwitchInst *, 4> Short;
  for (BasicBlock &BB : F)
    if (auto *Switch = dyn_cast<SwitchInst>(BB.getTerminator());
        Switch && Switch->getNumCases() <= MostCases && MayChange(*Switch))
      Short.push_back(Switch);
  for (SwitchInst *Switch : Short) {
    const auto Cases = casesTogether(*Switch);
    if (Cases.empty())
      continue;
    if (!Done.Count++)
      Done.At = Switch->getDebugLoc();
    askFirst(*Switch, Cases, IsWrong);
  }
  return Done;
}
