// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX becomes the same Instructions as IR does. What only computes is a
// lane function found by its opcode; memory, warp and barrier instructions have
// their decoders here. A guard predicate makes an instruction touch only the
// lanes whose predicate holds.

#include "Decoder.h"
#include "sluice/Emulator/PTXSnippet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include <optional>

using namespace llvm;
using namespace sluice::emulator;

namespace sluice::emulator {

class AsmDecoder {
public:
  AsmDecoder(FunctionDecoder &D, const PTXSnippet &P,
             SmallVectorImpl<Slot> &AsmOperands)
      : D(D), P(P), AsmOperands(AsmOperands) {}
  /// False with Problem set if something cannot be run.
  bool run();
  std::string Problem;

private:
  bool decode(const PTXInstruction &I);
  bool decodeMove(const PTXInstruction &I);
  bool decodeMemory(const PTXInstruction &I, bool IsStore);
  bool decodeAtomic(const PTXInstruction &I);
  bool decodeAsyncCopy(const PTXInstruction &I);
  bool decodeWarp(const PTXInstruction &I);
  bool decodeBarrier(const PTXInstruction &I);
  bool decodeComputation(const PTXInstruction &I);
  bool decodeAddressConversion(const PTXInstruction &I);

  std::optional<Slot> slotOf(const PTXOperand &O, unsigned Bits, bool Float);
  void copy(Slot To, Slot From);
  Slot address(const PTXOperand &O, int64_t &Offset);
  template <class T> void guard(T &Op) {
    Op.HasGuard = HasGuard;
    Op.GuardNegated = GuardNegated;
    Op.Guard = Guard;
  }

  FunctionDecoder &D;
  const PTXSnippet &P;
  SmallVectorImpl<Slot> &AsmOperands;
  SmallVector<Slot, 8> Registers;
  SmallVector<StringRef, 8> Words; ///< Of the opcode, split at '.'.
  std::optional<Slot> Carry;
  bool HasGuard = false, GuardNegated = false;
  Slot Guard;
};

} // namespace sluice::emulator

// ".u32" -> 32 bits; 0 if it is no type.
static unsigned typeBits(StringRef Word) {
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

static const LaneFunction Identity = {[](uint64_t *W) { return W[0]; }, 1, 1, 64};

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
    S = D.newSlot(Bytes ? Bytes : 0, false);
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

Slot AsmDecoder::address(const PTXOperand &O, int64_t &Offset) {
  Offset = O.K == PTXOperand::Address ? O.Value : 0;
  const PTXOperand &Base =
      O.K == PTXOperand::Address && !O.Elements.empty() ? O.Elements[0] : O;
  if (auto S = slotOf(Base, 64, false)) {
    if (O.Second.empty())
      return *S;
    // [$1 + $2]
    if (auto Plus = slotOf(O.Second[0], 64, false)) {
      LaneCall Add;
      Add.Evaluate = [](uint64_t *W) { return W[0] + W[1]; };
      Add.Operands = {*S, *Plus};
      Slot Sum = D.newSlot(8, false);
      Add.Results = {Sum};
      D.emit(GenericOp::LaneCall).Extra = D.keep(std::move(Add));
      return Sum;
    }
  }
  if (Problem.empty())
    Problem = "an address in inline PTX";
  return D.constant(0, 8);
}

static std::optional<Space> spaceOfWord(StringRef W) {
  return StringSwitch<std::optional<Space>>(W)
      .Cases({"global", "const", "param", "param::entry"}, Space::Global)
      .Cases({"shared", "shared::cta", "shared::cluster"}, Space::Shared)
      .Case("local", Space::Local)
      .Default(std::nullopt);
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
    if (From.K == PTXOperand::Vector ? !Parts(From, R.From) : false)
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

bool AsmDecoder::decodeMemory(const PTXInstruction &I, bool IsStore) {
  GuardedAccess G{};
  AccessOp &A = G.Access;
  guard(A);
  A.Where = Space::Generic;
  unsigned Bits = typeBits(Words.back()), Count = 1;
  for (StringRef W : Words) {
    if (auto S = spaceOfWord(W))
      A.Where = *S;
    if (W == "v2" || W == "v4" || W == "v8")
      Count = W[1] - '0';
    A.IsVolatile |= W == "volatile" || W == "relaxed" || W == "acquire" ||
                    W == "release" || W == "mmio";
  }
  A.IsAtomic = A.IsVolatile;
  if (Bits < 8)
    return false;
  const PTXOperand &Place = I.Operands[IsStore ? 0 : 1],
                   &Data = I.Operands[IsStore ? 1 : 0];
  A.Address = address(Place, A.Offset);
  A.IsWrite = IsStore;
  G.ElementBytes = Bits / 8;
  A.Bytes = Count * Bits / 8;
  G.SignExtend = Words.back().starts_with("s");
  ArrayRef<PTXOperand> Elements = Data.K == PTXOperand::Vector
                                      ? ArrayRef(Data.Elements)
                                      : ArrayRef(Data);
  for (const PTXOperand &E : Elements) {
    auto S = slotOf(E, Bits, Words.back().starts_with("f"));
    if (!S)
      return false;
    G.Data.push_back(*S);
  }
  if (G.Data.size() != Count)
    return false;
  if (D.DC.ObserveAccesses)
    D.emit(GenericOp::Observe).Extra = D.keep(A);
  D.emit(GenericOp::Guarded).Extra = D.keep(std::move(G));
  D.Out.Code.back().Site = D.Out.NumSites++;
  return true;
}

// cp.async: done at once, which is one of the orders it may have.
bool AsmDecoder::decodeAsyncCopy(const PTXInstruction &I) {
  if (Words.size() > 2 &&
      (Words[2] == "commit_group" || Words[2].starts_with("wait") ||
       Words[2].starts_with("mbarrier")))
    return Words[2] != "mbarrier";
  if (I.Operands.size() < 3 || I.Operands[2].K != PTXOperand::Immediate ||
      is_contained(Words, "bulk"))
    return false;
  unsigned Bytes = I.Operands[2].Value;
  GuardedAccess Load{}, Store{};
  guard(Load.Access);
  guard(Store.Access);
  Load.Access.Where = Space::Global;
  Load.Access.Address = address(I.Operands[1], Load.Access.Offset);
  Store.Access.Where = Space::Shared;
  Store.Access.Address = address(I.Operands[0], Store.Access.Offset);
  Store.Access.IsWrite = true;
  Load.Access.Bytes = Store.Access.Bytes = Bytes;
  Load.ElementBytes = Store.ElementBytes = 4;
  for (unsigned J = 0; J < Bytes / 4; ++J)
    Load.Data.push_back(D.newSlot(4, false));
  if (I.Operands.size() > 3) // the source size: the rest is zeros
    return false;
  Store.Data = Load.Data;
  for (GuardedAccess *G : {&Load, &Store}) {
    if (D.DC.ObserveAccesses)
      D.emit(GenericOp::Observe).Extra = D.keep(G->Access);
    D.emit(GenericOp::Guarded).Extra = D.keep(*G);
    D.Out.Code.back().Site = D.Out.NumSites++;
  }
  return true;
}

bool AsmDecoder::decodeAtomic(const PTXInstruction &I) {
  bool HasResult = Words[0] == "atom";
  AtomicOp Op{};
  guard(Op);
  Op.Where = Space::Generic;
  StringRef Type = Words.back();
  unsigned Bits = typeBits(Type);
  bool Signed = Type.starts_with("s");
  bool Float = Type.starts_with("f") || Type.starts_with("bf");
  std::optional<AtomicKind> Kind;
  for (StringRef W : drop_begin(Words)) {
    if (auto S = spaceOfWord(W))
      Op.Where = *S;
    auto K = StringSwitch<std::optional<AtomicKind>>(W)
                 .Case("add", Float ? AtomicKind::FAdd : AtomicKind::Add)
                 .Case("exch", AtomicKind::Exchange)
                 .Case("and", AtomicKind::And)
                 .Case("or", AtomicKind::Or)
                 .Case("xor", AtomicKind::Xor)
                 .Case("cas", AtomicKind::CompareExchange)
                 .Case("inc", AtomicKind::Inc)
                 .Case("dec", AtomicKind::Dec)
                 .Case("min", Float    ? AtomicKind::FMin
                              : Signed ? AtomicKind::Min
                                       : AtomicKind::UMin)
                 .Case("max", Float    ? AtomicKind::FMax
                              : Signed ? AtomicKind::Max
                                       : AtomicKind::UMax)
                 .Default(std::nullopt);
    if (K)
      Kind = K;
  }
  if (!Kind || Bits < 16 || Bits > 64)
    return false;
  Op.Kind = *Kind;
  Op.Bytes = Bits / 8;
  Op.T = Type == "f16"      ? AtomicOp::Half
         : Type == "bf16"   ? AtomicOp::BFloat
         : Type == "f16x2"  ? AtomicOp::Half2
         : Type == "bf16x2" ? AtomicOp::BFloat2
         : Float            ? AtomicOp::Float
                            : AtomicOp::Integer;
  unsigned At = 0;
  if (HasResult) {
    auto S = slotOf(I.Operands[At++], Bits, Float);
    if (!S)
      return false;
    Op.Results.push_back(*S);
  }
  Op.Address = address(I.Operands[At++], Op.Offset);
  if (Op.Kind == AtomicKind::CompareExchange) {
    auto S = slotOf(I.Operands[At++], Bits, Float);
    if (!S)
      return false;
    Op.Compare = *S;
  }
  auto V = slotOf(I.Operands[At], Bits, Float);
  if (!V)
    return false;
  Op.Value = *V;
  D.emitAtomic(std::move(Op));
  return true;
}

bool AsmDecoder::decodeWarp(const PTXInstruction &I) {
  WarpOp Op{};
  guard(Op);
  auto Operand = [&](unsigned N, unsigned Bits) {
    auto S = N < I.Operands.size() ? slotOf(I.Operands[N], Bits, false)
                                   : std::nullopt;
    if (!S && Problem.empty())
      Problem = "an operand of " + I.Opcode;
    return S.value_or(Slot());
  };
  bool Sync = is_contained(Words, "sync");
  Op.HasMask = Sync;
  auto Result = [&](unsigned Bits) {
    Op.Results.push_back(Operand(0, Bits));
    if (!I.Operands[0].Second.empty())
      if (auto Q = slotOf(I.Operands[0].Second[0], 1, false))
        Op.Results.push_back(*Q);
  };
  if (Words[0] == "bar") { // bar.warp.sync
    Op.Kind = WarpOpKind::Sync;
    Op.Mask = Operand(0, 32);
  } else if (Words[0] == "shfl") {
    Op.Kind = is_contained(Words, "idx")    ? WarpOpKind::ShflIdx
              : is_contained(Words, "up")   ? WarpOpKind::ShflUp
              : is_contained(Words, "down") ? WarpOpKind::ShflDown
                                            : WarpOpKind::ShflBfly;
    Result(32);
    Op.Value = Operand(1, 32);
    Op.Lane = Operand(2, 32);
    Op.Clamp = Operand(3, 32);
    if (Sync)
      Op.Mask = Operand(4, 32);
  } else if (Words[0] == "vote") {
    Op.Kind = is_contained(Words, "all")   ? WarpOpKind::VoteAll
              : is_contained(Words, "any") ? WarpOpKind::VoteAny
              : is_contained(Words, "uni") ? WarpOpKind::VoteUni
                                           : WarpOpKind::VoteBallot;
    Result(Op.Kind == WarpOpKind::VoteBallot ? 32 : 1);
    Op.Value = Operand(1, 1);
    if (Sync)
      Op.Mask = Operand(2, 32);
  } else if (Words[0] == "match") {
    Op.Kind = is_contained(Words, "any") ? WarpOpKind::MatchAny
                                         : WarpOpKind::MatchAll;
    Result(32);
    Op.Value = Operand(1, typeBits(Words.back()));
    Op.Mask = Operand(2, 32);
  } else if (Words[0] == "redux") {
    bool Unsigned = Words.back() == "u32", Float = Words.back() == "f32";
    auto Kind = StringSwitch<std::optional<WarpOpKind>>(Words[2])
                    .Case("add", WarpOpKind::ReduxAdd)
                    .Case("and", WarpOpKind::ReduxAnd)
                    .Case("or", WarpOpKind::ReduxOr)
                    .Case("xor", WarpOpKind::ReduxXor)
                    .Case("min", Float      ? WarpOpKind::ReduxFMin
                                 : Unsigned ? WarpOpKind::ReduxUMin
                                            : WarpOpKind::ReduxMin)
                    .Case("max", Float      ? WarpOpKind::ReduxFMax
                                 : Unsigned ? WarpOpKind::ReduxUMax
                                            : WarpOpKind::ReduxMax)
                    .Default(std::nullopt);
    if (!Kind)
      return false;
    Op.Kind = *Kind;
    Result(32);
    Op.Value = Operand(1, 32);
    Op.Mask = Operand(2, 32);
  } else { // elect.sync d|p, mask
    Op.Kind = WarpOpKind::Elect;
    Result(32);
    Op.Mask = Operand(1, 32);
  }
  if (!Problem.empty())
    return false;
  D.emit(GenericOp::WarpOp).Extra = D.keep(std::move(Op));
  return true;
}

bool AsmDecoder::decodeBarrier(const PTXInstruction &I) {
  if (HasGuard)
    return false;
  BarrierOp Op{};
  Op.Kind = is_contained(Words, "arrive") ? BarrierKind::Arrive
                                          : BarrierKind::Sync;
  Op.Cluster = is_contained(Words, "cluster");
  Op.Aligned = Words[0] == "bar" || is_contained(Words, "aligned");
  unsigned At = 0;
  if (is_contained(Words, "red")) {
    Op.Kind = is_contained(Words, "popc")  ? BarrierKind::Popc
              : is_contained(Words, "and") ? BarrierKind::And
                                           : BarrierKind::Or;
    auto S = slotOf(I.Operands[At++], Op.Kind == BarrierKind::Popc ? 32 : 1,
                    false);
    if (!S)
      return false;
    Op.Results.push_back(*S);
  }
  Op.Id = D.constant(0, 4);
  if (At < I.Operands.size()) {
    auto S = slotOf(I.Operands[At++], 32, false);
    if (!S)
      return false;
    Op.Id = *S;
  }
  size_t Left = I.Operands.size() - At - !Op.Results.empty();
  if (Left && At < I.Operands.size()) {
    auto S = slotOf(I.Operands[At++], 32, false);
    if (!S)
      return false;
    Op.HasCount = true;
    Op.Count = *S;
  }
  if (!Op.Results.empty()) {
    auto S = slotOf(I.Operands[At], 1, false);
    if (!S)
      return false;
    Op.Predicate = *S;
  }
  D.emit(GenericOp::Barrier).Extra = D.keep(std::move(Op));
  return true;
}

// cvta.global.u64 d, a; cvta.to.shared.u64 d, a; isspacep.shared p, a
bool AsmDecoder::decodeAddressConversion(const PTXInstruction &I) {
  bool Test = Words[0] == "isspacep", To = is_contained(Words, "to");
  std::optional<Space> Where;
  bool IsConstant = false;
  for (StringRef W : Words) {
    if (auto S = spaceOfWord(W))
      Where = *S;
    IsConstant |= W == "const" || W.starts_with("param");
  }
  if (!Where)
    return false;
  auto Out = slotOf(I.Operands[0], Test ? 1 : 64, false),
       In = slotOf(I.Operands[1], 64, false);
  if (!Out || !In)
    return false;
  LaneCall L;
  guard(L);
  L.Operands = {*In};
  L.Results = {*Out};
  auto IsShared = [](uint64_t *W) -> uint64_t {
    return W[0] - SharedWindow < PrivateWindowBytes;
  };
  auto IsLocal = [](uint64_t *W) -> uint64_t {
    return W[0] - LocalWindow < PrivateWindowBytes;
  };
  auto IsGlobal = [](uint64_t *W) -> uint64_t {
    return W[0] - SharedWindow >= PrivateWindowBytes &&
           W[0] - LocalWindow >= PrivateWindowBytes;
  };
  auto Never = [](uint64_t *) -> uint64_t { return 0; };
  auto Same = [](uint64_t *W) { return W[0]; };
  auto Low = [](uint64_t *W) { return W[0] & (PrivateWindowBytes - 1); };
  auto FromShared = [](uint64_t *W) { return W[0] + SharedWindow; };
  auto FromLocal = [](uint64_t *W) { return W[0] + LocalWindow; };
  if (Test)
    L.Evaluate = IsConstant                ? LaneEvaluator(Never)
                 : *Where == Space::Shared ? LaneEvaluator(IsShared)
                 : *Where == Space::Local  ? LaneEvaluator(IsLocal)
                                           : LaneEvaluator(IsGlobal);
  else if (*Where == Space::Global)
    L.Evaluate = Same;
  else if (To)
    L.Evaluate = Low;
  else
    L.Evaluate = *Where == Space::Shared ? LaneEvaluator(FromShared)
                                         : LaneEvaluator(FromLocal);
  D.emit(GenericOp::LaneCall).Extra = D.keep(std::move(L));
  return true;
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
  bool UsesCarry = Words[0] == "addc" || Words[0] == "subc" ||
                   Words[0] == "madc";
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
  // A signed result in a wider register is sign-extended.
  if (Words[0] == "cvt" && Into.Bytes * 8u > Fn->ResultBits)
    for (StringRef W : Words) {
      if (W != "s8" && W != "s16" && W != "s32")
        continue;
      if (typeBits(W) == Fn->ResultBits) {
        LaneCall Extend;
        Extend.Evaluate = W == "s8" ? LaneEvaluator([](uint64_t *X) {
          return uint64_t(int64_t(int8_t(X[0])));
        })
                          : W == "s16" ? LaneEvaluator([](uint64_t *X) {
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
      break; // the first type is the result's
    }
  return true;
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
  if (Is({"exit", "ret"}) && !HasGuard && Op == "exit") {
    D.emit(D.H.Exit);
    return true;
  }
  if (Op == "mov" || (Op == "mov" && Words.size() > 1))
    return I.Operands.size() == 2 && decodeMove(I);
  if (Is({"ld", "ldu"}))
    return I.Operands.size() >= 2 && decodeMemory(I, false);
  if (Op == "st")
    return I.Operands.size() >= 2 && decodeMemory(I, true);
  if (Is({"atom", "red"}))
    return I.Operands.size() >= 2 && decodeAtomic(I);
  if (Op == "cp" && Words.size() > 1 && Words[1] == "async")
    return decodeAsyncCopy(I);
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
  for (const PTXRegister &R : P.Registers)
    Registers.push_back(
        D.newSlot(R.Bits == 1 ? 0 : std::min(64u, std::max(8u, R.Bits)) / 8,
                  false));
  for (const PTXInstruction &I : P.Instructions)
    if (!decode(I)) {
      if (Problem.empty())
        Problem = "the PTX instruction " + I.Opcode;
      return false;
    }
  return true;
}

void FunctionDecoder::decodeAsm(CallInst &I, const InlineAsm &Asm) {
  auto Parsed = parsePTXSnippet(Asm.getAsmString());
  if (!Parsed)
    return unsupported("inline PTX: " + toString(Parsed.takeError()));
  // Operands are numbered outputs first, then inputs.
  SmallVector<Slot, 8> Operands;
  const Slots Results =
      I.getType()->isVoidTy() ? Slots() : slots(&I);
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
      Slot From = slot(I.getArgOperand(NextArgument++));
      if (C.hasMatchingInput() || (!C.Codes.empty() &&
                                   isDigit(C.Codes[0][0]))) {
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
  AsmDecoder A(*this, *Parsed, Operands);
  if (!A.run())
    unsupported(A.Problem);
}
