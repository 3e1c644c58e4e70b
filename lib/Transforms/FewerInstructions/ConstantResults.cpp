// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM stops at the instructions that take a double apart (llvm.nvvm.d2i.hi)
// and at the approximate reciprocal (rcp.approx.ftz.f64), of which only the
// chip knows the last bits. Here the function is gone through with ranges: of a
// number that is not known there are the least and the greatest that it may be.
// pow of a power of two multiplies the reciprocal by zero.
//
// Nothing else is taken: memory but constant tables, a branch that is not
// decided, and arithmetic that may be less exact than IEEE 754's.

#include "ConstantResults.h"
#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace PatternMatch;
using namespace sluice;

/// Instructions of one call, and calls within calls.
static constexpr unsigned MostSteps = 4096, MostDepth = 8;

//===- What is known of a value -------------------------------------------===//

namespace {

/// A constant, or the ends of where a double lies. Zeros have signs: -0 < +0.
struct Known {
  Constant *One = nullptr;
  std::optional<std::pair<APFloat, APFloat>> Ends;

  static std::optional<Known> of(Constant *C) {
    if (!C || isa<UndefValue>(C) || C->containsUndefOrPoisonElement())
      return std::nullopt;
    return Known{C, std::nullopt};
  }
};

using MaybeKnown = std::optional<Known>;
using Ends = std::pair<APFloat, APFloat>;

} // namespace

static bool isBefore(const APFloat &A, const APFloat &B) {
  if (A.isZero() && B.isZero())
    return A.isNegative() && !B.isNegative();
  return A < B;
}

/// Of all \p Values; nothing if one is no finite number.
static MaybeKnown hull(ArrayRef<APFloat> Values, Type *Ty) {
  if (!all_of(Values, [](const APFloat &V) { return V.isFinite(); }))
    return std::nullopt;
  const auto [Least, Most] =
      std::minmax_element(Values.begin(), Values.end(), isBefore);
  if (Least->bitwiseIsEqual(*Most))
    return Known::of(ConstantFP::get(Ty, *Least));
  return Known{nullptr, Ends(*Least, *Most)};
}

static std::optional<Ends> endsOf(const Known &K) {
  if (K.Ends)
    return K.Ends;
  const auto *C = dyn_cast<ConstantFP>(K.One);
  if (!C || !C->getType()->isDoubleTy())
    return std::nullopt;
  return Ends(C->getValueAPF(), C->getValueAPF());
}

/// `x * y + z` with one rounding lies between what the ends give: rounding
/// keeps the order, and so does the sum for each product.
static MaybeKnown fused(const Known &X, const Known &Y, const Known &Z,
                        Type *Ty) {
  const auto A = endsOf(X), B = endsOf(Y), C = endsOf(Z);
  if (!A || !B || !C)
    return std::nullopt;
  SmallVector<APFloat, 8> All;
  for (const APFloat &P : {A->first, A->second})
    for (const APFloat &Q : {B->first, B->second})
      for (const APFloat &R : {C->first, C->second}) {
        APFloat Value = P;
        Value.fusedMultiplyAdd(Q, R, APFloat::rmNearestTiesToEven);
        All.push_back(Value);
      }
  return hull(All, Ty);
}

static MaybeKnown operated(unsigned Opcode, const Known &X, const Known &Y,
                           Type *Ty) {
  const auto A = endsOf(X), B = endsOf(Y);
  if (!A || !B)
    return std::nullopt;
  SmallVector<APFloat, 4> All;
  for (const APFloat &P : {A->first, A->second})
    for (const APFloat &Q : {B->first, B->second})
      switch (Opcode) {
      case Instruction::FAdd:
        All.push_back(P + Q);
        break;
      case Instruction::FSub:
        All.push_back(P - Q);
        break;
      case Instruction::FMul:
        All.push_back(P * Q);
        break;
      default:
        return std::nullopt;
      }
  return hull(All, Ty);
}

static MaybeKnown negated(const Known &X, Type *Ty) {
  const auto A = endsOf(X);
  if (!A)
    return std::nullopt;
  return hull({neg(A->first), neg(A->second)}, Ty);
}

/// rcp.approx.ftz.f64: of the upper half of \p X, to about 20 bits. More of it
/// need not be known than that it is no farther off than a sixteenth.
static MaybeKnown aboutReciprocal(const Known &X, Type *Ty) {
  const auto A = endsOf(X);
  if (!A || !A->first.bitwiseIsEqual(A->second) || !A->first.isNormal())
    return std::nullopt;
  const APFloat Exact = APFloat(1.0) / A->first;
  const APFloat Less = Exact * APFloat(15. / 16),
                More = Exact * APFloat(17. / 16);
  if (!Less.isNormal() || !More.isNormal())
    return std::nullopt;
  return hull({Less, More}, Ty);
}

//===- A function, gone through -------------------------------------------===//

/// Both ends of the comparison are decided alike.
static MaybeKnown compared(const FCmpInst &I, const Known &X, const Known &Y) {
  const auto A = endsOf(X), B = endsOf(Y);
  if (!A || !B)
    return std::nullopt;
  // Finite, so every predicate depends on the order alone.
  const bool IsLess = A->second < B->first;
  const bool IsMore = B->second < A->first;
  if (!IsLess && !IsMore)
    return std::nullopt;
  return Known::of(ConstantInt::getBool(
      I.getType(), FCmpInst::compare(A->first, B->first, I.getPredicate())));
}

/// May code be made of \p I that rounds in other ways than IEEE 754? Products
/// that are fused are seen to elsewhere.
static bool mayBeInexact(const Instruction &I) {
  const auto *Math = dyn_cast<FPMathOperator>(&I);
  if (mayBeApproximate(I) || (Math && Math->hasNoSignedZeros()))
    return true;
  // Options and metadata say how exact smaller numbers are, and whether
  // denormal ones are zero. What looks at their bits alone does not ask.
  if (isa<BitCastInst, SelectInst, FCmpInst, CallInst>(I))
    return false;
  auto IsSmaller = [](const Type *Ty) {
    return Ty->isFPOrFPVectorTy() && !Ty->isDoubleTy();
  };
  return IsSmaller(I.getType()) ||
         any_of(I.operand_values(),
                [&](const Value *V) { return IsSmaller(V->getType()); });
}

namespace {

class Evaluator {
public:
  explicit Evaluator(const DataLayout &DL) : DL(DL) {}

  MaybeKnown call(const CallInst &Call, ArrayRef<Known> Args, unsigned Depth);

private:
  using Values = DenseMap<const Value *, Known>;

  MaybeKnown function(const Function &F, ArrayRef<Known> Args, unsigned Depth);
  MaybeKnown instruction(const Instruction &I, const Values &Of,
                         unsigned Depth);
  MaybeKnown sum(const Instruction &I, const Values &Of) const;
  MaybeKnown arithmetic(const Instruction &I, ArrayRef<Known> Operands) const;
  static MaybeKnown valueOf(const Value *V, const Values &Of);
  static const BasicBlock *next(const Instruction &End, const Values &Of);

  const DataLayout &DL;
  unsigned Steps = 0;
};

} // namespace

MaybeKnown Evaluator::valueOf(const Value *V, const Values &Of) {
  if (const auto *C = dyn_cast<Constant>(V))
    return Known::of(const_cast<Constant *>(C));
  auto It = Of.find(V);
  return It == Of.end() ? std::nullopt : MaybeKnown(It->second);
}

MaybeKnown Evaluator::call(const CallInst &Call, ArrayRef<Known> Args,
                           unsigned Depth) {
  const Function *F = Call.getCalledFunction();
  if (!F || Depth > MostDepth)
    return std::nullopt;
  if (!F->isDeclaration())
    return F->hasExactDefinition() ? function(*F, Args, Depth) : std::nullopt;
  Type *Ty = Call.getType();
  auto AsInteger = [&] {
    const auto *C = dyn_cast_or_null<ConstantFP>(Args.front().One);
    return C ? std::optional(C->getValueAPF().bitcastToAPInt()) : std::nullopt;
  };
  switch (F->getIntrinsicID()) {
  case Intrinsic::nvvm_d2i_hi:
    if (const auto Bits = AsInteger())
      return Known::of(ConstantInt::get(Ty, Bits->extractBits(32, 32)));
    return std::nullopt;
  case Intrinsic::nvvm_d2i_lo:
    if (const auto Bits = AsInteger())
      return Known::of(ConstantInt::get(Ty, Bits->trunc(32)));
    return std::nullopt;
  case Intrinsic::nvvm_lohi_i2d: {
    const auto *Low = dyn_cast_or_null<ConstantInt>(Args[0].One),
               *High = dyn_cast_or_null<ConstantInt>(Args[1].One);
    if (!Low || !High)
      return std::nullopt;
    return Known::of(
        ConstantFP::get(Ty, APFloat(APFloat::IEEEdouble(),
                                    High->getValue().concat(Low->getValue()))));
  }
  case Intrinsic::fabs:
  case Intrinsic::nvvm_fabs:
    if (const auto *C = dyn_cast_or_null<ConstantFP>(Args.front().One))
      return Known::of(ConstantFP::get(Ty, abs(C->getValueAPF())));
    return std::nullopt;
  case Intrinsic::nvvm_rcp_approx_ftz_d:
    return aboutReciprocal(Args.front(), Ty);
  case Intrinsic::nvvm_mul_rn_d:
    return operated(Instruction::FMul, Args[0], Args[1], Ty);
  case Intrinsic::nvvm_add_rn_d:
    return operated(Instruction::FAdd, Args[0], Args[1], Ty);
  case Intrinsic::nvvm_fma_rn_d:
    return fused(Args[0], Args[1], Args[2], Ty);
  case Intrinsic::fma:
    return Ty->isDoubleTy() ? fused(Args[0], Args[1], Args[2], Ty)
                            : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// A sum of a product is fused or not, as the code generator and the assembler
/// like.
MaybeKnown Evaluator::sum(const Instruction &I, const Values &Of) const {
  const auto A = valueOf(I.getOperand(0), Of), B = valueOf(I.getOperand(1), Of);
  if (!A || !B)
    return std::nullopt;
  const bool IsDifference = I.getOpcode() == Instruction::FSub;
  SmallVector<APFloat, 6> All;
  auto Add = [&](const MaybeKnown &K) {
    const auto Range = K ? endsOf(*K) : std::nullopt;
    if (!Range)
      return false;
    All.append({Range->first, Range->second});
    return true;
  };
  if (!Add(operated(I.getOpcode(), *A, *B, I.getType())))
    return std::nullopt;
  for (const unsigned Side : {0, 1}) {
    const Value *Product = I.getOperand(Side), *P, *Q;
    bool IsNegative = IsDifference && Side == 1;
    if (match(Product, m_FNeg(m_Value(P)))) {
      Product = P;
      IsNegative = !IsNegative;
    }
    if (!match(Product, m_FMul(m_Value(P), m_Value(Q))))
      continue;
    auto X = valueOf(P, Of);
    const auto Y = valueOf(Q, Of);
    MaybeKnown Other = Side == 0 ? B : A;
    if (IsDifference && Side == 0)
      Other = negated(*Other, I.getType());
    if (IsNegative && X)
      X = negated(*X, I.getType());
    if (!X || !Y || !Other || !Add(fused(*X, *Y, *Other, I.getType())))
      return std::nullopt;
  }
  return hull(All, I.getType());
}

MaybeKnown Evaluator::arithmetic(const Instruction &I,
                                 ArrayRef<Known> Operands) const {
  if (isa<SelectInst>(I)) {
    const auto *If = dyn_cast_or_null<ConstantInt>(Operands[0].One);
    if (!If)
      return std::nullopt;
    return Operands[If->isOne() ? 1 : 2];
  }
  if (I.getOpcode() == Instruction::FNeg && Operands[0].Ends)
    return negated(Operands[0], I.getType());
  if (I.getOpcode() == Instruction::FMul && I.getType()->isDoubleTy())
    return operated(Instruction::FMul, Operands[0], Operands[1], I.getType());
  if (const auto *Compare = dyn_cast<FCmpInst>(&I);
      Compare && (Operands[0].Ends || Operands[1].Ends))
    return compared(*Compare, Operands[0], Operands[1]);
  SmallVector<Constant *, 4> Constants;
  for (const Known &K : Operands) {
    if (!K.One)
      return std::nullopt;
    Constants.push_back(K.One);
  }
  if (isa<FCmpInst>(I) && any_of(Constants, [](const Constant *C) {
        const auto *Number = dyn_cast<ConstantFP>(C);
        return !Number || Number->getValueAPF().isDenormal();
      }))
    return std::nullopt;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() ? Known::of(ConstantFoldLoadFromConstPtr(
                                  Constants[0], I.getType(), DL))
                            : std::nullopt;
  if (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, GetElementPtrInst>(
          I))
    return std::nullopt;
  return Known::of(
      ConstantFoldInstOperands(const_cast<Instruction *>(&I), Constants, DL));
}

MaybeKnown Evaluator::instruction(const Instruction &I, const Values &Of,
                                  unsigned Depth) {
  if (mayBeInexact(I))
    return std::nullopt;
  if (I.getType()->isDoubleTy() && (I.getOpcode() == Instruction::FAdd ||
                                    I.getOpcode() == Instruction::FSub))
    return sum(I, Of);
  const auto *Call = dyn_cast<CallInst>(&I);
  SmallVector<Known, 4> Operands;
  for (const Value *V : Call ? SmallVector<const Value *>(Call->args())
                             : SmallVector<const Value *>(I.operand_values())) {
    const auto K = valueOf(V, Of);
    if (!K)
      return std::nullopt;
    Operands.push_back(*K);
  }
  return Call ? call(*Call, Operands, Depth + 1) : arithmetic(I, Operands);
}

/// Where \p End goes; null if that is not known.
const BasicBlock *Evaluator::next(const Instruction &End, const Values &Of) {
  if (const auto *Switch = dyn_cast<SwitchInst>(&End)) {
    const auto K = valueOf(Switch->getCondition(), Of);
    const auto *C = K ? dyn_cast_or_null<ConstantInt>(K->One) : nullptr;
    return C ? Switch->findCaseValue(C)->getCaseSuccessor() : nullptr;
  }
  const auto *Branch = dyn_cast<BranchInst>(&End);
  if (!Branch || Branch->isUnconditional())
    return Branch ? Branch->getSuccessor(0) : nullptr;
  const auto K = valueOf(Branch->getCondition(), Of);
  const auto *C = K ? dyn_cast_or_null<ConstantInt>(K->One) : nullptr;
  return C ? Branch->getSuccessor(C->isOne() ? 0 : 1) : nullptr;
}

MaybeKnown Evaluator::function(const Function &F, ArrayRef<Known> Args,
                               unsigned Depth) {
  if (F.isVarArg() || Args.size() != F.arg_size())
    return std::nullopt;
  Values Of;
  for (auto [Arg, K] : zip_equal(F.args(), Args))
    Of.insert({&Arg, K});
  const BasicBlock *From = nullptr, *Block = &F.getEntryBlock();
  while (Block) {
    // Phis take their values together.
    SmallVector<std::pair<const PHINode *, Known>, 4> Phis;
    for (const PHINode &Phi : Block->phis()) {
      const auto K = valueOf(Phi.getIncomingValueForBlock(From), Of);
      if (!K)
        return std::nullopt;
      Phis.push_back({&Phi, *K});
    }
    for (const auto &[Phi, K] : Phis)
      Of.insert_or_assign(Phi, K);
    for (const Instruction &I : *Block) {
      if (isa<PHINode>(I) || I.isDebugOrPseudoInst() || I.isTerminator())
        continue;
      if (++Steps > MostSteps)
        return std::nullopt;
      Of.erase(&I);
      if (const auto K = instruction(I, Of, Depth))
        Of.insert({&I, *K});
      else if (I.mayHaveSideEffects())
        return std::nullopt;
    }
    if (const auto *Return = dyn_cast<ReturnInst>(Block->getTerminator()))
      return Return->getReturnValue() ? valueOf(Return->getReturnValue(), Of)
                                      : std::nullopt;
    From = std::exchange(Block, next(*Block->getTerminator(), Of));
  }
  return std::nullopt;
}

//===- A call -------------------------------------------------------------===//

Constant *sluice::constantResult(const CallInst &Call) {
  if (Call.arg_empty() || Call.isMustTailCall() || Call.hasOperandBundles())
    return nullptr;
  SmallVector<Known, 4> Args;
  for (Value *V : Call.args()) {
    const auto *C = dyn_cast<Constant>(V);
    const auto K = C ? Known::of(const_cast<Constant *>(C)) : std::nullopt;
    if (!K)
      return nullptr;
    Args.push_back(*K);
  }
  const auto K = Evaluator(Call.getDataLayout()).call(Call, Args, 0);
  return K ? K->One : nullptr;
}
