// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halves that are computed and stand beside each other:
//
//   x = f32 to half, y = f32 to half           pair = {x, y}      // <2 x i16>
//   word = zext(y) << 16 | zext(x)        =>   word = bitcast(pair)
//
// LLVM's SROA joins the members of a struct so. As numbers of 32 bits the
// assembler computes each half by the unit for special functions (F2F), and
// joins them (PRMT). Of a pair it converts both by one instruction (F2FP), as
// it does for nvcc's `mov.b32 word, {x, y}`. Four halves in 64 bits are two
// such pairs, by whatever shifts and words of 32 bits they came together.

#include "FewerInstructions.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include <array>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static constexpr unsigned HalfBits = 16;
static constexpr unsigned MostHalves = 4;      ///< Of a word.
static constexpr unsigned MostOperations = 16; ///< That join them.

namespace {

/// The halves of a word that is zero elsewhere, from the lowest one on.
class Halves {
public:
  /// Takes \p Word apart, which begins at bit \p Begin and must end before bit
  /// \p End. Returns whether it is made of such halves and nothing else, which
  /// do not meet.
  bool add(Value *Word, unsigned Begin, unsigned End);
  Value *&operator[](unsigned Number) { return Of[Number]; }
  bool fill(unsigned Bits) const {
    return all_of(ArrayRef(Of).take_front(Bits / HalfBits),
                  [](const Value *Half) { return Half != nullptr; });
  }

private:
  std::array<Value *, MostHalves> Of = {};
  unsigned Operations = 0;
};

} // namespace

/// Is \p V a float that was rounded to 16 bits? clang's headers of halves do it
/// by assembly.
static bool isRounded(const Value *V) {
  if (!V->getType()->isIntegerTy(HalfBits))
    return false;
  if (const auto *Call = dyn_cast<CallBase>(V)) {
    const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
    return Asm && isArithmeticPTX(*Call) &&
           StringRef(Asm->getAsmString()).ltrim(" {\t").starts_with("cvt.") &&
           Call->arg_size() == 1 &&
           Call->getArgOperand(0)->getType()->isFloatTy();
  }
  const auto *Bits = dyn_cast<BitCastInst>(V);
  return Bits && isa<FPTruncInst>(Bits->getOperand(0));
}

bool Halves::add(Value *Word, unsigned Begin, unsigned End) {
  if (isRounded(Word)) {
    if (Begin % HalfBits || Begin + HalfBits > End || Of[Begin / HalfBits])
      return false;
    Of[Begin / HalfBits] = Word;
    return true;
  }
  Value *A = nullptr, *B = nullptr;
  uint64_t Shift = 0;
  if (++Operations > MostOperations)
    return false;
  if (match(Word, m_Or(m_Value(A), m_Value(B))))
    return add(A, Begin, End) && add(B, Begin, End);
  // What is shifted out of a word ends it, whatever is around that.
  if (match(Word, m_Shl(m_Value(A), m_ConstantInt(Shift))))
    return Shift < MostHalves * HalfBits && add(A, Begin + Shift, End);
  if (match(Word, m_ZExt(m_Value(A))))
    return add(A, Begin,
               std::min(End, Begin + A->getType()->getScalarSizeInBits()));
  return false;
}

static Value *pairOf(IRBuilder<> &B, Type *Of, Value *Low, Value *High) {
  Value *Pair = PoisonValue::get(FixedVectorType::get(Low->getType(), 2));
  Pair = B.CreateInsertElement(Pair, Low, uint64_t(0));
  Pair = B.CreateInsertElement(Pair, High, uint64_t(1));
  return B.CreateBitCast(Pair, Of);
}

/// Is \p I a word of \p Bits bits that is halves alone? Then it is pairs.
static bool join(Instruction &I, unsigned Bits, ChangeTest MayChange,
                 bool IsWrong) {
  Halves Of;
  if (!I.getType()->isIntegerTy(Bits) || I.getOpcode() != Instruction::Or ||
      !Of.add(&I, 0, Bits) || !Of.fill(Bits) || !MayChange(I))
    return false;
  if (IsWrong)
    std::swap(Of[0], Of[1]);
  IRBuilder<> B(&I);
  Type *Pair = B.getInt32Ty();
  Value *Joined = pairOf(B, Pair, Of[0], Of[1]);
  if (Bits == MostHalves * HalfBits)
    Joined = pairOf(B, I.getType(), Joined, pairOf(B, Pair, Of[2], Of[3]));
  Joined->takeName(&I);
  I.replaceAllUsesWith(Joined);
  return true;
}

/// The words of \p Bits bits. What only they were made of goes.
static void joinWords(Function &F, unsigned Bits, ChangeTest MayChange,
                      bool IsWrong, Rewritten &Done) {
  SmallVector<WeakTrackingVH, 8> Unused;
  for (Instruction &I : instructions(F))
    if (join(I, Bits, MayChange, IsWrong)) {
      if (!Done.Count++)
        Done.At = I.getDebugLoc();
      Unused.push_back(&I);
    }
  RecursivelyDeleteTriviallyDeadInstructions(Unused);
}

Rewritten sluice::joinHalves(Function &F, ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  // First those of four, so that no half of them is one by itself.
  for (const unsigned Halves : {MostHalves, 2U})
    joinWords(F, Halves * HalfBits, MayChange, IsWrong, Done);
  return Done;
}
