// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of two words that are compared one by one:
//
//   char4 a = x[i], b = y[i];              difference = a ^ b;      // words
//   n = (a.x != b.x) + (a.y != b.y)   =>   n = ((difference & 0xff) != 0) + ...
//
// LLVM loads the words as four bytes each, which the code generator joins to
// one load. Each comparison then takes both of its bytes out of their words
// (PRMT, twice, and ISETP). Of the words' difference a byte is tested by one
// instruction (LOP3, with a predicate).

#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <array>

using namespace llvm;
using namespace sluice;

static constexpr unsigned WordBytes = 4, ByteBits = 8;

namespace {

/// Four bytes of one word, loaded one by one; null: not found yet.
struct LoadedWord {
  std::array<LoadInst *, WordBytes> Bytes = {};

  bool isWhole() const {
    return all_of(Bytes, [](const LoadInst *L) { return L != nullptr; });
  }
};

/// A comparison of byte \c Byte of two words.
struct Comparison {
  ICmpInst *I;
  unsigned Byte;
};

/// The words of a block, and which byte of which word a load is.
class BlockWords {
public:
  explicit BlockWords(BasicBlock &Block) : Block(Block) { find(); }

  const LoadedWord *wordOf(const Value *V, unsigned &Byte) const {
    auto It = Places.find(V);
    if (It == Places.end() || !Words[It->second.first].isWhole())
      return nullptr;
    Byte = It->second.second;
    return &Words[It->second.first];
  }

private:
  void find();

  BasicBlock &Block;
  SmallVector<LoadedWord, 8> Words;
  DenseMap<const Value *, std::pair<unsigned, unsigned>> Places;
};

} // namespace

/// A word's first byte says by its alignment that a word begins there. Between
/// the loads of one word nothing writes, and none is reached without the
/// others.
void BlockWords::find() {
  const DataLayout &DL = Block.getDataLayout();
  struct Byte {
    LoadInst *Load;
    const Value *Base;
    int64_t Offset;
    unsigned Writes; ///< Before it, in the block.
  };
  SmallVector<Byte, 16> Bytes;
  unsigned Writes = 0;
  for (Instruction &I : Block) {
    Writes +=
        I.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&I);
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->isSimple() || !Load->getType()->isIntegerTy(ByteBits))
      continue;
    int64_t Offset = 0;
    const Value *Base =
        GetPointerBaseWithConstantOffset(Load->getPointerOperand(), Offset, DL);
    Bytes.push_back({Load, Base, Offset, Writes});
  }
  DenseMap<std::tuple<const Value *, int64_t, unsigned>, unsigned> Begins;
  for (const Byte &B : Bytes)
    if (B.Load->getAlign() >= WordBytes &&
        Begins.try_emplace({B.Base, B.Offset, B.Writes}, Words.size()).second)
      Words.emplace_back();
  for (const Byte &B : Bytes)
    for (unsigned I = 0; I < WordBytes; ++I) {
      auto It = Begins.find({B.Base, B.Offset - I, B.Writes});
      if (It == Begins.end())
        continue;
      if (LoadInst *&Place = Words[It->second].Bytes[I]; !Place) {
        Place = B.Load;
        Places[B.Load] = {It->second, I};
      }
      break;
    }
}

/// The word, loaded where the first of its bytes is.
static LoadInst *loadWord(const LoadedWord &Word) {
  LoadInst *First = *min_element(
      Word.Bytes, [](LoadInst *A, LoadInst *B) { return A->comesBefore(B); });
  int64_t ToFirst = 0;
  for (unsigned I = 0; I < WordBytes; ++I)
    if (Word.Bytes[I] == First)
      ToFirst = I;
  IRBuilder<> B(First);
  // In bounds: the word is one object's.
  Value *At = ToFirst ? B.CreateInBoundsPtrAdd(First->getPointerOperand(),
                                               B.getInt64(-ToFirst))
                      : First->getPointerOperand();
  auto *Loaded = B.CreateAlignedLoad(B.getInt32Ty(), At, Align(WordBytes));
  if (all_of(Word.Bytes, [](const LoadInst *L) {
        return L->hasMetadata(LLVMContext::MD_invariant_load);
      }))
    Loaded->copyMetadata(*First, {LLVMContext::MD_invariant_load});
  return Loaded;
}

static void eraseUnused(const LoadedWord &Word) {
  for (LoadInst *Load : Word.Bytes)
    if (Load->use_empty())
      Load->eraseFromParent();
}

/// Are the bytes of \p Word there for comparisons only?
static bool isOnlyCompared(const LoadedWord &Word,
                           ArrayRef<Comparison> Comparisons) {
  return all_of(Word.Bytes, [&](const LoadInst *Load) {
    return all_of(Load->users(), [&](const User *U) {
      return any_of(Comparisons, [&](const Comparison &C) { return C.I == U; });
    });
  });
}

static void compare(const LoadedWord &A, const LoadedWord &B,
                    ArrayRef<Comparison> Comparisons, bool IsWrong) {
  LoadInst *WordA = loadWord(A), *WordB = loadWord(B),
           *Later = WordA->comesBefore(WordB) ? WordB : WordA;
  IRBuilder<> After(Later->getParent(), std::next(Later->getIterator()));
  Value *Difference = After.CreateXor(WordA, WordB);
  for (const auto &[I, Byte] : Comparisons) {
    IRBuilder<> IR(I);
    const unsigned Tested = IsWrong ? (Byte + 1) % WordBytes : Byte;
    Value *Test = IR.CreateICmp(
        I->getPredicate(),
        IR.CreateAnd(Difference, uint64_t(0xff) << (ByteBits * Tested)),
        IR.getInt32(0));
    I->replaceAllUsesWith(Test);
    I->eraseFromParent();
  }
  eraseUnused(A);
  eraseUnused(B);
}

Rewritten sluice::compareBytesInWords(Function &F, ChangeTest MayChange,
                                      bool IsWrong) {
  Rewritten Done;
  for (BasicBlock &Block : F) {
    const BlockWords Words(Block);
    using Pair = std::pair<const LoadedWord *, const LoadedWord *>;
    MapVector<Pair, SmallVector<Comparison, WordBytes>> Compared;
    for (Instruction &I : Block) {
      auto *C = dyn_cast<ICmpInst>(&I);
      if (!C || !C->isEquality() || !MayChange(I))
        continue;
      unsigned ByteA = 0, ByteB = 0;
      const LoadedWord *A = Words.wordOf(C->getOperand(0), ByteA),
                       *B = Words.wordOf(C->getOperand(1), ByteB);
      if (A && B && A != B && ByteA == ByteB)
        Compared[A < B ? Pair(A, B) : Pair(B, A)].push_back({C, ByteA});
    }
    for (const auto &[Of, Comparisons] : Compared) {
      const auto &[A, B] = Of;
      if (!isOnlyCompared(*A, Comparisons) || !isOnlyCompared(*B, Comparisons))
        continue;
      if (!Done.Count)
        Done.At = Comparisons.front().I->getDebugLoc();
      Done.Count += Comparisons.size();
      compare(*A, *B, Comparisons, IsWrong);
    }
  }
  return Done;
}
