// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX: its operands, moves and what only computes.

#include "DecodeAsm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include <cstring>

using namespace llvm;
using namespace sluice::emulator;

unsigned sluice::emulator::typeBits(StringRef Word) {
  return StringSwitch<unsigned>(Word)
      .Cases({"u8", "s8", "b8"}, 8)
      .Cases({"u16", "s16", "b16", "f16", "bf16"}, 16)
      .Cases({"u32", "s32", "b32", "f32", "f16x2", "bf16x2", "u16x2", "s16x2"},
             32)
      .Cases({"u64", "s64", "b64", "f64", "f32x2"}, 64)
      .Case("b128", 128)
      .Case("pred", 1)
      .Default(0);
}

static const LaneFunction Identity = {[](uint64_t *W) { return W[0]; }, 1, 1,
                                      64};

void AsmDecoder::copy(Slot To, Slot From) {
  LaneCall L;
  L.Evaluate = Identity.Evaluate;
  L.Operands = {From};
  L.Results = {To};
  guard(L);
  D.emit(GenericOp::LaneCall).Extra = D.keep(std::move(L));
}

std::optional<Slot> AsmDecoder::slotOf(const PTXOperand &O, unsigned Bits,
                                       bool Float) {
  uint8_t Bytes = Bits <= 1 ? 0 : std::max(1u, std::min(Bits, 64u) / 8);
  Slot S;
  switch (O.K) {
  case PTXOperand::AsmOperand:
    if (O.Index >= AsmOperands.size())
      return std::nullopt;
    S = AsmOperands[O.Index];
    break;
  case PTXOperand::Register:
    S = Registers[O.Index];
    break;
  case PTXOperand::Immediate: {
    uint64_t Word = O.Value;
    if (O.IsDecimalFloat && Float) {
      double V;
      std::memcpy(&V, &Word, 8);
      if (Bits == 32) {
        float F = float(V);
        Word = 0;
        std::memcpy(&Word, &F, 4);
      }
    }
    if (Bytes && Bytes < 8)
      Word &= (uint64_t(1) << Bytes * 8) - 1;
    S = D.constant(Word, Bytes);
    break;
  }
  case PTXOperand::Special: {
    S = D.newSlot(Bits == 64 ? 8 : 4, false);
    if (!D.decodeSpecialRegister(O.Name, S)) {
      Problem = "the special register %" + O.Name;
      return std::nullopt;
    }
    break;
  }
  case PTXOperand::Symbol: {
    GlobalValue *G = D.F.getParent()->getNamedValue(O.Name);
    bool Known = false;
    uint64_t Address = G ? D.constantAddress(G, Known) : 0;
    if (!Known) {
      Problem = "the symbol " + O.Name + " in inline PTX";
      return std::nullopt;
    }
    S = D.constant(Address, 8);
    break;
  }
  case PTXOperand::Sink:
    S = D.newSlot(Bytes, false);
    break;
  default:
    return std::nullopt;
  }
  if (O.Negated) {
    if (!S.isMask()) {
      Slot M = D.newSlot(0, false);
      copy(M, S);
      S = M;
    }
    Slot N = D.newSlot(0, false);
    D.emit(D.H.BitsNot, N.Offset, S.Offset);
    S = N;
  }
  return S;
}

bool AsmDecoder::decodeMove(const PTXInstruction &I) {
  const PTXOperand &To = I.Operands[0], &From = I.Operands[1];
  unsigned Bits = typeBits(Words.back());
  auto Parts = [&](const PTXOperand &O, SmallVectorImpl<Slot> &Out) {
    unsigned Each = Bits / O.Elements.size();
    for (const PTXOperand &E : O.Elements) {
      auto S = slotOf(E, Each, false);
      if (!S)
        return false;
      Out.push_back(*S);
    }
    return true;
  };
  Repack R;
  if (From.K == PTXOperand::Vector || To.K == PTXOperand::Vector) {
    if (From.K == PTXOperand::Vector && !Parts(From, R.From))
      return false;
    if (From.K != PTXOperand::Vector) {
      auto S = slotOf(From, Bits, false);
      if (!S)
        return false;
      R.From.push_back(*S);
    }
    SmallVector<Slot, 4> Final;
    if (To.K == PTXOperand::Vector) {
      if (!Parts(To, Final))
        return false;
    } else {
      auto S = slotOf(To, Bits, false);
      if (!S)
        return false;
      Final.push_back(*S);
    }
    for (Slot S : Final)
      R.To.push_back(D.newSlot(S.Bytes, false));
    SmallVector<Slot, 4> Temporary(R.To);
    D.emit(GenericOp::Repack).Extra = D.keep(std::move(R));
    for (auto [F, T] : zip(Final, Temporary))
      copy(F, T);
    return true;
  }
  auto S = slotOf(From, Bits, Words.back().starts_with("f")),
       T = slotOf(To, Bits, false);
  if (!S || !T)
    return false;
  copy(*T, *S);
  return true;
}

/// Sign-extends \p Into, where a conversion's result of \p Bits bits is signed
/// and in a wider register.
void AsmDecoder::extendConverted(Slot Into, unsigned Bits) {
  if (Words[0] != "cvt" || Into.Bytes * 8u <= Bits)
    return;
  // The first type is the result's.
  auto *Type = find_if(
      Words, [](StringRef W) { return W == "s8" || W == "s16" || W == "s32"; });
  if (Type == Words.end() || typeBits(*Type) != Bits)
    return;
  LaneCall Extend;
  Extend.Evaluate = Bits == 8    ? LaneEvaluator([](uint64_t *X) {
    return uint64_t(int64_t(int8_t(X[0])));
  })
                    : Bits == 16 ? LaneEvaluator([](uint64_t *X) {
                        return uint64_t(int64_t(int16_t(X[0])));
                      })
                                 : LaneEvaluator([](uint64_t *X) {
                                     return uint64_t(int64_t(int32_t(X[0])));
                                   });
  Extend.Operands = {Into};
  Extend.Results = {Into};
  guard(Extend);
  D.emit(GenericOp::LaneCall).Extra = D.keep(std::move(Extend));
}

bool AsmDecoder::decodeComputation(const PTXInstruction &I) {
  std::string Opcode = I.Opcode;
  if (I.Operands.size() == 4 && (Words[0] == "min" || Words[0] == "max"))
    Opcode.insert(3, "3"); // its three-operand form: see LaneFunctions.h
  const LaneFunction *Fn = findPTXFunction(Opcode);
  if (!Fn || I.Operands.empty())
    return false;
  // Modifiers may follow the type: "max.s32.relu".
  StringRef Type;
  for (StringRef W : Words)
    if (typeBits(W))
      Type = W;
  unsigned Bits = Type.empty() ? 32 : typeBits(Type);
  bool Float = Type.starts_with("f") || Type.starts_with("bf");
  LaneCall L;
  L.Evaluate = Fn->Evaluate;
  guard(L);
  auto Result = slotOf(I.Operands[0], Fn->ResultBits, false);
  if (!Result)
    return false;
  L.Results.push_back(*Result);
  bool SetsCarry = is_contained(Words, "cc");
  bool UsesCarry =
      Words[0] == "addc" || Words[0] == "subc" || Words[0] == "madc";
  for (const PTXOperand &O : drop_begin(I.Operands)) {
    if (O.K == PTXOperand::Vector) { // several registers as one word
      Repack R;
      for (const PTXOperand &E : O.Elements) {
        auto S = slotOf(E, Bits / O.Elements.size(), Float);
        if (!S)
          return false;
        R.From.push_back(*S);
      }
      Slot Word = D.newSlot(std::max(1u, Bits / 8), false);
      R.To.push_back(Word);
      D.emit(GenericOp::Repack).Extra = D.keep(std::move(R));
      L.Operands.push_back(Word);
      continue;
    }
    auto S = slotOf(O, Bits, Float);
    if (!S)
      return false;
    L.Operands.push_back(*S);
  }
  if (UsesCarry) {
    if (!Carry)
      Carry = D.newSlot(4, false);
    L.Operands.push_back(*Carry);
  }
  if (SetsCarry) {
    if (!Carry)
      Carry = D.newSlot(4, false);
    L.Results.push_back(*Carry);
  } else if (!I.Operands[0].Second.empty()) {
    auto Q = slotOf(I.Operands[0].Second[0], 1, false);
    if (!Q)
      return false;
    L.Results.push_back(*Q);
  }
  if (L.Operands.size() != Fn->Operands || L.Results.size() > Fn->Results)
    return false;
  Slot Into = L.Results[0];
  D.emit(GenericOp::LaneCall).Extra = D.keep(std::move(L));
  extendConverted(Into, Fn->ResultBits);
  return true;
}

/// Those of proxies and of mbarrier.init order no accesses of threads.
static bool isFence(ArrayRef<StringRef> Words) {
  return (Words[0] == "membar" || Words[0] == "fence") &&
         !is_contained(Words, "proxy") && !is_contained(Words, "mbarrier_init");
}

bool AsmDecoder::decode(const PTXInstruction &I) {
  Words.clear();
  StringRef(I.Opcode).split(Words, '.');
  HasGuard = I.Guard.K != PTXOperand::Sink;
  if (HasGuard) {
    PTXOperand Plain = I.Guard;
    GuardNegated = Plain.Negated;
    Plain.Negated = false;
    auto S = slotOf(Plain, 1, false);
    if (!S || !S->isMask())
      return false;
    Guard = *S;
  }
  StringRef Op = Words[0];
  auto Is = [&](std::initializer_list<StringRef> Names) {
    return is_contained(Names, Op);
  };
  if (isFence(Words)) {
    D.decodeFence(HasGuard, GuardNegated, Guard);
    return true;
  }
  if (Is({"membar", "fence", "prefetch", "prefetchu", "applypriority",
          "discard", "griddepcontrol", "pmevent", "brkpt", "setmaxnreg"})) {
    D.emit(GenericOp::Nothing);
    return true;
  }
  if (Op == "createpolicy") {
    auto S = slotOf(I.Operands[0], 64, false);
    if (!S)
      return false;
    copy(*S, D.constant(0, 8));
    return true;
  }
  if (Op == "nanosleep") {
    D.emit(GenericOp::Observe);
    return true;
  }
  if (Op == "trap" && !HasGuard) {
    D.emit(D.H.Trap);
    return true;
  }
  if (Op == "exit" && !HasGuard) {
    D.emit(D.H.Exit);
    return true;
  }
  if (Op == "mov")
    return I.Operands.size() == 2 && decodeMove(I);
  if (Is({"ld", "ldu"}))
    return I.Operands.size() >= 2 && decodeMemory(I, false);
  if (Op == "st")
    return I.Operands.size() >= 2 && decodeMemory(I, true);
  if (Is({"atom", "red"}))
    return I.Operands.size() >= 2 && decodeAtomic(I);
  if (Op == "cp" && Words.size() > 1 && Words[1] == "async")
    return decodeAsyncCopy(I);
  if (Op == "mbarrier")
    return decodeMBarrier(I);
  if (Is({"cvta", "isspacep"}))
    return I.Operands.size() == 2 && decodeAddressConversion(I);
  if (Op == "activemask") {
    Slot Temporary = D.newSlot(4, false);
    Instruction &X = D.emit(GenericOp::Special);
    X.D = Temporary.Offset;
    X.Site = unsigned(SpecialRegister::ActiveMask);
    X.Count = 4;
    X.B = 0;
    auto S = slotOf(I.Operands[0], 32, false);
    if (!S)
      return false;
    copy(*S, Temporary);
    return true;
  }
  if (Is({"shfl", "vote", "match", "redux", "elect"}) ||
      (Op == "bar" && Words.size() > 1 && Words[1] == "warp"))
    return decodeWarp(I);
  if (Is({"bar", "barrier"}))
    return decodeBarrier(I);
  return decodeComputation(I);
}

bool AsmDecoder::run() {
  for (const PTXRegister &R : P.Registers) {
    if (R.Bits > 64) {
      Problem = "the 128-bit register " + R.Name + " of inline PTX";
      return false;
    }
    Registers.push_back(D.newSlot(
        R.Bits == 1 ? 0 : std::min(64u, std::max(8u, R.Bits)) / 8, false));
  }
  for (const PTXInstruction &I : P.Instructions)
    if (!decode(I)) {
      if (Problem.empty())
        Problem = "the PTX instruction " + I.Opcode;
      return false;
    }
  return true;
}

static void writeNumber(std::vector<PTXOperand> &In, unsigned Index,
                        int64_t Value) {
  for (PTXOperand &O : In) {
    writeNumber(O.Elements, Index, Value);
    if (O.K == PTXOperand::AsmOperand && O.Index == Index) {
      O.K = PTXOperand::Immediate;
      O.Value = Value;
    }
  }
}

// Replaces the operand $Index by a number.
static void writeNumber(PTXSnippet &P, unsigned Index, int64_t Value) {
  for (PTXInstruction &I : P.Instructions)
    writeNumber(I.Operands, Index, Value);
}

void FunctionDecoder::decodeAsm(CallInst &I, const InlineAsm &Asm) {
  auto Parsed = parsePTXSnippet(Asm.getAsmString());
  if (!Parsed)
    return unsupported("inline PTX: " + toString(Parsed.takeError()));
  // Operands are numbered outputs first, then inputs.
  SmallVector<Slot, 8> Operands;
  const Slots Results = I.getType()->isVoidTy() ? Slots() : slots(&I);
  unsigned NextResult = 0, NextArgument = 0;
  struct Tied {
    unsigned Output;
    Slot From;
  };
  SmallVector<Tied, 4> Ties;
  for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
    if (C.Type == InlineAsm::isOutput) {
      if (C.isIndirect || NextResult >= Results.size())
        return unsupported("inline PTX with this output");
      Operands.push_back(Results[NextResult++]);
    } else if (C.Type == InlineAsm::isInput) {
      Value *Argument = I.getArgOperand(NextArgument++);
      // "n": part of the text, as in `cp.async ... [$0], [$1], $2`.
      auto *Number = dyn_cast<ConstantInt>(Argument);
      if (Number && !C.Codes.empty() &&
          (C.Codes[0] == "n" || C.Codes[0] == "i"))
        writeNumber(*Parsed, Operands.size(), Number->getSExtValue());
      Slot From = slot(Argument);
      if (C.hasMatchingInput() ||
          (!C.Codes.empty() && isDigit(C.Codes[0][0]))) {
        unsigned Output = 0;
        StringRef(C.Codes[0]).getAsInteger(10, Output);
        if (Output >= Operands.size())
          return unsupported("inline PTX with this input");
        Ties.push_back({Output, From});
        Operands.push_back(Operands[Output]);
      } else
        Operands.push_back(From);
    }
  }
  for (const Tied &T : Ties)
    copy(Operands[T.Output], T.From, false);
  AsmDecoder A(*this, *Parsed, Operands, useOfRead(I, PostDominators, Loops));
  if (!A.run())
    unsupported(A.Problem);
}
