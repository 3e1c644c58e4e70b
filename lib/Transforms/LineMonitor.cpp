// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's simulateCache() and calculateWhatToCache() (3.2.1, 3.2.2). No
// branches: what is counted depends on data, and lanes are to stay together.
// Who is chosen: of structures with more than half hits those with most; one
// that is written has to have twice the hits of one that is not.

#include "LineMonitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;

LineMonitor::LineMonitor(const LineLoop &Of, unsigned Accesses,
                         Instruction *Allocas)
    : Most(Accesses) {
  IRBuilder<> B(Allocas);
  auto Make = [&](Type *Ty, const Twine &Name) {
    State.push_back(B.CreateAlloca(Ty, nullptr, Name));
    return State.back();
  };
  for (const LineStructure &S : Of.Structures)
    Counters.push_back({S.IsWritten, Make(B.getInt64Ty(), "sluice.seen"),
                        Make(B.getInt32Ty(), "sluice.hits"),
                        Make(B.getInt32Ty(), "sluice.accesses")});
  All = Make(B.getInt32Ty(), "sluice.counted");
}

void LineMonitor::begin(Instruction *At, Value *Counts) {
  IRBuilder<> B(At);
  for (const Counter &C : Counters) {
    B.CreateStore(B.getInt64(0), C.Tag);
    B.CreateStore(B.getInt32(0), C.Hits);
    B.CreateStore(B.getInt32(0), C.Accesses);
  }
  Value *First = B.getInt32(0);
  if (Counts)
    First = B.CreateSelect(Counts, First, B.getInt32(Most));
  B.CreateStore(First, All);
}

void LineMonitor::count(Instruction *I, unsigned Structure) {
  IRBuilder<> B(I);
  const Counter &C = Counters[Structure];
  auto Add = [&](AllocaInst *To, Value *V) {
    B.CreateStore(B.CreateAdd(B.CreateLoad(B.getInt32Ty(), To), V), To);
  };
  Value *Line = lineOf(B, addressOf(B, getLoadStorePointerOperand(I)));
  Value *IsHit = B.CreateICmpEQ(Line, B.CreateLoad(B.getInt64Ty(), C.Tag));
  Add(C.Hits, B.CreateZExt(IsHit, B.getInt32Ty()));
  Add(C.Accesses, B.getInt32(1));
  Add(All, B.getInt32(1));
  B.CreateStore(Line, C.Tag);
}

Value *LineMonitor::isOver(IRBuilder<> &B) const {
  return B.CreateICmpUGE(B.CreateLoad(B.getInt32Ty(), All), B.getInt32(Most));
}

SmallVector<KeptLine, MostStructures>
LineMonitor::choose(IRBuilder<> &B, Value *Place, unsigned Lines,
                    unsigned Threads) const {
  SmallVector<Value *, MostStructures> Scores, MayBe;
  for (const Counter &C : Counters) {
    Value *Hits = B.CreateLoad(B.getInt32Ty(), C.Hits);
    Value *Twice = B.CreateShl(Hits, 1);
    MayBe.push_back(
        B.CreateICmpUGT(Twice, B.CreateLoad(B.getInt32Ty(), C.Accesses)));
    Scores.push_back(C.IsWritten ? Hits : Twice);
  }
  SmallVector<KeptLine, MostStructures> Kept;
  for (size_t S = 0; S < Counters.size(); ++S) {
    // Its rank among those that may be.
    Value *Before = B.getInt32(0);
    for (size_t Other = 0; Other < Counters.size(); ++Other) {
      if (Other == S)
        continue;
      Value *IsBetter = Other < S ? B.CreateICmpUGE(Scores[Other], Scores[S])
                                  : B.CreateICmpUGT(Scores[Other], Scores[S]);
      Before =
          B.CreateAdd(Before, B.CreateZExt(B.CreateAnd(MayBe[Other], IsBetter),
                                           B.getInt32Ty()));
    }
    Value *IsKept = B.CreateAnd(
        MayBe[S], B.CreateICmpULT(Before, B.getInt32(Lines)), "sluice.kept");
    Value *Bytes = B.CreateMul(Before, B.getInt32(ThreadLineBytes * Threads));
    Kept.push_back(
        {B.CreateGEP(B.getInt8Ty(), Place, B.CreateZExt(Bytes, B.getInt64Ty())),
         IsKept});
  }
  return Kept;
}
