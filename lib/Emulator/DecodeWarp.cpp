// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics by which lanes exchange values, and barriers.

#include "Decoder.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;
using namespace sluice::emulator;

bool FunctionDecoder::decodeWarp(CallInst &I, StringRef Name) {
  StringRef Rest = Name;
  if (!Rest.consume_front("llvm.nvvm."))
    return false;
  WarpOp Op{};
  if (Rest == "bar.warp.sync") {
    Op.Kind = WarpOpKind::Sync;
    Op.Mask = slot(I.getArgOperand(0));
  } else if (Rest.consume_front("shfl.")) {
    bool Sync = Rest.consume_front("sync.");
    Op.HasMask = Sync;
    Op.Kind = StringSwitch<WarpOpKind>(Rest.take_front(Rest.find('.')))
                  .Case("idx", WarpOpKind::ShflIdx)
                  .Case("up", WarpOpKind::ShflUp)
                  .Case("down", WarpOpKind::ShflDown)
                  .Default(WarpOpKind::ShflBfly);
    unsigned At = 0;
    if (Sync)
      Op.Mask = slot(I.getArgOperand(At++));
    Op.Value = slot(I.getArgOperand(At));
    Op.Lane = slot(I.getArgOperand(At + 1));
    Op.Clamp = slot(I.getArgOperand(At + 2));
  } else if (Rest.consume_front("vote.")) {
    bool Sync = Rest.consume_back(".sync");
    Op.HasMask = Sync;
    Op.Kind = StringSwitch<WarpOpKind>(Rest)
                  .Case("all", WarpOpKind::VoteAll)
                  .Case("any", WarpOpKind::VoteAny)
                  .Case("uni", WarpOpKind::VoteUni)
                  .Default(WarpOpKind::VoteBallot);
    unsigned At = 0;
    if (Sync)
      Op.Mask = slot(I.getArgOperand(At++));
    Op.Value = slot(I.getArgOperand(At));
  } else if (Rest.consume_front("match.")) {
    Op.Kind =
        Rest.starts_with("any") ? WarpOpKind::MatchAny : WarpOpKind::MatchAll;
    Op.Mask = slot(I.getArgOperand(0));
    Op.Value = slot(I.getArgOperand(1));
  } else if (Rest.consume_front("redux.sync.")) {
    auto Kind = StringSwitch<std::optional<WarpOpKind>>(Rest)
                    .Case("add", WarpOpKind::ReduxAdd)
                    .Case("min", WarpOpKind::ReduxMin)
                    .Case("max", WarpOpKind::ReduxMax)
                    .Case("umin", WarpOpKind::ReduxUMin)
                    .Case("umax", WarpOpKind::ReduxUMax)
                    .Case("and", WarpOpKind::ReduxAnd)
                    .Case("or", WarpOpKind::ReduxOr)
                    .Case("xor", WarpOpKind::ReduxXor)
                    .Case("fmin", WarpOpKind::ReduxFMin)
                    .Case("fmax", WarpOpKind::ReduxFMax)
                    .Default(std::nullopt);
    if (!Kind)
      return false;
    Op.Kind = *Kind;
    Op.Value = slot(I.getArgOperand(0));
    Op.Mask = slot(I.getArgOperand(1));
  } else if (Rest == "elect.sync") {
    Op.Kind = WarpOpKind::Elect;
    Op.Mask = slot(I.getArgOperand(0));
  } else
    return false;
  if (!I.getType()->isVoidTy()) {
    const Slots &S = slots(&I);
    Op.Results.append(S.begin(), S.end());
  }
  emit(GenericOp::WarpOp).Extra = keep(std::move(Op));
  return true;
}

bool FunctionDecoder::decodeBarrier(CallInst &I, StringRef Name) {
  StringRef Rest = Name;
  BarrierOp Op{};
  if (Rest.starts_with("llvm.nvvm.barrier.cluster.")) {
    // Blocks of a cluster run by themselves: a barrier of the block, for which
    // the arrival and the wait are one.
    if (Rest.contains(".arrive")) {
      emit(GenericOp::Nothing);
      return true;
    }
    Op.Cluster = true;
    Op.Kind = BarrierKind::Sync;
    Op.Id = constant(0, 4);
    emit(GenericOp::Barrier).Extra = keep(std::move(Op));
    return true;
  }
  if (!Rest.consume_front("llvm.nvvm.barrier.cta."))
    return false;
  bool HasCount = Rest.ends_with(".count");
  Op.Aligned = Rest.contains(".aligned.");
  Op.Kind = BarrierKind::Sync;
  if (Rest.starts_with("arrive"))
    Op.Kind = BarrierKind::Arrive;
  else if (Rest.consume_front("red."))
    Op.Kind = Rest.starts_with("and")  ? BarrierKind::And
              : Rest.starts_with("or") ? BarrierKind::Or
                                       : BarrierKind::Popc;
  unsigned At = 0;
  Op.Id = slot(I.getArgOperand(At++));
  Op.HasCount = HasCount;
  if (HasCount)
    Op.Count = slot(I.getArgOperand(At++));
  if (At < I.arg_size())
    Op.Predicate = slot(I.getArgOperand(At));
  if (!I.getType()->isVoidTy())
    Op.Results.push_back(slot(&I));
  emit(GenericOp::Barrier).Extra = keep(std::move(Op));
  return true;
}
