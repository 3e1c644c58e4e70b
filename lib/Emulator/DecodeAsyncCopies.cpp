// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async and the groups of its copies, as inline PTX and as intrinsics. A
// copy is a load of global memory, done at once, and a store to shared memory
// that is done later: AsyncCopies.h.

#include "DecodeAsm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include <algorithm>

using namespace llvm;
using namespace sluice::emulator;

// cp.async.<Word>, or nothing if that is no operation on groups. \p Groups:
// the operand, if there is one.
static std::optional<AsyncGroupOp>
groupOperation(StringRef Word, std::optional<uint32_t> Groups) {
  AsyncGroupOp Op;
  Op.Commits = Word == "commit_group" || Word == "wait_all";
  Op.Waits = Word == "wait_group" || Word == "wait_all";
  if (Word == "wait_group") {
    if (!Groups)
      return std::nullopt;
    Op.Groups = *Groups;
  }
  return Op.Commits || Op.Waits ? std::optional(Op) : std::nullopt;
}

bool FunctionDecoder::decodeAsyncGroup(CallInst &I, StringRef Name) {
  if (!Name.consume_front("llvm.nvvm.cp.async."))
    return false;
  std::optional<uint32_t> Groups;
  if (I.arg_size())
    if (auto *Number = dyn_cast<ConstantInt>(I.getArgOperand(0)))
      Groups = uint32_t(Number->getZExtValue());
  std::string Word = Name.str();
  std::replace(Word.begin(), Word.end(), '.', '_');
  auto Op = groupOperation(Word, Groups);
  if (!Op)
    return false;
  emit(GenericOp::AsyncGroup).Extra = keep(*Op);
  return true;
}

void FunctionDecoder::decodeAsyncStore(StoreInst &I) {
  const Address A = address(I.getPointerOperand());
  const Slots V = slots(I.getValueOperand());
  const unsigned Bytes = DL.getTypeStoreSize(I.getValueOperand()->getType());
  observe(A, Bytes, /*Write=*/true, AtomicOrdering::NotAtomic, false);
  GuardedAccess G{};
  G.Access.Address = A.Base;
  G.Access.Offset = A.Offset;
  G.Access.Where = A.Where;
  G.Access.Bytes = Bytes;
  G.Access.IsWrite = true;
  G.Data.append(V.begin(), V.end());
  G.ElementBytes = Bytes / V.size();
  G.IsAsync = true;
  Instruction &Store = emit(GenericOp::Guarded);
  Store.Extra = keep(std::move(G));
  Store.Site = Out.NumSites++;
}

bool AsmDecoder::decodeAsyncCopy(const PTXInstruction &I) {
  if (Words.size() > 2) {
    std::optional<uint32_t> Groups;
    if (!I.Operands.empty() && I.Operands[0].K == PTXOperand::Immediate)
      Groups = uint32_t(I.Operands[0].Value);
    if (auto Op = groupOperation(Words[2], Groups)) {
      guard(*Op);
      D.emit(GenericOp::AsyncGroup).Extra = D.keep(*Op);
      return true;
    }
    if (Words[2] == "mbarrier")
      return decodeMBarrier(I);
  }
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
  Store.IsAsync = true;
  Load.Access.Bytes = Store.Access.Bytes = Bytes;
  Load.ElementBytes = Store.ElementBytes = 4;
  for (unsigned J = 0; J < Bytes / 4; ++J)
    Load.Data.push_back(D.newSlot(4, false));
  // With L2::cache_hint a policy is the last operand.
  const size_t Operands =
      I.Operands.size() - is_contained(Words, "L2::cache_hint");
  if (Operands > 3) { // the source size: the rest is zeros
    auto SourceBytes = slotOf(I.Operands[3], 32, false);
    if (!SourceBytes || SourceBytes->isMask() || Operands > 4)
      return false;
    Load.HasSourceBytes = true;
    Load.SourceBytes = *SourceBytes;
  }
  Store.Data = Load.Data;
  emitAccess(std::move(Load));
  emitAccess(std::move(Store));
  return true;
}
