// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over uses, constants too: a kernel may reach a function by the initial
// value of a variable.

#include "sluice/Analysis/Reachability.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace sluice;
using namespace llvm;

ReachedGlobals sluice::reachableFrom(ArrayRef<const Function *> Roots) {
  ReachedGlobals Reached;
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<const Value *, 32> Work(Roots.begin(), Roots.end());
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!isa<Constant>(V) || !Seen.insert(V).second)
      continue;
    if (const auto *GV = dyn_cast<GlobalValue>(V))
      Reached.insert(GV);
    if (const auto *F = dyn_cast<Function>(V))
      for (const Instruction &I : instructions(*F))
        Work.append(I.op_begin(), I.op_end());
    else
      for (const Use &Operand : cast<Constant>(V)->operands())
        Work.push_back(Operand);
  }
  return Reached;
}

/// Functions that loop by themselves, or by calling one another: tail calls
/// become loops.
static SmallVector<const Function *, 32> loopingFunctions(Module &M) {
  SmallVector<const Function *, 32> Looping;
  for (const Function &F : M) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Edges;
    if (!F.isDeclaration())
      FindFunctionBackedges(F, Edges);
    if (!Edges.empty())
      Looping.push_back(&F);
  }
  CallGraph Calls(M);
  for (auto I = scc_begin(&Calls); !I.isAtEnd(); ++I)
    if (I.hasCycle())
      for (const CallGraphNode *Node : *I)
        if (const Function *F = Node->getFunction())
          Looping.push_back(F);
  return Looping;
}

ReachedGlobals sluice::reachingLoops(Module &M) {
  ReachedGlobals Reaching;
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<const Value *, 32> Work;
  for (const Function *F : loopingFunctions(M))
    Work.push_back(F);
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (const auto *I = dyn_cast<Instruction>(V))
      V = I->getFunction();
    if (!Seen.insert(V).second)
      continue;
    if (const auto *GV = dyn_cast<GlobalValue>(V))
      Reaching.insert(GV);
    Work.append(V->user_begin(), V->user_end());
  }
  return Reaching;
}

const Function *sluice::calleeWithBody(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

SmallSetVector<const Function *, 8> sluice::calledFrom(const Function &F) {
  SmallSetVector<const Function *, 8> Functions;
  Functions.insert(&F);
  for (unsigned Next = 0; Next < Functions.size(); ++Next)
    for (const Instruction &I : instructions(*Functions[Next]))
      if (const Function *Callee = calleeWithBody(I))
        Functions.insert(Callee);
  return Functions;
}
