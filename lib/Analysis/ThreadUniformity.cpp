// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM computes uniformity from what a target calls a source of divergence.
// NVPTX's own answer is not used: it is for a warp, and takes each load through
// a generic pointer for divergent.

#include "sluice/Analysis/ThreadUniformity.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
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

/// Does \p Call compute something of its operands alone?
static bool isFunctionOfOperands(const CallBase &Call) {
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
    return !isFunctionOfOperands(*Call);
  }
  return isa<AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(V);
}

namespace {

class ThreadsOfBlock : public TargetTransformInfoImplBase {
public:
  explicit ThreadsOfBlock(const DataLayout &DL)
      : TargetTransformInfoImplBase(DL) {}
  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity
  getInstructionUniformity(const Value *V) const override {
    return isSourceOfDivergence(V) ? InstructionUniformity::NeverUniform
                                   : InstructionUniformity::Default;
  }
};

} // namespace

ThreadUniformity::ThreadUniformity(Function &F) {
  Analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return DominatorTreeAnalysis(); });
  Analyses.registerPass([] { return CycleAnalysis(); });
  Analyses.registerPass([] { return UniformityInfoAnalysis(); });
  Analyses.registerPass([] {
    return TargetIRAnalysis([](const Function &F) {
      return TargetTransformInfo(
          std::make_unique<ThreadsOfBlock>(F.getDataLayout()));
    });
  });
  Info = &Analyses.getResult<UniformityInfoAnalysis>(F);
}

bool ThreadUniformity::leavesDivergently(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const BasicBlock *BB) {
    return Info->hasDivergentTerminator(*BB);
  });
}

bool ThreadUniformity::isRead(const Value *V) const {
  SmallVector<const Value *, 16> Work{V};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    // What a comparison finds chooses between values; it is none itself.
    if (!I || !Seen.insert(I).second || isa<CmpInst>(I) || isUniform(I))
      continue;
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
      return true;
    if (const auto *Select = dyn_cast<SelectInst>(I)) {
      Work.append({Select->getTrueValue(), Select->getFalseValue()});
      continue;
    }
    if (const auto *Call = dyn_cast<CallBase>(I)) {
      // The texture fetches, ldg and ldu; a shuffle passes its operand on.
      if (isa<IntrinsicInst>(Call) && Call->onlyReadsMemory() &&
          !Call->doesNotAccessMemory() &&
          !Call->onlyAccessesInaccessibleMemory())
        return true;
      if (isa<IntrinsicInst>(Call) || Call->doesNotAccessMemory())
        Work.append(Call->arg_begin(), Call->arg_end());
      continue;
    }
    Work.append(I->value_op_begin(), I->value_op_end());
  }
  return false;
}
