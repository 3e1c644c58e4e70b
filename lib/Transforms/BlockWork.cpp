// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   if (i >= n)
//     return;                  // not here: who returned would wait below,
//   __syncthreads();           // for those who wait here
//   ...
//   if (threadIdx.x < 32)
//     x += __shfl_down_sync(~0u, x, 16);
//   // may wait here for the block's other threads
//
// A barrier of all threads and what passes between lanes take no heed of
// threads that have returned. If they wait at the end instead, they are waited
// for. So no barrier may come after threads of a block took different ways,
// before they meet again; and nothing that lanes do together, if it is not
// whole warps that take one way or the other.

#include "BlockWork.h"
#include "BlocksSideBySide.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Target/MergedBlocks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static bool isBlockBarrier(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_barrier_cta_sync_all:
  case Intrinsic::nvvm_barrier_cta_red_and_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_and_all:
  case Intrinsic::nvvm_barrier_cta_red_or_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_or_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_aligned_all:
  case Intrinsic::nvvm_barrier_cta_red_popc_all:
    return true;
  default:
    return false;
  }
}

static bool isBetweenLanes(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_ballot_sync:
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_shfl_sync_bfly_f32:
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_down_f32:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_idx_f32:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_up_f32:
  case Intrinsic::nvvm_shfl_sync_up_i32:
    return true;
  default:
    return false;
  }
}

static Intrinsic::ID intrinsicOf(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic;
}

/// Does \p I ask where in its warp a thread is?
static bool asksForLane(const Instruction &I) {
  switch (intrinsicOf(I)) {
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
    return true;
  default:
    return false;
  }
}

bool sluice::isKnownTogether(const CallBase &Call) {
  return isBlockBarrier(intrinsicOf(Call)) ||
         isBetweenLanes(intrinsicOf(Call)) || asksForLane(Call);
}

bool sluice::worksTogether(const Function &F) {
  const DeclaredShared Shared = declaredShared(F);
  return Shared.StaticBytes || Shared.IsDynamic ||
         any_of(instructions(F), [](const Instruction &I) {
           const auto *Call = dyn_cast<CallBase>(&I);
           return Call && isKnownTogether(*Call);
         });
}

/// Does \p Test hold of shared memory that the constant \p V names?
static bool anyShared(const Value *V,
                      function_ref<bool(GlobalVariable &)> Test) {
  if (const auto *G = dyn_cast<GlobalVariable>(V))
    return G->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
           Test(*const_cast<GlobalVariable *>(G));
  const auto *Of = dyn_cast<Constant>(V);
  return Of && !isa<GlobalValue>(V) && any_of(Of->operands(), [&](Value *Each) {
           return anyShared(Each, Test);
         });
}

bool sluice::isSharedConstant(const Value *V) {
  return anyShared(V, [](GlobalVariable &) { return true; });
}

SmallVector<GlobalVariable *, 4> sluice::sharedArraysOf(const Function &F) {
  SetVector<GlobalVariable *> Arrays;
  auto Add = [&](GlobalVariable &G) {
    Arrays.insert(&G);
    return false;
  };
  for (const Instruction &I : instructions(F))
    for (const Value *Operand : I.operands())
      anyShared(Operand, Add);
  return SmallVector<GlobalVariable *, 4>(Arrays.begin(), Arrays.end());
}

/// Is \p V the number of a thread's warp, or made of that and of what is the
/// same in all threads of a block?
static bool isOfWarp(const Value *V, const ThreadUniformity &Uniform,
                     unsigned Depth = 0) {
  static constexpr unsigned Deepest = 6;
  const auto Thread = m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>();
  uint64_t By = 0;
  const auto *I = dyn_cast<Instruction>(V);
  // What is the same in each iteration may not be so behind the loop.
  if (I && isInCycle(*I->getParent()))
    return false;
  if (Uniform.isUniform(V) || (match(V, m_LShr(Thread, m_ConstantInt(By))) &&
                               By >= Log2_32(LanesOfWarp)))
    return true;
  return I && Depth < Deepest && !isa<PHINode>(I) && !isa<CallBase>(I) &&
         !I->mayReadOrWriteMemory() &&
         all_of(
             I->operands(),
             [&](Value *Of) { return isOfWarp(Of, Uniform, Depth + 1); });
}

/// Do all lanes of a warp go one way at \p End?
static bool isTakenByWarps(const Instruction &End,
                           const ThreadUniformity &Uniform) {
  const Value *Condition = conditionOf(End);
  if (!Condition)
    return false;
  uint64_t Limit = 0;
  CmpPredicate Predicate;
  if (match(Condition,
            m_ICmp(Predicate,
                   m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>(),
                   m_ConstantInt(Limit)))) {
    switch (Predicate) {
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_SGE:
      return Limit % LanesOfWarp == 0;
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_SLE:
      return Limit % LanesOfWarp == LanesOfWarp - 1;
    default:
      return false;
    }
  }
  return isOfWarp(Condition, Uniform);
}

/// What is reached from \p End before \p Meeting; null: no place.
static SetVector<const BasicBlock *> reachedBefore(const Instruction &End,
                                                   const BasicBlock *Meeting) {
  SetVector<const BasicBlock *> Found;
  auto Add = [&](const BasicBlock &BB) {
    for (const BasicBlock *Next : successors(&BB))
      if (Next != Meeting)
        Found.insert(Next);
  };
  Add(*End.getParent());
  for (size_t At = 0; At < Found.size(); ++At)
    Add(*Found[At]);
  return Found;
}

StringRef sluice::whyNotWaitingAtEnd(Function &F) {
  const ThreadUniformity Uniform(F, /*LoadsDiffer=*/true);
  const PostDominatorTree Ends(F);
  for (const BasicBlock &BB : F) {
    const Instruction &End = *BB.getTerminator();
    if (!Uniform.isDivergent(End))
      continue;
    const auto *Node = Ends.getNode(&BB);
    Node = Node ? Node->getIDom() : nullptr;
    const BasicBlock *Meeting = Node ? Node->getBlock() : nullptr;
    for (const BasicBlock *Way : reachedBefore(End, Meeting))
      for (const Instruction &I : *Way) {
        if (isBlockBarrier(intrinsicOf(I)))
          return "some threads of a block come to no barrier, or may";
        if (isBetweenLanes(intrinsicOf(I)) && !isTakenByWarps(End, Uniform))
          return "some lanes of a warp work together without the others, or "
                 "may";
      }
  }
  return "";
}
