// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpillSlots.h"
#include "SharedArrays.h"
#include "SpillCandidates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace sluice;

/// Does \p Call write registers after it has returned?
static bool writesLater(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && (Callee->getName().contains("wgmma") ||
                    Callee->getName().contains("tcgen05"));
}

std::string sluice::whyNoSlots(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      if (Call->isInlineAsm())
        return "it has inline assembly";
      if (Call->cannotDuplicate() || isa<CallBrInst>(Call) ||
          writesLater(*Call))
        return "it has code that there can be once only";
    }
    if (isa<IndirectBrInst>(I) || I.getType()->isTokenTy())
      return "it has code that there can be once only";
    if (const auto *A = dyn_cast<AllocaInst>(&I); A && !A->isStaticAlloca())
      return "it has local memory of unknown size";
  }
  return "";
}

static Value *readRegister(IRBuilder<> &B, Intrinsic::ID Id) {
  return B.CreateIntrinsic(Id, ArrayRef<Type *>(), ArrayRef<Value *>());
}

/// Splits off what comes behind the allocas, which both copies share.
static BasicBlock *splitBody(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  SmallVector<Instruction *, 8> Allocas;
  for (Instruction &I : Entry)
    if (isa<AllocaInst>(I))
      Allocas.push_back(&I);
  const auto Front = Entry.getFirstInsertionPt();
  for (Instruction *I : Allocas)
    I->moveBefore(Front);
  auto First =
      find_if(Entry, [](Instruction &I) { return !isa<AllocaInst>(I); });
  return SplitBlock(&Entry, First);
}

/// A copy of all blocks of \p F but the first; the one of \p Body.
static BasicBlock *copyBody(Function &F, BasicBlock *Body) {
  SmallVector<BasicBlock *, 32> Blocks, Copies;
  for (BasicBlock &Block : drop_begin(F))
    Blocks.push_back(&Block);
  ValueToValueMapTy Map;
  for (BasicBlock *Block : Blocks) {
    BasicBlock *Copy = CloneBasicBlock(Block, Map, ".unspilled", &F);
    Map[Block] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  return cast<BasicBlock>(Map[Body]);
}

/// The code as it was for blocks without slots.
static void addCopyForOthers(Function &F, BasicBlock *Body,
                             const SlotThreads &Who) {
  BasicBlock *Copy = copyBody(F, Body);
  Instruction *Jump = F.getEntryBlock().getTerminator();
  IRBuilder<> B(Jump);
  B.SetCurrentDebugLocation(DebugLoc());
  Value *X = readRegister(B, Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value *Others =
      B.CreateMul(readRegister(B, Intrinsic::nvvm_read_ptx_sreg_ntid_y),
                  readRegister(B, Intrinsic::nvvm_read_ptx_sreg_ntid_z));
  Value *Fits;
  if (Who.IsLine)
    Fits = B.CreateAnd(B.CreateICmpULE(X, B.getInt32(Who.Threads)),
                       B.CreateICmpEQ(Others, B.getInt32(1)));
  else
    Fits = B.CreateICmpULE(B.CreateMul(X, Others), B.getInt32(Who.Threads));
  B.CreateCondBr(Fits, Body, Copy);
  Jump->eraseFromParent();
}

namespace {

/// The slots of a thread in the order of their widths, the widest first.
class SlotFrame {
public:
  SlotFrame(Function &F, ArrayRef<Instruction *> Values,
            const SlotThreads &Who);

  /// Where \p B stands, of the slot \p Number of those of \p Bytes bytes.
  Value *slot(IRBuilder<> &B, unsigned Bytes, unsigned Number, bool IsNext) {
    const uint64_t Of8 = 8ull * Count8 * Who.Threads;
    const uint64_t Offset =
        (Bytes == 8 ? 0 : Of8) + uint64_t(Number) * Bytes * Who.Threads;
    Value *Thread = IsNext ? B.CreateXor(Me, 1) : Me;
    Value *OfThread = B.CreatePtrAdd(
        Array,
        B.CreateZExt(B.CreateMul(Thread, B.getInt32(Bytes)), B.getInt64Ty()));
    return B.CreatePtrAdd(OfThread, B.getInt64(Offset));
  }
  uint64_t bytes() const { return Bytes; }

private:
  const SlotThreads Who;
  unsigned Count8 = 0;
  uint64_t Bytes = 0;
  GlobalVariable *Array = nullptr;
  Value *Me = nullptr; ///< The thread's number in its block.
};

} // namespace

static unsigned bytesOf(const Instruction &V) {
  return V.getType()->getScalarSizeInBits() / 8;
}

SlotFrame::SlotFrame(Function &F, ArrayRef<Instruction *> Values,
                     const SlotThreads &Who)
    : Who(Who) {
  Count8 = unsigned(
      count_if(Values, [](const Instruction *V) { return bytesOf(*V) == 8; }));
  Bytes = uint64_t(Who.Threads) * (4 * Values.size() + 4 * Count8);
  Array = makeSharedArray(
      *F.getParent(), ArrayType::get(Type::getInt8Ty(F.getContext()), Bytes),
      Align(16), "__sluice_slots." + F.getName());
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(DebugLoc());
  Me = Who.IsLine ? readRegister(B, Intrinsic::nvvm_read_ptx_sreg_tid_x)
                  : linearThread(B);
}

/// \p V waits in the slot \p Number of its width.
static void spill(Instruction &V, ArrayRef<SpillLoad> Loads, SlotFrame &Slots,
                  unsigned Number, WrongRewrite Wrong) {
  const unsigned Bytes = bytesOf(V);
  IRBuilder<> B(V.getContext());
  B.SetInsertPoint(*V.getInsertionPointAfterDef());
  B.SetCurrentDebugLocation(V.getDebugLoc());
  Value *Kept = Slots.slot(B, Bytes, Number, Wrong == WrongRewrite::OthersSlot);
  B.CreateAlignedStore(&V, Kept, Align(Bytes), /*isVolatile=*/true);
  for (const SpillLoad &Load : Loads) {
    B.SetInsertPoint(Load.Before);
    B.SetCurrentDebugLocation(Load.Before->getDebugLoc());
    Value *Again = B.CreateAlignedLoad(
        V.getType(), Slots.slot(B, Bytes, Number, /*IsNext=*/false),
        Align(Bytes), /*isVolatile=*/true, V.getName() + ".again");
    for (Use *U : Load.Uses)
      U->set(Again);
  }
}

uint64_t sluice::spillToSlots(Function &F, ArrayRef<Instruction *> Values,
                              const SlotThreads &Who, WrongRewrite Wrong) {
  if (!Who.AreAll)
    addCopyForOthers(F, splitBody(F), Who);
  const InstructionNumbers Numbers = numberInstructions(F);
  std::vector<std::vector<SpillLoad>> Loads;
  for (Instruction *V : Values)
    Loads.push_back(loadsFor(*V, Numbers));
  SlotFrame Slots(F, Values, Who);
  unsigned Next4 = 0, Next8 = 0;
  for (auto [V, Of] : zip_equal(Values, Loads))
    spill(*V, Of, Slots, bytesOf(*V) == 8 ? Next8++ : Next4++, Wrong);
  return Slots.bytes();
}
