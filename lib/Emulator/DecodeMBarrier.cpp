// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on mbarriers, as inline PTX and as intrinsics. Both have the same
// names and operands:
//   mbarrier.arrive_drop.noComplete.shared.b64 state, [address], count
//   llvm.nvvm.mbarrier.arrive.drop.noComplete.shared
// Scope (.cluster) and the hint how long try_wait may sleep change nothing
// here, and semantics (.relaxed) only what is checked.

#include "DecodeAsm.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice::emulator;

// What the name says, or nothing if it is of another operation.
static std::optional<MBarrierOp> operationNamed(StringRef Name) {
  std::string Dotted = Name.str();
  std::replace(Dotted.begin(), Dotted.end(), '_', '.');
  SmallVector<StringRef, 12> Words;
  StringRef(Dotted).split(Words, '.');
  auto Has = [&](StringRef W) { return is_contained(Words, W); };
  using K = MBarrierKind;
  MBarrierOp Op{};
  Op.Drop = Has("drop");
  Op.NoComplete = Has("noComplete");
  Op.Parity = Has("parity");
  Op.ExpectsBytes = Has("expect");
  Op.OfCopies = Has("async");
  if (Has("init"))
    Op.Kind = K::Init;
  else if (Has("inval"))
    Op.Kind = K::Invalidate;
  else if (Op.OfCopies)
    Op.Kind = Has("noinc") ? K::Arrive : K::AsyncArrive;
  else if (Has("arrive"))
    Op.Kind = K::Arrive;
  else if (Has("wait"))
    Op.Kind = K::Wait;
  else if (Has("expect"))
    Op.Kind = K::ExpectBytes;
  else if (Has("complete"))
    Op.Kind = K::CompleteBytes;
  else if (Has("pending"))
    Op.Kind = K::PendingCount;
  else
    return std::nullopt;
  Op.Word.Where = Space::Generic;
  Op.Word.Bytes = 8;
  Op.Word.IsWrite = Op.Kind != K::Wait;
  Op.Word.IsAtomic = Op.Kind != K::Init && Op.Kind != K::Invalidate;
  // Waits acquire and arrivals release unless they say that they do not.
  Op.Word.Acquires = Op.Kind == K::Wait && !Has("relaxed");
  Op.Word.Releases = Op.Kind == K::Arrive && !Has("relaxed");
  Op.Word.IsReadWrite = Op.Word.IsAtomic && Op.Word.IsWrite;
  return Op;
}

static unsigned valueBits(const MBarrierOp &Op) {
  bool IsState = Op.Kind == MBarrierKind::Wait && !Op.Parity;
  return IsState || Op.Kind == MBarrierKind::PendingCount ? 64 : 32;
}

static bool needsValue(const MBarrierOp &Op) {
  return Op.ExpectsBytes || !(Op.Kind == MBarrierKind::Invalidate ||
                              Op.Kind == MBarrierKind::Arrive ||
                              Op.Kind == MBarrierKind::AsyncArrive);
}

void FunctionDecoder::emitMBarrier(MBarrierOp Op) {
  emit(GenericOp::MBarrier).Extra = keep(std::move(Op));
  Out.Code.back().Site = Out.NumSites++;
}

bool FunctionDecoder::decodeMBarrier(CallInst &I, StringRef Name) {
  if (!Name.starts_with("llvm.nvvm.mbarrier.") &&
      !Name.starts_with("llvm.nvvm.cp.async.mbarrier."))
    return false;
  auto Op = operationNamed(Name);
  if (!Op)
    return false;
  unsigned At = 0;
  if (Op->Kind != MBarrierKind::PendingCount) {
    Op->Word.Where = spaceOf(I.getArgOperand(0)->getType());
    Op->Word.Address = slot(I.getArgOperand(0));
    At = 1;
  }
  Op->HasValue = At < I.arg_size();
  if (Op->HasValue)
    Op->Value = slot(I.getArgOperand(At));
  else if (needsValue(*Op))
    return false;
  if (!I.getType()->isVoidTy())
    Op->Results.push_back(slot(&I));
  emitMBarrier(std::move(*Op));
  return true;
}

bool AsmDecoder::decodeMBarrier(const PTXInstruction &I) {
  auto Op = operationNamed(I.Opcode);
  if (!Op)
    return false;
  guard(Op->Word);
  for (StringRef W : Words)
    if (auto S = spaceOfWord(W))
      Op->Word.Where = *S;
  ArrayRef<PTXOperand> Left = I.Operands;
  auto Take = [&](unsigned Bits) {
    auto S = slotOf(Left.front(), Bits, false);
    Left = Left.drop_front();
    return S;
  };
  // A result stands before the address; '_' is none.
  bool OfState = Op->Kind == MBarrierKind::PendingCount;
  if (!Left.empty() && (OfState || Left[0].K != PTXOperand::Address)) {
    if (Left[0].K == PTXOperand::Sink)
      Left = Left.drop_front();
    else if (auto S = Take(OfState                          ? 32
                           : Op->Kind == MBarrierKind::Wait ? 1
                                                            : 64))
      Op->Results.push_back(*S);
    else
      return false;
  }
  if (!OfState) {
    if (Left.empty() || Left[0].K != PTXOperand::Address)
      return false;
    Op->Word.Address = address(Left[0], Op->Word.Offset);
    Left = Left.drop_front();
  }
  Op->HasValue = !Left.empty();
  if (Op->HasValue) {
    auto S = Take(valueBits(*Op));
    if (!S)
      return false;
    Op->Value = *S;
  } else if (needsValue(*Op))
    return false;
  if (!Problem.empty())
    return false;
  D.emitMBarrier(std::move(*Op));
  return true;
}
