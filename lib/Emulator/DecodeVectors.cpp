// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extraction, insertion and shuffles: a vector or an aggregate is the slots of
// its scalars, so most of this is moves.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;
using namespace sluice::emulator;

/// The number of scalars before the element that \p Indices name.
unsigned FunctionDecoder::scalarsBefore(Type *T,
                                        ArrayRef<unsigned> Indices) const {
  unsigned First = 0;
  for (unsigned Index : Indices) {
    SmallVector<uint8_t, 8> Bytes;
    for (unsigned J = 0; J < Index; ++J)
      flatten(GetElementPtrInst::getTypeAtIndex(T, uint64_t(J)), Bytes);
    First += Bytes.size();
    T = GetElementPtrInst::getTypeAtIndex(T, uint64_t(Index));
  }
  return First;
}

void FunctionDecoder::decodeExtractValue(ExtractValueInst &I) {
  Value *Aggregate = I.getAggregateOperand();
  unsigned First = scalarsBefore(Aggregate->getType(), I.getIndices());
  const Slots From = slots(Aggregate);
  for (auto [J, D] : enumerate(slots(&I)))
    copy(D, From[First + J], false);
}

void FunctionDecoder::decodeInsertValue(InsertValueInst &I) {
  unsigned First = scalarsBefore(I.getType(), I.getIndices());
  const Slots Old = slots(I.getAggregateOperand());
  const Slots New = slots(I.getInsertedValueOperand());
  for (auto [J, D] : enumerate(slots(&I)))
    copy(D, J >= First && J < First + New.size() ? New[J - First] : Old[J],
         false);
}

/// Whether a vector's index is \p Element, as an i1.
Slot FunctionDecoder::indexIs(Slot Index, unsigned Element, bool Uniform) {
  Slot Is = newSlot(0, Uniform);
  emit(H.Compare[unsigned(Comparison::Eq)][sizeIndex(Index.Bytes)]
                [Index.Uniform | 2],
       Is.Offset, Index.Offset, constant(Element, Index.Bytes).Offset);
  return Is;
}

void FunctionDecoder::decodeExtractElement(ExtractElementInst &I) {
  const Slots From = slots(I.getVectorOperand());
  Slot D = slot(&I);
  if (auto *C = dyn_cast<ConstantInt>(I.getIndexOperand())) {
    copy(D, From[std::min<uint64_t>(C->getZExtValue(), From.size() - 1)],
         false);
    return;
  }
  // A chain of selects: vectors on GPUs are short.
  Slot Index = slot(I.getIndexOperand());
  copy(D, From[0], false);
  for (unsigned J = 1; J < From.size(); ++J)
    select(D, indexIs(Index, J, D.Uniform), From[J], D);
}

void FunctionDecoder::decodeInsertElement(InsertElementInst &I) {
  const Slots Old = slots(I.getOperand(0));
  Slot New = slot(I.getOperand(1));
  auto *C = dyn_cast<ConstantInt>(I.getOperand(2));
  for (auto [J, D] : enumerate(slots(&I))) {
    if (C)
      copy(D, J == C->getZExtValue() ? New : Old[J], false);
    else
      select(D, indexIs(slot(I.getOperand(2)), J, D.Uniform), New, Old[J]);
  }
}

void FunctionDecoder::decodeShuffle(ShuffleVectorInst &I) {
  const Slots L = slots(I.getOperand(0)), R = slots(I.getOperand(1));
  for (auto [J, D] : enumerate(slots(&I))) {
    int Element = I.getMaskValue(J);
    if (Element >= 0)
      copy(D, unsigned(Element) < L.size() ? L[Element] : R[Element - L.size()],
           false);
  }
}
