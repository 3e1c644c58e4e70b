// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX that accesses memory or converts its addresses.

#include "DecodeAsm.h"
#include "sluice/Simulator/IssueOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice::emulator;

std::optional<Space> sluice::emulator::spaceOfWord(StringRef W) {
  return StringSwitch<std::optional<Space>>(W)
      .Cases({"global", "const", "param", "param::entry"}, Space::Global)
      .Cases({"shared", "shared::cta", "shared::cluster"}, Space::Shared)
      .Case("local", Space::Local)
      .Default(std::nullopt);
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

/// What the words of a load's name ask of the L1.
static sluice::L1Hint hintIn(ArrayRef<StringRef> Words) {
  for (StringRef Word : Words) {
    auto Part = sluice::parseCacheHint(Word);
    if (!Part) { // most words are no hints
      consumeError(Part.takeError());
      continue;
    }
    if (sluice::L1Hint Hint = sluice::l1HintOf(*Part);
        Hint != sluice::L1Hint::Normal)
      return Hint;
  }
  return sluice::L1Hint::Normal;
}

void AsmDecoder::emitAccess(GuardedAccess G, L1Hint Hint) {
  if (D.DC.Sites) {
    if (auto Site = D.DC.Sites->access(*D.Decoded, D.Loops)) {
      G.Access.Site = *Site;
      if (Hint != L1Hint::Normal)
        D.DC.Out->Sites.Accesses[*Site].Hint = Hint;
    }
    D.DC.Out->HasReadOnlyLoads |= G.Access.SaysReadOnly;
    if (!G.HasSourceBytes) // known only when it runs
      D.emit(GenericOp::Observe).Extra = D.keep(G.Access);
  }
  Instruction &I = D.emit(GenericOp::Guarded);
  // A snippet of one load gives what it loads.
  I.E = uint32_t(P.Instructions.size() == 1 ? ResultUse : ReadUse::Certain);
  I.Extra = D.keep(std::move(G));
  I.Site = D.Out.NumSites++;
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
  A.Acquires = is_contained(Words, "acquire");
  A.Releases = is_contained(Words, "release");
  if (Bits < 8 || Bits > 64 || is_contained(Words, "async"))
    return false;
  const PTXOperand &Place = I.Operands[IsStore ? 0 : 1],
                   &Data = I.Operands[IsStore ? 1 : 0];
  A.Address = address(Place, A.Offset);
  if (!Problem.empty())
    return false;
  A.IsWrite = IsStore;
  A.SaysReadOnly = is_contained(Words, "nc");
  G.ElementBytes = Bits / 8;
  A.Bytes = Count * Bits / 8;
  G.SignExtend = Words.back().starts_with("s");
  ArrayRef<PTXOperand> Elements =
      Data.K == PTXOperand::Vector ? ArrayRef(Data.Elements) : ArrayRef(Data);
  for (const PTXOperand &E : Elements) {
    auto S = slotOf(E, Bits, Words.back().starts_with("f"));
    if (!S)
      return false;
    G.Data.push_back(*S);
  }
  if (G.Data.size() != Count)
    return false;
  emitAccess(std::move(G), IsStore ? L1Hint::Normal : hintIn(Words));
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
    auto K = atomicKindFor(W, Float, Signed);
    if (K)
      Kind = K;
  }
  if (!Kind || Bits < 16 || Bits > 64)
    return false;
  Op.Kind = *Kind;
  const bool IsBoth = is_contained(Words, "acq_rel");
  Op.Acquires = IsBoth || is_contained(Words, "acquire");
  Op.Releases = IsBoth || is_contained(Words, "release");
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
  if (!Problem.empty() || is_contained(Words, "async"))
    return false;
  // Only f32 and f64 have a minimum here.
  if ((Op.Kind == AtomicKind::FMin || Op.Kind == AtomicKind::FMax) &&
      Op.T != AtomicOp::Float)
    return false;
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

// cvta.global.u64 d, a; cvta.to.shared.u64 d, a; isspacep.shared p, a
bool AsmDecoder::decodeAddressConversion(const PTXInstruction &I) {
  bool Test = Words[0] == "isspacep", To = is_contained(Words, "to");
  std::optional<Space> Where;
  bool IsConstant = false;
  for (StringRef W : Words) {
    if (auto S = spaceOfWord(W))
      Where = S;
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
