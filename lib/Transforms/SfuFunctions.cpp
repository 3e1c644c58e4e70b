// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All by instructions that end in .approx.ftz, which take and give zero for
// subnormal numbers: without .ftz the assembler puts code around them that
// scales such numbers.
//
//   x / y     div.approx.ftz(x, y)            double: x * rcp(y)
//   1 / x     rcp.approx.ftz(x)               double: rcp.approx.ftz.f64
//   sqrt(x)   sqrt.approx.ftz(x)              double: rcp(rsqrt(x))
//   rsqrt(x)  rsqrt.approx.ftz(x)             double: rsqrt.approx.ftz.f64
//   pow(x, y) ex2(y * lg2(x))
//   exp(x)    ex2(x * lg2(e))                 likewise exp10, exp2
//   log(x)    lg2(x) * ln(2)                  likewise log10, log2
//   sin(x)    sin.approx.ftz(x)               likewise cos
//   tan(x)    div.approx.ftz(sin(x), cos(x))
//   tanh(x)   tanh.approx                     from sm_75 on
//
// What asks for a rounding by name (__fdiv_rn, __fsqrt_rn) means it.

#include "SfuFunctions.h"
#include "SfuMarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

StringRef sluice::nameOf(SfuFunction F) {
  static constexpr StringLiteral Names[] = {
      "division", "reciprocal", "sqrt", "rsqrt", "pow",   "exp",
      "exp2",     "exp10",      "log",  "log2",  "log10", "sin",
      "cos",      "sincos",     "tan",  "tanh"};
  static_assert(std::size(Names) == NumSfuFunctions);
  return Names[unsigned(F)];
}

/// Is everything computed with .ftz? Then three functions of the library are
/// what the units compute.
static bool isFlushed(const Module &M) {
  const auto *Flag = mdconst::dyn_extract_or_null<ConstantInt>(
      M.getModuleFlag("nvvm-reflect-ftz"));
  return Flag && !Flag->isZero();
}

static bool hasTanh(const Function &F) {
  StringRef CPU = F.getFnAttribute("target-cpu").getValueAsString();
  unsigned SM;
  return CPU.consume_front("sm_") && !CPU.consumeInteger(10, SM) && SM >= 75;
}

static std::optional<SfuFunction> ofLibrary(StringRef Name, bool IsFlushed) {
  using S = SfuFunction;
  using Maybe = std::optional<SfuFunction>;
  // What is one .approx instruction without .ftz gains that .ftz.
  auto UnlessFlushed = [&](S F) { return IsFlushed ? Maybe() : Maybe(F); };
  return StringSwitch<Maybe>(Name)
      .Case("__nv_sqrt", S::Root)
      .Case("__nv_rsqrt", S::ReciprocalRoot)
      .Case("__nv_sqrtf", UnlessFlushed(S::Root))
      .Case("__nv_rsqrtf", UnlessFlushed(S::ReciprocalRoot))
      .Case("__nv_exp2f", UnlessFlushed(S::Exp2))
      .Case("__nv_powf", S::Power)
      .Case("__nv_expf", S::Exp)
      .Case("__nv_exp10f", S::Exp10)
      .Case("__nv_logf", S::Log)
      .Case("__nv_log2f", S::Log2)
      .Case("__nv_log10f", S::Log10)
      .Case("__nv_sinf", S::Sin)
      .Case("__nv_cosf", S::Cos)
      .Case("__nv_sincosf", S::SinCos)
      .Case("__nv_tanf", S::Tan)
      .Case("__nv_tanhf", S::Tanh)
      .Default(std::nullopt);
}

static std::optional<SfuFunction> ofIntrinsic(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::sqrt:
    return SfuFunction::Root;
  case Intrinsic::pow:
    return SfuFunction::Power;
  case Intrinsic::exp:
    return SfuFunction::Exp;
  case Intrinsic::exp2:
    return SfuFunction::Exp2;
  case Intrinsic::exp10:
    return SfuFunction::Exp10;
  case Intrinsic::log:
    return SfuFunction::Log;
  case Intrinsic::log2:
    return SfuFunction::Log2;
  case Intrinsic::log10:
    return SfuFunction::Log10;
  case Intrinsic::sin:
    return SfuFunction::Sin;
  case Intrinsic::cos:
    return SfuFunction::Cos;
  case Intrinsic::tan:
    return SfuFunction::Tan;
  case Intrinsic::tanh:
    return SfuFunction::Tanh;
  default:
    return std::nullopt;
  }
}

/// A constant is better multiplied by, and a power of two is exact so.
static std::optional<SfuFunction> ofDivision(const Instruction &I) {
  const auto *Divisor = dyn_cast<ConstantFP>(I.getOperand(1));
  if (I.hasAllowReciprocal() || I.getMetadata(LLVMContext::MD_fpmath) ||
      (Divisor && (isa<ConstantFP>(I.getOperand(0)) ||
                   Divisor->getValue().getExactInverse(nullptr))))
    return std::nullopt;
  return match(I.getOperand(0), m_FPOne()) ? SfuFunction::Reciprocal
                                           : SfuFunction::Divide;
}

static std::optional<SfuFunction> ofCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return std::nullopt;
  // By name, as it is called in the toolkit's library: no prototype but its.
  if (!Callee->isIntrinsic()) {
    auto F = ofLibrary(Callee->getName(), isFlushed(*Callee->getParent()));
    if (!F)
      return std::nullopt;
    const unsigned Arguments = *F == SfuFunction::SinCos  ? 3
                               : *F == SfuFunction::Power ? 2
                                                          : 1;
    return Call.arg_size() == Arguments ? F : std::nullopt;
  }
  auto F = ofIntrinsic(Callee->getIntrinsicID());
  if (!F || cast<FPMathOperator>(Call).hasApproxFunc() ||
      (Call.getType()->isDoubleTy() && *F != SfuFunction::Root))
    return std::nullopt;
  return F;
}

std::optional<SfuFunction> sluice::sfuFunctionOf(const Instruction &I) {
  auto IsOfUnits = [](const Type *T) {
    return T->isFloatTy() || T->isDoubleTy();
  };
  std::optional<SfuFunction> Found;
  if (I.getOpcode() == Instruction::FDiv)
    Found = IsOfUnits(I.getType()) && !I.hasApproxFunc() ? ofDivision(I)
                                                         : std::nullopt;
  else if (const auto *Call = dyn_cast<CallBase>(&I);
           Call && Call->arg_size() &&
           IsOfUnits(Call->getArgOperand(0)->getType()))
    Found = ofCall(*Call);
  if (Found == SfuFunction::Tanh && !hasTanh(*I.getFunction()))
    return std::nullopt;
  return Found;
}

namespace {

/// Builds the units' instructions.
class UnitBuilder {
public:
  explicit UnitBuilder(Instruction &Before)
      : B(&Before), IsDouble(Before.getOperand(0)->getType()->isDoubleTy()) {}

  Value *build(SfuFunction F, Value *X, Value *Y);

private:
  /// Marked as ours: the program may have its own.
  Value *call(Intrinsic::ID ID, ArrayRef<Value *> Of) {
    auto *Call =
        cast<CallInst>(B.CreateIntrinsic(ID, ArrayRef<Type *>(), Of));
    Call->addFnAttr(Attribute::get(B.getContext(), SfuApproximateMark));
    return Call;
  }
  Value *reciprocal(Value *X) {
    return call(IsDouble ? Intrinsic::nvvm_rcp_approx_ftz_d
                         : Intrinsic::nvvm_rcp_approx_ftz_f,
                X);
  }
  Value *reciprocalRoot(Value *X) {
    return call(IsDouble ? Intrinsic::nvvm_rsqrt_approx_ftz_d
                         : Intrinsic::nvvm_rsqrt_approx_ftz_f,
                X);
  }
  Value *root(Value *X) {
    return IsDouble ? reciprocal(reciprocalRoot(X))
                    : call(Intrinsic::nvvm_sqrt_approx_ftz_f, X);
  }
  Value *divide(Value *X, Value *Y) {
    return IsDouble ? B.CreateFMul(X, reciprocal(Y))
                    : call(Intrinsic::nvvm_div_approx_ftz_f, {X, Y});
  }
  Value *times(Value *X, Value *Y) {
    return call(Intrinsic::nvvm_mul_rn_ftz_f, {X, Y});
  }
  Value *times(Value *X, double Factor) {
    return times(X, ConstantFP::get(B.getFloatTy(), Factor));
  }
  Value *exp2(Value *X) {
    return B.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz, {B.getFloatTy()},
                             {X});
  }
  Value *log2(Value *X) { return call(Intrinsic::nvvm_lg2_approx_ftz_f, X); }
  Value *sin(Value *X) { return call(Intrinsic::nvvm_sin_approx_ftz_f, X); }
  Value *cos(Value *X) { return call(Intrinsic::nvvm_cos_approx_ftz_f, X); }
  /// There is no intrinsic of the instruction.
  Value *tanh(Value *X) {
    auto *Type = FunctionType::get(B.getFloatTy(), {B.getFloatTy()}, false);
    CallInst *Call = B.CreateCall(
        InlineAsm::get(Type, "tanh.approx.f32 $0, $1;", "=f,f", false), {X});
    Call->setDoesNotThrow();
    Call->setDoesNotAccessMemory();
    return Call;
  }

  IRBuilder<> B;
  const bool IsDouble;
};

} // namespace

static constexpr double Log2OfE = 1.4426950408889634074,
                        Log2Of10 = 3.3219280948873623479,
                        LnOf2 = 0.69314718055994530942,
                        Log10Of2 = 0.30102999566398119521;

Value *UnitBuilder::build(SfuFunction F, Value *X, Value *Y) {
  switch (F) {
  case SfuFunction::Divide:
    return divide(X, Y);
  case SfuFunction::Reciprocal:
    return reciprocal(Y); // of 1 / Y
  case SfuFunction::Root:
    return root(X);
  case SfuFunction::ReciprocalRoot:
    return reciprocalRoot(X);
  case SfuFunction::Power:
    return exp2(times(log2(X), Y));
  case SfuFunction::Exp:
    return exp2(times(X, Log2OfE));
  case SfuFunction::Exp2:
    return exp2(X);
  case SfuFunction::Exp10:
    return exp2(times(X, Log2Of10));
  case SfuFunction::Log:
    return times(log2(X), LnOf2);
  case SfuFunction::Log2:
    return log2(X);
  case SfuFunction::Log10:
    return times(log2(X), Log10Of2);
  case SfuFunction::Sin:
    return sin(X);
  case SfuFunction::Cos:
    return cos(X);
  case SfuFunction::Tan:
    return divide(sin(X), cos(X));
  case SfuFunction::Tanh:
    return tanh(X);
  case SfuFunction::SinCos:
    break; // two values
  }
  llvm_unreachable("not of one value");
}

void sluice::approximate(Instruction &I, SfuFunction F) {
  UnitBuilder Units(I);
  Value *X = I.getOperand(0);
  if (F == SfuFunction::SinCos) {
    IRBuilder<> B(&I);
    auto &Call = cast<CallBase>(I);
    Value *Sin = Units.build(SfuFunction::Sin, X, nullptr);
    Value *Cos = Units.build(SfuFunction::Cos, X, nullptr);
    B.CreateAlignedStore(Sin, Call.getArgOperand(1), Align(4));
    B.CreateAlignedStore(Cos, Call.getArgOperand(2), Align(4));
  } else {
    const bool HasTwo = isa<BinaryOperator>(I) || F == SfuFunction::Power;
    Value *Result = Units.build(F, X, HasTwo ? I.getOperand(1) : nullptr);
    Result->takeName(&I);
    I.replaceAllUsesWith(Result);
  }
  I.eraseFromParent();
}

void sluice::combineApproximate(Function &F) {
  auto Is = [](Value *V, Intrinsic::ID ID) -> IntrinsicInst * {
    auto *Call = dyn_cast<IntrinsicInst>(V);
    return Call && Call->getIntrinsicID() == ID &&
                   Call->hasFnAttr(SfuApproximateMark)
               ? Call
               : nullptr;
  };
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    Value *Root = nullptr;
    if (Is(&I, Intrinsic::nvvm_rcp_approx_ftz_f)) {
      if (auto *Of = Is(I.getOperand(0), Intrinsic::nvvm_sqrt_approx_ftz_f))
        Root = IRBuilder<>(&I).CreateIntrinsic(
            Intrinsic::nvvm_rsqrt_approx_ftz_f, ArrayRef<Type *>(),
            {Of->getOperand(0)});
    } else if (Is(&I, Intrinsic::nvvm_rcp_approx_ftz_d)) {
      // Of rcp(rsqrt(x)), which is the root.
      if (auto *Of = Is(I.getOperand(0), Intrinsic::nvvm_rcp_approx_ftz_d))
        Root = Is(Of->getOperand(0), Intrinsic::nvvm_rsqrt_approx_ftz_d);
    }
    if (!Root)
      continue;
    auto *Of = cast<Instruction>(I.getOperand(0));
    I.replaceAllUsesWith(Root);
    I.eraseFromParent();
    if (Of->use_empty())
      Of->eraseFromParent();
  }
}
