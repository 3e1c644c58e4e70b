// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses, and all that goes through them: loads, stores and masked
// ones. A constant offset that only accesses use goes into these and costs no
// instruction.

#include "Decoder.h"
#include "Prepare.h"
#include "sluice/Simulator/IssueOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice::emulator;

// Constant and parameter memory are windows onto global memory here.
Space FunctionDecoder::spaceOf(const Type *Pointer) {
  switch (Pointer->getScalarType()->getPointerAddressSpace()) {
  case 1:
  case 4:
  case 101:
    return Space::Global;
  case 3:
  case 7: // shared memory of the cluster
    return Space::Shared;
  case 5:
    return Space::Local;
  default:
    return Space::Generic;
  }
}

// A constant offset that only accesses use goes into them.
bool FunctionDecoder::isFolded(const GetElementPtrInst &G) {
  return !G.getType()->isVectorTy() && G.hasAllConstantIndices() &&
         all_of(G.users(), [&](const User *U) {
           if (isa<LoadInst>(U))
             return true;
           if (auto *S = dyn_cast<StoreInst>(U))
             return S->getPointerOperand() == &G && S->getValueOperand() != &G;
           return false;
         });
}

FunctionDecoder::Address FunctionDecoder::address(Value *Pointer) {
  Address A;
  A.Where = spaceOf(Pointer->getType());
  A.Offset = 0;
  while (auto *G = dyn_cast<GetElementPtrInst>(Pointer)) {
    APInt Offset(64, 0);
    if (!isFolded(*G) || !G->accumulateConstantOffset(DL, Offset))
      break;
    A.Offset += Offset.getSExtValue();
    Pointer = G->getPointerOperand();
  }
  A.Base = slot(Pointer);
  return A;
}

void FunctionDecoder::decodeGEP(GetElementPtrInst &I) {
  if (isFolded(I))
    return;
  const Slots D = slots(&I);
  for (auto [Lane, DS] : enumerate(D)) {
    auto Component = [&, Which = Lane](Value *V) {
      const Slots &S = slots(V);
      return S.size() == D.size() ? S[Which] : S[0];
    };
    Slot At = Component(I.getPointerOperand());
    int64_t Constant = 0;
    for (gep_type_iterator T = gep_type_begin(I), E = gep_type_end(I); T != E;
         ++T) {
      Value *Index = T.getOperand();
      if (StructType *S = T.getStructTypeOrNull()) {
        Constant += int64_t(DL.getStructLayout(S)->getElementOffset(
            cast<ConstantInt>(Index->getType()->isVectorTy()
                                  ? cast<llvm::Constant>(Index)->getSplatValue()
                                  : Index)
                ->getZExtValue()));
        continue;
      }
      auto Scale = int64_t(T.getSequentialElementStride(DL));
      if (auto *C = dyn_cast<ConstantInt>(Index)) {
        Constant += C->getSExtValue() * Scale;
        continue;
      }
      Slot X = Component(Index);
      if (X.Bytes < 4) { // sign-extended to the width of a pointer
        Slot Wide = newSlot(8, X.Uniform);
        emit(H.Convert[unsigned(Conversion::SExt)][sizeIndex(X.Bytes)][3]
                      [X.Uniform],
             Wide.Offset, X.Offset);
        X = Wide;
      }
      bool Uniform = At.Uniform && X.Uniform;
      Slot Sum = newSlot(8, Uniform);
      emit(H.Lea[X.Bytes == 8][At.Uniform | X.Uniform << 1], Sum.Offset,
           At.Offset, X.Offset)
          .Imm = Scale;
      At = Sum;
    }
    if (DS.Uniform && !At.Uniform)
      return unsupported("an address that should be uniform");
    if (!DS.Uniform && At.Uniform)
      At = varying(At);
    // With nothing to add, the last step writes the result itself.
    if (!Constant && Out.Code.back().D == At.Offset &&
        At.Offset != slot(I.getPointerOperand()).Offset) {
      Out.Code.back().D = DS.Offset;
      continue;
    }
    emit(H.AddImmediate[At.Uniform], DS.Offset, At.Offset).Imm = Constant;
  }
}

void FunctionDecoder::decodeAlloca(AllocaInst &I) {
  auto *Count = dyn_cast<ConstantInt>(I.getArraySize());
  if (!Count)
    return unsupported("alloca of a size known only when it runs");
  uint64_t Bytes =
      DL.getTypeAllocSize(I.getAllocatedType()) * Count->getZExtValue();
  LocalTop = alignTo(LocalTop, std::max<uint64_t>(8, I.getAlign().value()));
  Slot D = slot(&I);
  int64_t Offset = LocalTop;
  LocalTop += std::max<uint64_t>(Bytes, 1);
  if (spaceOf(I.getType()) == Space::Generic)
    Offset += LocalWindow;
  if (D.Uniform) {
    emit(H.AddImmediate[1], D.Offset, Out.LocalBase.Offset).Imm = Offset;
    return;
  }
  Slot U = newSlot(8, true);
  emit(H.AddImmediate[1], U.Offset, Out.LocalBase.Offset).Imm = Offset;
  copy(D, U, false);
}

void FunctionDecoder::decodeAddressSpaceCast(AddrSpaceCastInst &I) {
  Space From = spaceOf(I.getSrcTy()), To = spaceOf(I.getDestTy());
  const Slots A = slots(I.getOperand(0));
  for (auto [DS, AS] : zip(slots(&I), A)) {
    Slot X = AS;
    if (!DS.Uniform && X.Uniform)
      X = varying(X);
    if (DS.Uniform && !X.Uniform)
      return unsupported("an address that should be uniform");
    if (To == Space::Generic && (From == Space::Shared || From == Space::Local))
      emit(H.AddImmediate[X.Uniform], DS.Offset, X.Offset).Imm =
          int64_t(From == Space::Shared ? SharedWindow : LocalWindow);
    else if (From == Space::Generic &&
             (To == Space::Shared || To == Space::Local))
      emit(H.AndImmediate[X.Uniform], DS.Offset, X.Offset).Imm =
          PrivateWindowBytes - 1;
    else
      copy(DS, X, false);
  }
}

void FunctionDecoder::observe(const Address &A, AccessOp Op) {
  if (!DC.Sites && !Op.IsVolatile)
    return;
  Op.Address = A.Base;
  Op.Offset = A.Offset;
  Op.Where = A.Where;
  Op.IsLine = !Op.IsWrite && fetchesLine(*Decoded);
  if (DC.Sites) {
    Op.Site = DC.Sites->access(*Decoded, Loops).value_or(Op.Site);
    DC.Out->HasReadOnlyLoads |= Op.SaysReadOnly;
  }
  emit(GenericOp::Observe).Extra = keep(std::move(Op));
}

void FunctionDecoder::observe(const Address &A, unsigned Bytes, bool Write,
                              AtomicOrdering Order, bool Volatile,
                              const Slot *Value, bool SaysReadOnly) {
  AccessOp Op{};
  Op.Bytes = Bytes;
  Op.IsWrite = Write;
  Op.IsAtomic = Order != AtomicOrdering::NotAtomic;
  Op.IsVolatile = Volatile;
  Op.Acquires = !Write && isAcquireOrStronger(Order);
  Op.Releases = Write && isReleaseOrStronger(Order);
  Op.SaysReadOnly = SaysReadOnly;
  if (Value) {
    Op.HasValue = true;
    Op.Value = *Value;
  }
  observe(A, std::move(Op));
}

// A fence computes nothing; observers may want to know of it.
void FunctionDecoder::decodeFence(bool HasGuard, bool GuardNegated,
                                  Slot Guard) {
  if (!DC.Sites) {
    emit(GenericOp::Nothing);
    return;
  }
  AccessOp Op{};
  Op.IsFence = true;
  Op.HasGuard = HasGuard;
  Op.GuardNegated = GuardNegated;
  Op.Guard = Guard;
  emit(GenericOp::Observe).Extra = keep(std::move(Op));
}

// Where the scalars of a type lie in memory.
static bool memoryOffsets(const DataLayout &DL, Type *T, uint64_t At,
                          SmallVectorImpl<uint64_t> &Offsets) {
  if (auto *S = dyn_cast<StructType>(T)) {
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      if (!memoryOffsets(DL, S->getElementType(I),
                         At + DL.getStructLayout(S)->getElementOffset(I),
                         Offsets))
        return false;
    return true;
  }
  if (auto *A = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I < A->getNumElements(); ++I)
      if (!memoryOffsets(DL, A->getElementType(),
                         At + I * DL.getTypeAllocSize(A->getElementType()),
                         Offsets))
        return false;
    return true;
  }
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    uint64_t Bits = DL.getTypeSizeInBits(V->getElementType());
    for (unsigned I = 0; I < V->getNumElements(); ++I)
      Offsets.push_back(At + I * Bits / 8);
    return Bits % 8 == 0;
  }
  Offsets.push_back(At);
  if (T->isIntegerTy(128))
    Offsets.push_back(At + 8);
  return true;
}

void FunctionDecoder::emitLoad(const Address &A, ArrayRef<Slot> Results,
                               ArrayRef<uint64_t> Offsets, unsigned Total,
                               ReadUse Use) {
  for (auto [J, D] : enumerate(Results)) {
    if (J) {
      Instruction &Next = emit(H.LoadNext[sizeIndex(D.Bytes)], D.Offset);
      Next.Imm = int64_t(Offsets[J]);
      Next.Order = !D.Uniform;
      continue;
    }
    bool More = Results.size() > 1;
    Instruction &L =
        emit(H.Load[unsigned(A.Where)][sizeIndex(D.Bytes)][A.Base.Uniform],
             D.Offset, A.Base.Offset);
    L.Imm = A.Offset;
    L.Count = Total;
    L.Site = Out.NumSites++;
    L.E = uint32_t(Use);
    L.Order = More | (A.Base.Uniform && !D.Uniform ? 2 : 0);
  }
}

void FunctionDecoder::decodeLoad(llvm::Instruction &I, Value *Pointer,
                                 bool Volatile) {
  Address A = address(Pointer);
  const Slots D = slots(&I);
  SmallVector<uint64_t, 4> Offsets;
  bool Plain =
      memoryOffsets(DL, I.getType(), 0, Offsets) && Offsets.size() == D.size();
  unsigned Total = DL.getTypeStoreSize(I.getType());
  if (!Plain || (D[0].Uniform && !A.Base.Uniform))
    return unsupported("a load of this type");
  auto *Load = dyn_cast<LoadInst>(&I);
  observe(A, Total, false,
          Load ? Load->getOrdering() : AtomicOrdering::NotAtomic, Volatile,
          nullptr, I.hasMetadata(LLVMContext::MD_invariant_load));
  const ReadUse Use = useOfRead(I, PostDominators, Loops);
  // i1 is a byte in memory. An alignment above the size of the parts is asked
  // only where the GPU loads a vector at once; others are taken apart.
  Slots Bytes;
  for (Slot S : D)
    Bytes.push_back(S.isMask() ? newSlot(1, S.Uniform && A.Base.Uniform) : S);
  uint64_t Align = 1; // of a null pointer 2 to the 32nd
  if (auto *L = dyn_cast<LoadInst>(&I))
    Align = L->getAlign().value();
  bool Whole = isPowerOf2_32(Total) && Total <= 32 && Align >= Total &&
               (I.getType()->isVectorTy() || D.size() == 1);
  if (Whole)
    emitLoad(A, Bytes, Offsets, Total, Use);
  else
    for (auto [S, Offset] : zip(Bytes, Offsets)) {
      Address Part = A;
      Part.Offset += int64_t(Offset);
      // A part may still be less aligned than its size (packed structs).
      unsigned PartBytes = S.Bytes;
      if (commonAlignment(llvm::Align(Align), Offset).value() < PartBytes &&
          isa<LoadInst>(I)) {
        // Byte by byte, as NVPTX does.
        Repack Join;
        for (unsigned B = 0; B < PartBytes; ++B) {
          Slot Byte = newSlot(1, false);
          Address At = Part;
          At.Offset += B;
          emitLoad(At, {Byte}, {0}, 1, Use);
          Join.From.push_back(Byte);
        }
        Join.To.push_back(S);
        emit(GenericOp::Repack).Extra = keep(std::move(Join));
      } else
        emitLoad(Part, {S}, {0}, PartBytes, Use);
    }
  for (auto [S, B] : zip(D, Bytes))
    if (S.isMask())
      emit(B.Uniform ? H.UniformToBits : H.IntToBits[0], S.Offset, B.Offset);
}

// Some elements of a vector: what the vectoriser makes of accesses with gaps.
// The elements are accessed one by one; the gaps are not.
void FunctionDecoder::decodeMaskedLoad(CallInst &I) {
  auto *Mask = dyn_cast<llvm::Constant>(I.getArgOperand(1));
  auto *T = dyn_cast<FixedVectorType>(I.getType());
  Address A = address(I.getArgOperand(0));
  const Slots D = slots(&I), Otherwise = slots(I.getArgOperand(2));
  if (!Mask || !T || D[0].isMask() || (D[0].Uniform && !A.Base.Uniform))
    return unsupported("a masked load whose mask is not constant");
  observe(A, DL.getTypeStoreSize(T), false, AtomicOrdering::NotAtomic, false,
          nullptr, I.hasMetadata(LLVMContext::MD_invariant_load));
  const ReadUse Use = useOfRead(I, PostDominators, Loops);
  for (auto [J, To] : enumerate(D)) {
    if (Mask->getAggregateElement(J)->isZeroValue()) {
      copy(To, Otherwise[J], /*Masked=*/true);
      continue;
    }
    Address Part = A;
    Part.Offset += int64_t(J * To.Bytes);
    emitLoad(Part, {To}, {0}, To.Bytes, Use);
  }
}

void FunctionDecoder::decodeMaskedStore(CallInst &I) {
  auto *Mask = dyn_cast<llvm::Constant>(I.getArgOperand(2));
  auto *T = dyn_cast<FixedVectorType>(I.getArgOperand(0)->getType());
  Address A = address(I.getArgOperand(1));
  const Slots V = slots(I.getArgOperand(0));
  if (!Mask || !T || V[0].isMask())
    return unsupported("a masked store whose mask is not constant");
  for (auto [J, S] : enumerate(V)) {
    if (Mask->getAggregateElement(J)->isZeroValue())
      continue;
    Address Part = A;
    Part.Offset += int64_t(J * S.Bytes);
    observe(Part, S.Bytes, true, AtomicOrdering::NotAtomic, false, &S);
    unsigned Form = A.Base.Uniform | S.Uniform << 1;
    Instruction &St = emit(H.Store[unsigned(A.Where)][sizeIndex(S.Bytes)][Form],
                           0, A.Base.Offset, S.Offset);
    St.Imm = Part.Offset;
    St.Count = S.Bytes;
    St.Site = Out.NumSites++;
  }
}

void FunctionDecoder::decodeStore(StoreInst &I) {
  if (isOfAsyncCopy(I))
    return decodeAsyncStore(I);
  Address A = address(I.getPointerOperand());
  Type *T = I.getValueOperand()->getType();
  Slots V = slots(I.getValueOperand());
  SmallVector<uint64_t, 4> Offsets;
  if (!memoryOffsets(DL, T, 0, Offsets) || Offsets.size() != V.size())
    return unsupported("a store of this type");
  unsigned Total = DL.getTypeStoreSize(T);
  observe(A, Total, true, I.getOrdering(), I.isVolatile(),
          V.size() == 1 ? &V[0] : nullptr);
  for (Slot &S : V)
    if (S.isMask()) {
      Slot Byte = newSlot(1, false);
      emit(H.BitsToInt[0], Byte.Offset, S.Offset);
      S = Byte;
    }
  const uint64_t Align = I.getAlign().value(); // as in decodeLoad
  bool Whole = isPowerOf2_32(Total) && Total <= 32 && Align >= Total &&
               (T->isVectorTy() || V.size() == 1);
  for (auto [J, S, Offset] : enumerate(V, Offsets)) {
    unsigned Form = A.Base.Uniform | S.Uniform << 1;
    if (!Whole &&
        commonAlignment(llvm::Align(Align), Offset).value() < S.Bytes) {
      Repack Split;
      Split.From.push_back(S);
      for (unsigned B = 0; B < S.Bytes; ++B)
        Split.To.push_back(newSlot(1, false));
      SmallVector<Slot, 4> Parts(Split.To);
      emit(GenericOp::Repack).Extra = keep(std::move(Split));
      for (auto [B, Part] : enumerate(Parts)) {
        Instruction &St = emit(H.Store[unsigned(A.Where)][0][A.Base.Uniform], 0,
                               A.Base.Offset, Part.Offset);
        St.Imm = A.Offset + int64_t(Offset + B);
        St.Count = 1;
        St.Site = Out.NumSites++;
      }
      continue;
    }
    Instruction &St = emit(H.Store[unsigned(A.Where)][sizeIndex(S.Bytes)][Form],
                           0, A.Base.Offset, S.Offset);
    if (Whole && J) {
      St.Order = 2;
      St.Imm = int64_t(Offset);
      continue;
    }
    St.Imm = A.Offset + (Whole ? 0 : int64_t(Offset));
    St.Count = Whole ? Total : S.Bytes;
    St.Order = Whole && V.size() > 1;
    St.Site = Out.NumSites++;
  }
}
