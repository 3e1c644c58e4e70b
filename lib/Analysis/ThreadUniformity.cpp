// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM computes uniformity from what a target calls a source of divergence.
// NVPTX's own answer is not used: it is for a warp, and takes each load through
// a generic pointer for divergent.

#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"

using namespace sluice;
using namespace llvm;

/// A special register that is the same in all threads of a block.
static bool isRegisterOfBlock(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
  case Intrinsic::nvvm_read_ptx_sreg_smid:
  case Intrinsic::nvvm_read_ptx_sreg_nsmid:
    return true;
  default:
    return false;
  }
}

/// Do threads with the same operands get the same from \p Call? (Not so of all
/// that isFunctionOfOperands, of ThreadOrder.h: threads have registers of their
/// own.)
static bool isSameForSameOperands(const CallBase &Call) {
  return Call.doesNotAccessMemory() && !Call.isConvergent() &&
         !Call.isInlineAsm() && Call.arg_size() > 0;
}

static bool isSourceOfDivergence(const Value *V) {
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand()));
  if (const auto *Call = dyn_cast<CallBase>(V)) {
    if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(Call))
      if (isRegisterOfBlock(Intrinsic->getIntrinsicID()))
        return false;
    return !isSameForSameOperands(*Call);
  }
  return isa<AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(V);
}

namespace {

class ThreadsOfBlock : public TargetTransformInfoImplBase {
public:
  ThreadsOfBlock(const DataLayout &DL, bool LoadsDiffer)
      : TargetTransformInfoImplBase(DL), LoadsDiffer(LoadsDiffer) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity
  getInstructionUniformity(const Value *V) const override {
    const auto *I = dyn_cast<Instruction>(V);
    return isSourceOfDivergence(V) ||
                   (LoadsDiffer && I && I->mayReadFromMemory())
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::Default;
  }

private:
  const bool LoadsDiffer;
};

} // namespace

ThreadUniformity::ThreadUniformity(Function &F, bool LoadsDiffer) {
  Analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return DominatorTreeAnalysis(); });
  Analyses.registerPass([] { return CycleAnalysis(); });
  Analyses.registerPass([] { return UniformityInfoAnalysis(); });
  Analyses.registerPass([LoadsDiffer] {
    return TargetIRAnalysis([LoadsDiffer](const Function &F) {
      return TargetTransformInfo(
          std::make_unique<ThreadsOfBlock>(F.getDataLayout(), LoadsDiffer));
    });
  });
  Info = &Analyses.getResult<UniformityInfoAnalysis>(F);
  findRead(F);
}

bool ThreadUniformity::isDivergent(const Instruction &End) const {
  return Info->hasDivergentTerminator(*End.getParent());
}

bool ThreadUniformity::leavesDivergently(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const BasicBlock *BB) {
    return Info->hasDivergentTerminator(*BB);
  });
}

/// Does \p I itself read a value from memory?
static bool readsMemory(const Instruction &I) {
  if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  // The texture fetches, ldg and ldu.
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->onlyReadsMemory() && !Call->doesNotAccessMemory() &&
         !Call->onlyAccessesInaccessibleMemory();
}

/// Is what \p Of computes made of the operand?
static bool isMadeOf(const Use &Operand) {
  const User *Of = Operand.getUser();
  // What a comparison finds chooses between values; it is none itself.
  if (isa<CmpInst>(Of))
    return false;
  if (isa<SelectInst>(Of))
    return Operand.getOperandNo() != 0;
  if (const auto *Call = dyn_cast<CallBase>(Of)) // a shuffle passes it on
    return Call->isArgOperand(&Operand) &&
           (isa<IntrinsicInst>(Call) || Call->doesNotAccessMemory());
  return true;
}

void ThreadUniformity::findRead(Function &F) {
  SmallVector<const Instruction *, 32> Work;
  auto Add = [&](const Instruction &I) {
    if (!isUniform(&I) && Read.insert(&I).second)
      Work.push_back(&I);
  };
  for (const Instruction &I : instructions(F))
    if (readsMemory(I))
      Add(I);
  while (!Work.empty())
    for (const Use &Operand : Work.pop_back_val()->uses())
      if (isMadeOf(Operand))
        Add(*cast<Instruction>(Operand.getUser()));
}

static bool isSameInWarp(const CallBase &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return false;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return true;
  default:
    return Call.doesNotAccessMemory();
  }
}

bool sluice::mayDifferByLane(const Value &V) {
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<const Value *, 16> Work = {&V};
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    const auto *Call = dyn_cast<CallBase>(I);
    if (isa<LoadInst>(I) || (Call && !isSameInWarp(*Call)))
      return true;
    append_range(Work, I->operands());
  }
  return false;
}
