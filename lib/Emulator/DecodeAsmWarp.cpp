// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX by which the lanes of a warp or the threads of a block meet.

#include "DecodeAsm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sluice::emulator;

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
    if (!Kind || is_contained(Words, "abs") || is_contained(Words, "NaN"))
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
  Op.Kind =
      is_contained(Words, "arrive") ? BarrierKind::Arrive : BarrierKind::Sync;
  Op.Cluster = is_contained(Words, "cluster");
  if (Op.Cluster && Op.Kind == BarrierKind::Arrive) {
    D.emit(GenericOp::Nothing); // see FunctionDecoder::decodeBarrier
    return true;
  }
  Op.Aligned = Words[0] == "bar" || is_contained(Words, "aligned");
  unsigned At = 0;
  if (is_contained(Words, "red")) {
    Op.Kind = is_contained(Words, "popc")  ? BarrierKind::Popc
              : is_contained(Words, "and") ? BarrierKind::And
                                           : BarrierKind::Or;
    auto S =
        slotOf(I.Operands[At++], Op.Kind == BarrierKind::Popc ? 32 : 1, false);
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
