// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %m = fmul contract float %a, %b
//   %s = fadd contract float %m, %c       ; the only use of %m
//   %n = fmul contract float %c, %d       ; stored, and added in another block
// becomes
//   %s = call float @llvm.fma.f32(float %a, float %b, float %c)
//   %n = fmul float %c, %d                ; at last llvm.nvvm.mul.rn.f

#include "WrittenRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

static bool isArithmetic(const Instruction &I) {
  return is_contained({Instruction::FAdd, Instruction::FSub, Instruction::FMul},
                      I.getOpcode());
}

static bool isSum(const Instruction &I) {
  return I.getOpcode() == Instruction::FAdd ||
         I.getOpcode() == Instruction::FSub;
}

/// What computes with numbers whose rounding is not written down.
static std::string whyOtherArithmetic(const Instruction &I) {
  if (isArithmetic(I) && !I.getType()->isFloatTy() &&
      !I.getType()->isDoubleTy())
    return "it computes with other numbers than float and double";
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && Call->getIntrinsicID() == Intrinsic::fmuladd)
    return "it is left open what is fused (-ffp-contract=on)";
  if (!isa<FPMathOperator>(I))
    return "";
  FastMathFlags Flags = I.getFastMathFlags();
  Flags.setAllowContract(false);
  return Flags.any() && (isArithmetic(I) || isa<CallBase>(I) ||
                         I.getOpcode() == Instruction::FDiv)
             ? "its results may be approximate (fast-math flags)"
             : "";
}

//===- Products and their sums --------------------------------------------===//

namespace {

/// An operand of a sum that may be fused with it.
struct Product {
  Instruction *Multiply = nullptr; ///< Null: it is none.
  bool IsNegated = false;
  unsigned Number = 0;
  explicit operator bool() const { return Multiply; }
};

using Numbers = DenseMap<const Value *, unsigned>;

} // namespace

static Numbers numbersOf(const Function &F) {
  Numbers All;
  unsigned Last = 0;
  for (const Instruction &I : instructions(F))
    All[&I] = ++Last;
  return All;
}

static Product productOf(Value *V, const Numbers &Number) {
  Product Found;
  if (auto *Negated = dyn_cast<UnaryOperator>(V)) {
    Found.IsNegated = true;
    V = Negated->getOperand(0);
  }
  if (auto *I = dyn_cast<BinaryOperator>(V);
      I && I->getOpcode() == Instruction::FMul) {
    Found.Multiply = I;
    Found.Number = Number.lookup(I);
  }
  return Found;
}

static constexpr unsigned NoOperand = 2;

/// Which operand of a sum of \p L and \p R code generation has fused with it,
/// or NoOperand. No number: that is not certain.
static std::optional<unsigned> fusedOperand(const Product &L, const Product &R,
                                            const Rounding &Made) {
  if (!Made.IsFused)
    return NoOperand;
  if (L && R) // By which of them is not.
    return Made.Addend == R.Number   ? std::optional(0u)
           : Made.Addend == L.Number ? std::optional(1u)
                                     : std::nullopt;
  // Else the addend is no product. Where it is one, it may be this one in
  // another copy of the sum.
  const Product &Only = L ? L : R;
  return Only && Made.Addend != Only.Number &&
                 Made.Addend != Rounding::SomeProduct
             ? std::optional(L ? 0u : 1u)
             : std::nullopt;
}

/// Likewise of \p Sum, of which there may be copies.
static std::optional<unsigned> fusedOperand(const Instruction &Sum,
                                            const Numbers &Number,
                                            const Roundings &Read) {
  const Product L = productOf(Sum.getOperand(0), Number),
                R = productOf(Sum.getOperand(1), Number);
  const auto Found = Read.find(Number.lookup(&Sum));
  if (Found == Read.end())
    return L || R ? std::nullopt : std::optional(NoOperand);
  const auto First = fusedOperand(L, R, Found->second.front());
  return all_of(Found->second,
                [&](const Rounding &Other) {
                  return fusedOperand(L, R, Other) == First;
                })
             ? First
             : std::nullopt;
}

std::string sluice::whyNotWritable(const Function &F) {
  if (F.hasFnAttribute(Attribute::StrictFP))
    return "rounding and exceptions may be set when it runs";
  // LLVM takes x for x * 1, which flushes them.
  if (F.getDenormalMode(APFloat::IEEEsingle()) != DenormalMode::getIEEE())
    return "denormal numbers are flushed to zero";
  for (const Instruction &I : instructions(F))
    if (std::string Why = whyOtherArithmetic(I); !Why.empty())
      return Why;
  return "";
}

std::string sluice::whyNotWritten(const Function &F, const Roundings *Read,
                                  bool MayHaveCopies) {
  if (std::string Why = whyNotWritable(F); !Why.empty())
    return Why;
  const std::string Uncertain =
      ("it is not certain which products are fused in '" + F.getName() + "'")
          .str();
  // Without a number it may be a copy of any.
  if (!Read || (MayHaveCopies && Read->count(0)))
    return Uncertain;
  const Numbers Number = numbersOf(F);
  const bool IsCertain = all_of(instructions(F), [&](const Instruction &I) {
    return !isSum(I) || fusedOperand(I, Number, *Read);
  });
  return IsCertain ? "" : Uncertain;
}

static void fuse(Instruction &Sum, unsigned Operand, const Numbers &Number) {
  const Product P = productOf(Sum.getOperand(Operand), Number);
  const bool IsMinus = Sum.getOpcode() == Instruction::FSub;
  IRBuilder<> B(&Sum);
  Value *X = P.Multiply->getOperand(0), *Addend = Sum.getOperand(1 - Operand);
  if (P.IsNegated != (IsMinus && Operand == 1))
    X = B.CreateFNeg(X);
  if (IsMinus && Operand == 0)
    Addend = B.CreateFNeg(Addend);
  Value *Fused = B.CreateIntrinsic(Intrinsic::fma, {Sum.getType()},
                                   {X, P.Multiply->getOperand(1), Addend});
  Fused->takeName(&Sum);
  Sum.replaceAllUsesWith(Fused);
  Sum.eraseFromParent();
}

void sluice::writeRoundings(Function &F, const Roundings &Read) {
  const Numbers Number = numbersOf(F);
  SmallVector<std::pair<Instruction *, unsigned>, 32> Fused;
  for (Instruction &I : instructions(F))
    if (const auto Operand =
            isSum(I) ? fusedOperand(I, Number, Read) : std::nullopt;
        Operand && *Operand != NoOperand)
      Fused.emplace_back(&I, *Operand);
  for (auto [Sum, Operand] : Fused)
    fuse(*Sum, Operand, Number);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (I.use_empty() && I.getOpcode() == Instruction::FMul)
      I.eraseFromParent();
    else if (isArithmetic(I))
      I.setHasAllowContract(false);
}

//===- What is approximated -----------------------------------------------===//

static bool isApproximate(const IntrinsicInst &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::sqrt:
    return Call.getType()->isFloatTy(); // of double it is rounded
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tan:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::powi:
    return true;
  default:
    const StringRef Name = Call.getCalledFunction()->getName();
    return Name.starts_with("llvm.nvvm.") &&
           (Name.contains(".approx") || Name.starts_with("llvm.nvvm.sqrt.f"));
  }
}

static constexpr StringLiteral HiddenPrefix = "sluice.hidden.";

void sluice::hideApproximations(Function &F) {
  Module &M = *F.getParent();
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || !isApproximate(*Call))
      continue;
    const Function &Shown = *Call->getCalledFunction();
    Function *Hidden = cast<Function>(
        M.getOrInsertFunction((HiddenPrefix + Shown.getName()).str(),
                              Shown.getFunctionType())
            .getCallee());
    Hidden->setDoesNotAccessMemory();
    Hidden->setDoesNotThrow();
    Hidden->setWillReturn();
    Call->setCalledFunction(Hidden);
  }
}

/// The same number, which LLVM does not know.
static Value *unknown(IRBuilder<> &B, Value *Number) {
  const Type *T = Number->getType();
  if (!isa<Constant>(Number) || (!T->isFloatTy() && !T->isDoubleTy()))
    return Number;
  return B.CreateIntrinsic(T->isDoubleTy() ? Intrinsic::nvvm_move_double
                                           : Intrinsic::nvvm_move_float,
                           ArrayRef<Type *>(), {Number});
}

void sluice::showApproximations(Function &F) {
  Module &M = *F.getParent();
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Hidden = Call ? Call->getCalledFunction() : nullptr;
    StringRef Name = Hidden ? Hidden->getName() : "";
    if (!Name.consume_front(HiddenPrefix))
      continue;
    IRBuilder<> B(Call);
    for (Use &Operand : Call->args())
      Operand.set(unknown(B, Operand));
    Call->setCalledFunction(cast<Function>(
        M.getOrInsertFunction(Name, Hidden->getFunctionType()).getCallee()));
  }
  for (Function &Hidden : make_early_inc_range(M))
    if (Hidden.getName().starts_with(HiddenPrefix) && Hidden.use_empty())
      Hidden.eraseFromParent();
}

//===- Products that are left ---------------------------------------------===//

void sluice::roundProducts(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (I.getOpcode() != Instruction::FMul)
      continue;
    IRBuilder<> B(&I);
    const Intrinsic::ID ID = I.getType()->isDoubleTy()
                                 ? Intrinsic::nvvm_mul_rn_d
                                 : Intrinsic::nvvm_mul_rn_f;
    Value *X = I.getOperand(0), *Y = I.getOperand(1);
    const auto *Factor = dyn_cast<ConstantFP>(Y);
    Value *Rounded = Factor && Factor->isExactlyValue(2.0)
                         ? B.CreateFAdd(X, X) // as the code generator does
                         : B.CreateIntrinsic(ID, ArrayRef<Type *>(), {X, Y});
    Rounded->takeName(&I);
    I.replaceAllUsesWith(Rounded);
    I.eraseFromParent();
  }
}
