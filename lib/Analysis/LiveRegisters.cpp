// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness of SSA values, backwards over the blocks until nothing changes. LLVM
// has it for machine code only, and for NVPTX that code is virtual too.

#include "sluice/Analysis/LiveRegisters.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

/// Beyond this many bits for all blocks the estimate is not made.
static constexpr uint64_t MaxBits = uint64_t(1) << 28;

/// What holds the register of V: additions of constants go into the
/// instructions that use them, and casts that change no bit vanish.
static const Value *holderOf(const Value *V) {
  for (;;) {
    const auto *Op = dyn_cast<Operator>(V);
    if (!Op)
      return V;
    if (const auto *GEP = dyn_cast<GEPOperator>(Op)) {
      if (!GEP->hasAllConstantIndices())
        return V;
    } else if (Op->getOpcode() != Instruction::BitCast &&
               Op->getOpcode() != Instruction::AddrSpaceCast &&
               Op->getOpcode() != Instruction::Trunc &&
               Op->getOpcode() != Instruction::Freeze) {
      return V;
    }
    V = Op->getOperand(0);
  }
}

namespace {

class Liveness {
public:
  Liveness(const Function &F, function_ref<bool(const Value &)> IsUniform);
  unsigned most() const { return Most; }

private:
  /// The number of V's register, or -1 if it holds none.
  int numberOf(const Value *V) const {
    auto It = Numbers.find(holderOf(V));
    return It == Numbers.end() ? -1 : int(It->second);
  }
  BitVector liveOut(const BasicBlock &BB) const;
  BitVector liveIn(const BasicBlock &BB) const;

  DenseMap<const Value *, unsigned> Numbers;
  SmallVector<unsigned, 0> Registers;             ///< Of each number.
  DenseMap<const BasicBlock *, BitVector> LiveIn; ///< With the block's phis.
  unsigned Most = 0;
};

} // namespace

/// Values that the assembler can hardly do without: what is read from memory,
/// floating-point numbers, and what a loop carries. It computes other numbers
/// and addresses again where that is cheaper, has registers of their own for
/// predicates and for what is the same in all threads of a warp, and reads
/// parameters of the kernel from their place.
static bool holdsRegister(const Instruction &I,
                          function_ref<bool(const Value &)> IsUniform) {
  Type *T = I.getType();
  if (!T->isSized() || T->isIntOrIntVectorTy(1) || holderOf(&I) != &I ||
      isa<AllocaInst>(I))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    const auto *Struct =
        dyn_cast<Argument>(getUnderlyingObject(Load->getPointerOperand()));
    return !Struct || !Struct->hasByValAttr();
  }
  return T->isFPOrFPVectorTy() || (isa<PHINode>(I) && !IsUniform(I));
}

BitVector Liveness::liveOut(const BasicBlock &BB) const {
  BitVector Live(Registers.size());
  for (const BasicBlock *Next : successors(&BB)) {
    auto It = LiveIn.find(Next);
    if (It == LiveIn.end())
      continue;
    BitVector From = It->second;
    for (const PHINode &Phi : Next->phis())
      if (int N = numberOf(&Phi); N >= 0)
        From.reset(N);
    for (const PHINode &Phi : Next->phis())
      if (int N = numberOf(Phi.getIncomingValueForBlock(&BB)); N >= 0)
        From.set(N);
    Live |= From;
  }
  return Live;
}

BitVector Liveness::liveIn(const BasicBlock &BB) const {
  BitVector Live = liveOut(BB);
  for (const Instruction &I : reverse(BB)) {
    if (isa<PHINode>(I))
      break;
    if (holderOf(&I) != &I)
      continue;
    if (auto It = Numbers.find(&I); It != Numbers.end())
      Live.reset(It->second);
    for (const Value *Op : I.operands())
      if (int N = numberOf(Op); N >= 0)
        Live.set(N);
  }
  return Live;
}

Liveness::Liveness(const Function &F,
                   function_ref<bool(const Value &)> IsUniform) {
  const DataLayout &DL = F.getDataLayout();
  for (const Instruction &I : instructions(F))
    if (holdsRegister(I, IsUniform)) {
      Numbers.try_emplace(&I, Registers.size());
      Registers.push_back(
          divideCeil(DL.getTypeSizeInBits(I.getType()).getFixedValue(), 32));
    }
  if (uint64_t(Registers.size()) * F.size() > MaxBits)
    return;
  const auto Blocks = to_vector(post_order(&F));
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock *BB : Blocks) {
      BitVector Live = liveIn(*BB);
      BitVector &Known = LiveIn[BB];
      if (Known != Live) {
        Known = std::move(Live);
        Changed = true;
      }
    }
  }
  for (const auto &[BB, Live] : LiveIn) {
    unsigned Count = 0;
    for (unsigned N : Live.set_bits())
      Count += Registers[N];
    Most = std::max(Most, Count);
  }
}

unsigned sluice::liveRegisters(const Function &F,
                               function_ref<bool(const Value &)> IsUniform) {
  return Liveness(F, IsUniform).most();
}
