// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's size is read before its index, where both are multiplied:
//
//   b = ctaid.x; n = ntid.x; i = b * n + tid.x
// becomes
//   n = ntid.x; b = ctaid.x; i = b * n + tid.x
//
// One of the two may be in a register that the lanes of a warp share, and the
// assembler takes what is read first for that. An index there is read by S2UR,
// and the size, a constant of the launch, by LDC, which goes through the queue
// of the memory unit. The other way round the index is read by S2R and the size
// by ULDC, which takes a few cycles. Kernels with one element a thread wait for
// little else before their loads. NVVM reads the size first.

#include "FewerInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace sluice;

/// The read of a block's size along the direction of \p Index, a block's index.
static Intrinsic::ID sizeFor(Intrinsic::ID Index) {
  switch (Index) {
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_x;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_y;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return Intrinsic::nvvm_read_ptx_sreg_ntid_z;
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// Calls \p Found with what \p V is multiplied by, itself or made longer.
/// Returns whether it is used for nothing else.
static bool eachFactor(Value &V, function_ref<void(Value *)> Found) {
  return all_of(V.users(), [&](User *U) {
    if (isa<ZExtInst, SExtInst>(U))
      return eachFactor(*U, Found);
    auto *Product = dyn_cast<BinaryOperator>(U);
    if (!Product || Product->getOpcode() != Instruction::Mul)
      return false;
    Value *Factor = Product->getOperand(Product->getOperand(0) == &V ? 1 : 0);
    if (isa<ZExtInst, SExtInst>(Factor))
      Factor = cast<CastInst>(Factor)->getOperand(0);
    Found(Factor);
    return true;
  });
}

/// The size that all users of \p Index multiply it by, read behind it in its
/// block; null if there is none. An index that is used in another way is kept:
/// what is computed of it alone can stay in registers that lanes share.
static IntrinsicInst *laterSizeOf(IntrinsicInst &Index) {
  const Intrinsic::ID Wanted = sizeFor(Index.getIntrinsicID());
  SmallSetVector<Value *, 2> Factors;
  if (!eachFactor(Index, [&](Value *Factor) { Factors.insert(Factor); }) ||
      Factors.size() != 1)
    return nullptr;
  auto *Size = dyn_cast<IntrinsicInst>(Factors.front());
  return Size && Size->getIntrinsicID() == Wanted &&
                 Size->getParent() == Index.getParent() &&
                 Index.comesBefore(Size)
             ? Size
             : nullptr;
}

Rewritten sluice::readSizesFirst(Function &F, ChangeTest MayChange) {
  SmallVector<IntrinsicInst *, 3> Indices;
  for (Instruction &I : instructions(F))
    if (auto *Index = dyn_cast<IntrinsicInst>(&I);
        Index && sizeFor(Index->getIntrinsicID()) && MayChange(I))
      Indices.push_back(Index);
  Rewritten Done;
  for (IntrinsicInst *Index : Indices)
    if (IntrinsicInst *Size = laterSizeOf(*Index)) {
      Size->moveBefore(Index->getIterator());
      if (!Done.Count++)
        Done.At = Size->getDebugLoc();
    }
  return Done;
}
