// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a function: where each value's components live, and constants,
// which are slots like others.

#include "Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;
using namespace sluice::emulator;

// The bytes of each scalar in a type; 0 for i1. False if some scalar has no
// container.
bool FunctionDecoder::flatten(Type *T, SmallVectorImpl<uint8_t> &Bytes) const {
  if (auto *S = dyn_cast<StructType>(T))
    return all_of(S->elements(), [&](Type *E) { return flatten(E, Bytes); });
  if (auto *A = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I < A->getNumElements(); ++I)
      if (!flatten(A->getElementType(), Bytes))
        return false;
    return true;
  }
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    for (unsigned I = 0; I < V->getNumElements(); ++I)
      if (!flatten(V->getElementType(), Bytes))
        return false;
    return true;
  }
  if (T->isVoidTy())
    return true;
  uint64_t Bits = 64;
  if (!T->isPointerTy())
    Bits = T->getPrimitiveSizeInBits();
  if (T->isIntegerTy(1))
    Bytes.push_back(0);
  else if (Bits && Bits <= 64)
    Bytes.push_back(std::max<unsigned>(8, PowerOf2Ceil(Bits)) / 8);
  else if (T->isIntegerTy(128)) // in halves: see WideIntegers.cpp
    Bytes.append({8, 8});
  else
    return false;
  return true;
}

// Constants are found while decoding, so the region of uniform slots is made
// large enough beforehand: each instruction has at most so many.
void FunctionDecoder::reserveFrame() {
  uint64_t Bound = 64 + F.arg_size() * 2;
  SmallVector<uint8_t, 8> Bytes;
  for (BasicBlock &B : F)
    for (llvm::Instruction &I : B) {
      Bytes.clear();
      flatten(I.getType(), Bytes);
      Bound += 4 + Bytes.size() * 2;
      for (Value *Operand : I.operands()) {
        Bytes.clear();
        if (isa<Constant>(Operand) && !isa<llvm::Function>(Operand))
          flatten(Operand->getType(), Bytes);
        Bound += Bytes.size() + 2;
      }
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Bound +=
            32 +
            cast<InlineAsm>(Call->getCalledOperand())->getAsmString().size() /
                8;
    }
  VaryingTop = alignTo(Bound * 8, 64);
  UniformTop = VaryingTop;
  Out.UniformBytes = VaryingTop;
}

Slot FunctionDecoder::newSlot(uint8_t Bytes, bool Uniform) {
  Slot S;
  S.Bytes = Bytes;
  S.Uniform = Uniform;
  if (Uniform || Bytes == 0) {
    UniformTop -= 8;
    Failed |= UniformTop < ConstantTop;
    S.Offset = UniformTop;
  } else {
    S.Offset = VaryingTop;
    Out.VaryingSlots.push_back({VaryingTop, Bytes});
    VaryingTop += alignTo(WarpLanes * Bytes, 128);
  }
  return S;
}

Slot FunctionDecoder::constant(uint64_t Word, uint8_t Bytes) {
  if (Bytes == 0)
    Word = Word & 1 ? ~uint32_t(0) : 0;
  auto [It, New] = Constants.try_emplace({Word, Bytes}, ConstantTop);
  if (New) {
    Out.Constants.resize(ConstantTop + 8);
    std::memcpy(Out.Constants.data() + ConstantTop, &Word, 8);
    ConstantTop += 8;
    Failed |= UniformTop < ConstantTop;
  }
  Slot S;
  S.Offset = It->second;
  S.Bytes = Bytes;
  S.Uniform = true;
  return S;
}

uint64_t FunctionDecoder::constantAddress(const Constant *C, bool &Known) {
  Known = true;
  if (auto *G = dyn_cast<GlobalVariable>(C)) {
    auto It = DC.Addresses.find(G);
    Known = It != DC.Addresses.end();
    return Known ? It->second : 0;
  }
  if (auto *Fn = dyn_cast<llvm::Function>(C)) {
    for (auto [I, Candidate] : enumerate(DC.Out->ByAddress))
      if (Candidate && Candidate->Name == Fn->getName())
        return FunctionBase + 16 * I;
    Known = false;
    return 0;
  }
  if (auto *A = dyn_cast<GlobalAlias>(C))
    return constantAddress(A->getAliasee(), Known);
  if (isa<ConstantPointerNull, UndefValue>(C))
    return 0;
  if (auto *I = dyn_cast<ConstantInt>(C))
    return I->getZExtValue();
  if (auto *E = dyn_cast<ConstantExpr>(C)) {
    if (auto *GEP = dyn_cast<GEPOperator>(E)) {
      APInt Offset(64, 0);
      if (GEP->accumulateConstantOffset(DL, Offset))
        return constantAddress(cast<Constant>(GEP->getPointerOperand()),
                               Known) +
               Offset.getSExtValue();
    } else if (E->getOpcode() == llvm::Instruction::AddrSpaceCast) {
      uint64_t Address = constantAddress(E->getOperand(0), Known);
      Space From = spaceOf(E->getOperand(0)->getType()),
            To = spaceOf(E->getType());
      if (From == Space::Shared && To == Space::Generic)
        return Address + SharedWindow;
      if (From == Space::Generic && To == Space::Shared)
        return Address & (PrivateWindowBytes - 1);
      return Address;
    } else if (E->isCast())
      return constantAddress(E->getOperand(0), Known);
    else if (E->getOpcode() == llvm::Instruction::Add)
      return constantAddress(E->getOperand(0), Known) +
             constantAddress(E->getOperand(1), Known);
    else if (E->getOpcode() == llvm::Instruction::Sub)
      return constantAddress(E->getOperand(0), Known) -
             constantAddress(E->getOperand(1), Known);
  }
  Known = false;
  return 0;
}

bool FunctionDecoder::constantWords(
    const Constant *C, SmallVectorImpl<std::pair<uint64_t, uint8_t>> &Words) {
  Type *T = C->getType();
  if (T->isAggregateType() || T->isVectorTy()) {
    unsigned N = isa<StructType>(T) ? T->getStructNumElements()
                 : isa<ArrayType>(T)
                     ? T->getArrayNumElements()
                     : cast<FixedVectorType>(T)->getNumElements();
    for (unsigned I = 0; I < N; ++I)
      if (!constantWords(C->getAggregateElement(I), Words))
        return false;
    return true;
  }
  SmallVector<uint8_t, 1> Bytes;
  if (!flatten(T, Bytes) || Bytes.empty())
    return false;
  uint64_t Word = 0;
  if (T->isIntegerTy(128)) {
    APInt Whole(128, 0);
    if (auto *I = dyn_cast<ConstantInt>(C))
      Whole = I->getValue();
    else if (!isa<UndefValue>(C))
      return false;
    for (unsigned At : {0, 64})
      Words.push_back({Whole.extractBitsAsZExtValue(64, At), 8});
    return true;
  }
  if (auto *I = dyn_cast<ConstantInt>(C))
    Word = I->getZExtValue();
  else if (auto *FP = dyn_cast<ConstantFP>(C))
    Word = FP->getValueAPF().bitcastToAPInt().getZExtValue();
  else if (!isa<UndefValue>(C)) {
    bool Known;
    Word = constantAddress(C, Known);
    if (!Known)
      return false;
  }
  Words.push_back({Word, Bytes[0]});
  return true;
}

const FunctionDecoder::Slots &FunctionDecoder::slots(const Value *V) {
  auto It = Values.find(V);
  if (It != Values.end())
    return It->second;
  Slots S;
  if (auto *C = dyn_cast<Constant>(V)) {
    SmallVector<std::pair<uint64_t, uint8_t>, 4> Words;
    if (!constantWords(C, Words)) {
      std::string Text;
      raw_string_ostream(Text) << *C;
      unsupported("the constant " + Text);
      SmallVector<uint8_t, 4> Bytes;
      flatten(V->getType(), Bytes);
      Words.clear();
      for (uint8_t B : Bytes)
        Words.push_back({0, B});
    }
    for (auto [Word, Bytes] : Words)
      S.push_back(constant(Word, Bytes));
  }
  if (S.empty())
    S.push_back(constant(0, 8));
  return Values[V] = S;
}

void FunctionDecoder::allocate(const Value *V, bool Uniform) {
  SmallVector<uint8_t, 4> Bytes;
  if (V->getType()->isVoidTy() || V->getType()->isMetadataTy() ||
      V->getType()->isTokenTy())
    return;
  Slots S;
  if (flatten(V->getType(), Bytes))
    for (uint8_t B : Bytes)
      S.push_back(newSlot(B, Uniform));
  if (S.empty())
    S.push_back(newSlot(8, false));
  Values[V] = S;
}

Slot FunctionDecoder::varying(Slot S) {
  if (!S.Uniform || S.isMask())
    return S;
  Slot V = newSlot(S.Bytes, false);
  emit(H.Broadcast[sizeIndex(S.Bytes)], V.Offset, S.Offset);
  return V;
}

void FunctionDecoder::copy(Slot To, Slot From, bool Masked) {
  if (To.isMask())
    emit(Masked && !To.Uniform ? H.MoveBits : H.MoveUniform, To.Offset,
         From.Offset);
  else if (To.Uniform)
    emit(H.MoveUniform, To.Offset, From.Offset);
  else
    emit(H.Move[sizeIndex(To.Bytes)][From.Uniform], To.Offset, From.Offset);
}
