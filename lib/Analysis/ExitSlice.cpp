// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backward slice (Weiser) over SSA form and control dependence (Ferrante,
// Ottenstein and Warren), within one iteration of a cycle. What stands before
// the cycle is as it is when the cycle begins, so it is not followed.

#include "ExitSlice.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace sluice;
using namespace llvm;

/// Does an edge to \p To leave the iteration that is under way?
bool ExitSlice::endsIteration(const BasicBlock *To) const {
  return To == C.getHeader() || !C.contains(To);
}

/// The blocks from which an iteration may end without \p BB.
ExitSlice::BlockSet ExitSlice::avoiding(const BasicBlock *BB) const {
  BlockSet Avoiding;
  SmallVector<const BasicBlock *, 16> Blocks;
  auto Add = [&](const BasicBlock *From) {
    if (From != BB && C.contains(From) && Avoiding.insert(From).second)
      Blocks.push_back(From);
  };
  for (const BasicBlock *From : C.blocks())
    if (any_of(successors(From), [&](auto *To) { return endsIteration(To); }))
      Add(From);
  while (!Blocks.empty()) {
    const BasicBlock *To = Blocks.pop_back_val();
    if (To != C.getHeader())
      for (const BasicBlock *From : predecessors(To))
        Add(From);
  }
  return Avoiding;
}

void ExitSlice::need(const Value *V) {
  if (const auto *I = dyn_cast<Instruction>(V))
    if (C.contains(I->getParent()) && Seen.insert(I).second)
      Work.push_back(I);
}

void ExitSlice::needOperands(const Instruction &I) {
  for (const Value *Operand : I.operands())
    need(Operand);
}

/// Of a branch or a switch the condition; of what else leaves a block, itself.
void ExitSlice::needTerminator(const BasicBlock *BB) {
  if (C.contains(BB) && succ_size(BB) > 1)
    need(BB->getTerminator());
}

/// A branch decides on a block if one of its sides leads there in any case, and
/// another need not, in this iteration. (In a post-dominator tree of the whole
/// function a block that a loop waits for would depend on nothing.)
void ExitSlice::needControlOf(const BasicBlock *BB) {
  SmallVector<const BasicBlock *, 8> Blocks{BB};
  while (!Blocks.empty()) {
    const BasicBlock *At = Blocks.pop_back_val();
    if (!C.contains(At) || !Controlled.insert(At).second)
      continue;
    const BlockSet Avoiding = avoiding(At);
    auto MayAvoid = [&](const BasicBlock *To) {
      return endsIteration(To) || Avoiding.contains(To);
    };
    for (const BasicBlock *By : C.blocks())
      if (any_of(successors(By), MayAvoid) &&
          !all_of(successors(By), MayAvoid)) {
        needTerminator(By);
        Blocks.push_back(By);
      }
  }
}

/// `done = true` in `if (atomicCAS(...) == 0)` is a phi of constants: it
/// depends on how control came.
void ExitSlice::needIncoming(const PHINode &Phi) {
  needOperands(Phi);
  SmallPtrSet<const BasicBlock *, 4> Within;
  for (const BasicBlock *From : Phi.blocks())
    if (C.contains(From))
      Within.insert(From);
  if (Within.size() < 2)
    return; // there is one way to come, or to come again
  for (const BasicBlock *From : Within) {
    needTerminator(From);
    needControlOf(From);
  }
}

/// What an inner cycle computes depends on how often it runs.
void ExitSlice::needInnerExits(const Instruction &I) {
  for (const Cycle *Inner = Cycles.getCycle(I.getParent());
       Inner && Inner != &C; Inner = Inner->getParentCycle())
    needExits(*Inner);
}

/// After a failed assertion or a trap the kernel has no result.
static bool abortsKernel(const BasicBlock &BB) {
  return isa<UnreachableInst>(BB.getTerminator()) &&
         any_of(BB, [](const Instruction &I) {
           const auto *Call = dyn_cast<CallBase>(&I);
           const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           return Callee && (Callee->getIntrinsicID() == Intrinsic::trap ||
                             Callee->getName() == "__assertfail" ||
                             Callee->getName() == "__assert_fail");
         });
}

void ExitSlice::needExits(const Cycle &Of) {
  if (!Left.insert(&Of).second)
    return;
  for (const BasicBlock *BB : Of.blocks()) {
    const bool Leaves = any_of(successors(BB), [&](const BasicBlock *To) {
      return !Of.contains(To) && !abortsKernel(*To);
    });
    const bool EndsThread = any_of(*BB, [](const Instruction &I) {
      const auto *Call = dyn_cast<IntrinsicInst>(&I);
      return Call && Call->getIntrinsicID() == Intrinsic::nvvm_exit;
    });
    if (Leaves)
      needTerminator(BB);
    if (Leaves || EndsThread)
      needControlOf(BB);
  }
}

/// May \p I itself write at \p Location, which is memory of the thread's own?
/// To LLVM an atomic or a fence writes all that others may.
static bool writesOwn(const Instruction &I, const MemoryLocation &Location,
                      AAResults &AA) {
  if (!I.mayWriteToMemory() || isa<LoadInst, FenceInst>(I))
    return false;
  if (I.isAtomic())
    if (auto Written = MemoryLocation::getOrNone(&I))
      return !AA.isNoAlias(*Written, Location);
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
    if (Call->isAssumeLikeIntrinsic() || Call->isLifetimeStartOrEnd() ||
        none_of(Call->args(), [](const Value *Argument) {
          return Argument->getType()->isPointerTy();
        }))
      return false;
  return isModSet(AA.getModRefInfo(&I, Location));
}

/// Of memory of the thread's own: what the cycle writes there, and when.
std::string ExitSlice::followWritesOf(const LoadInst &Load) {
  MemoryLocation Location = MemoryLocation::get(&Load);
  for (const BasicBlock *BB : C.blocks())
    for (const Instruction &I : *BB) {
      if (!writesOwn(I, Location, AA))
        continue;
      if (!isa<StoreInst, MemSetInst>(I))
        return "memory that is also written by more than stores";
      needOperands(I);
      needControlOf(BB);
      needInnerExits(I);
    }
  return "";
}

std::string ExitSlice::followLoad(const LoadInst &Load) {
  needOperands(Load);
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Load.getPointerOperand(), Objects);
  if (all_of(Objects, [](const Value *O) { return isa<AllocaInst>(O); }))
    return followWritesOf(Load);
  if (Load.isVolatile())
    return "a volatile load";
  if (Load.isAtomic())
    return "an atomic load";
  if (Load.hasMetadata(LLVMContext::MD_invariant_load) ||
      !isModSet(AA.getModRefInfoMask(MemoryLocation::get(&Load))) ||
      Unwritten(Load))
    return "";
  return "memory that another thread may write";
}

/// Adds what \p I depends on; or returns what it is that others may decide.
std::string ExitSlice::follow(const Instruction &I) {
  needInnerExits(I);
  if (const auto *Phi = dyn_cast<PHINode>(&I)) {
    needIncoming(*Phi);
    return "";
  }
  if (isa<BranchInst, SwitchInst>(I) || isFunctionOfOperands(I)) {
    needOperands(I);
    return "";
  }
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return followLoad(*Load);
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return I.isAtomic() ? "an atomic operation" : "what is not known";
  if (Call->isInlineAsm())
    return "inline assembly";
  const Function *Callee = Call->getCalledFunction();
  if (!Callee)
    return "a call through a pointer";
  if (isa<IntrinsicInst>(Call)) {
    // Textures and the like: read-only while the kernel runs.
    if (threadOrderOf(I) == ThreadOrder::None && Call->onlyReadsMemory()) {
      needOperands(I);
      return "";
    }
    return Callee->getName().starts_with("llvm.nvvm.atomic")
               ? "an atomic operation"
               : "'" + Callee->getName().str() + "'";
  }
  return "what '" + demangle(Callee->getName().str()) + "' reads";
}

const Instruction *ExitSlice::findForeign(std::string &What) {
  needExits(C);
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    What = follow(*I);
    if (!What.empty())
      return I;
  }
  return nullptr;
}
