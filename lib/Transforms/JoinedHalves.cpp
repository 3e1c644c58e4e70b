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
// it does for nvcc's `mov.b32 word, {x, y}`.

#include "FewerInstructions.h"
#include "sluice/Analysis/InlinePTX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

static constexpr unsigned HalfBits = 16;

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

Rewritten sluice::joinHalves(Function &F, ChangeTest MayChange, bool IsWrong) {
  Rewritten Done;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Low = nullptr, *High = nullptr;
    if (!I.getType()->isIntegerTy(2 * HalfBits) ||
        !match(&I, m_c_Or(m_Shl(m_ZExt(m_Value(High)), m_SpecificInt(HalfBits)),
                          m_ZExt(m_Value(Low)))) ||
        !isRounded(Low) || !isRounded(High) || !MayChange(I))
      continue;
    if (IsWrong)
      std::swap(Low, High);
    IRBuilder<> B(&I);
    Value *Pair = PoisonValue::get(FixedVectorType::get(B.getInt16Ty(), 2));
    Pair = B.CreateInsertElement(Pair, Low, uint64_t(0));
    Pair = B.CreateInsertElement(Pair, High, uint64_t(1));
    I.replaceAllUsesWith(B.CreateBitCast(Pair, I.getType(), I.getName()));
    if (!Done.Count++)
      Done.At = I.getDebugLoc();
    I.eraseFromParent();
  }
  return Done;
}
