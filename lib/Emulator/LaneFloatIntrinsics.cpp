// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM's own floating-point intrinsics on half, bfloat, float and double.
/// Those that PTX has are taken from there; transcendental functions are
/// computed in double precision and rounded.

#include "LaneArithmetic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include <limits>
#include <string>

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// In the format; a double stays as it is.
template <class F> uint64_t rounded(double Value) {
  if constexpr (IsF64<F>)
    return bit_cast<uint64_t>(Value);
  else
    return roundTo<F, Round::Nearest>(Value);
}
template <class F> double operand(uint64_t Word) {
  return toDouble<F>(typename F::Word(Word));
}

template <class F, double (*Function)(double)> uint64_t unary(uint64_t *O) {
  return rounded<F>(Function(operand<F>(O[0])));
}
template <class F, double (*Function)(double, double)>
uint64_t binary(uint64_t *O) {
  return rounded<F>(Function(operand<F>(O[0]), operand<F>(O[1])));
}
double exponential10(double X) { return std::pow(10.0, X); }
double nearestEven(double X) { return __builtin_roundeven(X); }

template <class F> uint64_t absolute(uint64_t *O) {
  auto W = typename F::Word(O[0]);
  if (F::isNaN(W)) // an addition on the hardware: see changeSign
    return IsF64<F> ? W | typename F::Word(1) << (F::Mantissa - 1) : F::NaN;
  return W & ~F::Sign;
}
template <class F> uint64_t copySign(uint64_t *O) {
  using Word = typename F::Word;
  return Word((Word(O[0]) & ~F::Sign) | (Word(O[1]) & F::Sign));
}
template <class F> uint64_t same(uint64_t *O) { return typename F::Word(O[0]); }
template <class F> uint64_t canonicalize(uint64_t *O) {
  auto W = typename F::Word(O[0]);
  return F::isNaN(W) ? F::NaN : W;
}
/// The exponent is an i32.
template <class F> uint64_t scale(uint64_t *O) {
  // From 2^-2100 to 2^2100 every format ends in zero or infinity. A power that
  // makes a double subnormal would round twice: only f64 itself meets it.
  int Power = std::clamp<int>(int32_t(O[1]), -2100, 2100);
  return rounded<F>(std::ldexp(operand<F>(O[0]), Power));
}
template <class F> uint64_t integerPower(uint64_t *O) {
  return rounded<F>(std::pow(operand<F>(O[0]), int32_t(O[1])));
}
template <class F> uint64_t splitExponent(uint64_t *O) {
  int Power = 0;
  double Fraction = std::frexp(operand<F>(O[0]), &Power);
  O[1] = std::isfinite(Fraction) ? uint32_t(Power) : 0;
  return rounded<F>(Fraction);
}
template <class F> uint64_t splitFraction(uint64_t *O) {
  double Whole;
  double Fraction = std::modf(operand<F>(O[0]), &Whole);
  O[1] = rounded<F>(Whole);
  return rounded<F>(Fraction);
}
template <class F> uint64_t sineCosine(uint64_t *O) {
  double Angle = operand<F>(O[0]);
  O[1] = rounded<F>(std::cos(Angle));
  return rounded<F>(std::sin(Angle));
}

/// One bit for the class the value is in, as in llvm::FPClassTest.
template <class F> uint64_t isClass(uint64_t *O) {
  using Word = typename F::Word;
  Word Magnitude = Word(O[0]) & ~F::Sign;
  bool Negative = O[0] & F::Sign;
  unsigned Class;
  if (Magnitude > F::Infinity)
    Class = Magnitude >> (F::Mantissa - 1) & 1 ? 1 : 0; // quiet, signalling
  else if (Magnitude == F::Infinity)
    Class = Negative ? 2 : 9;
  else if (!F::isSubnormal(Magnitude))
    Class = Negative ? 3 : 8;
  else if (Magnitude)
    Class = Negative ? 4 : 7;
  else
    Class = Negative ? 5 : 6;
  return O[1] >> Class & 1;
}

/// Truncated by fptosi.sat; lrint and lround have rounded before. NaN gives 0.
template <class To> uint64_t saturate(double Value) {
  using Limits = std::numeric_limits<To>;
  using Result = std::make_unsigned_t<To>;
  constexpr double Past = 2.0 * double(uint64_t(1) << (Limits::digits - 1));
  if (std::isnan(Value))
    return 0;
  if (Value >= Past)
    return Result(Limits::max());
  if (std::is_signed_v<To> ? Value <= -Past : Value <= 0)
    return Result(Limits::min());
  return Result(To(Value));
}
template <class To, class F, double (*ToWhole)(double)>
uint64_t toInteger(uint64_t *O) {
  return saturate<To>(ToWhole(operand<F>(O[0])));
}

/// The name without types, for one format.
template <class F> LaneFunction named(StringRef Name) {
  constexpr unsigned Bits = F::Total;
  struct Entry {
    StringLiteral Name;
    LaneFunction Function;
  };
  static constexpr Entry Table[] = {
      {"fabs", {absolute<F>, 1, 1, Bits}},
      {"copysign", {copySign<F>, 2, 1, Bits}},
      {"canonicalize", {canonicalize<F>, 1, 1, Bits}},
      {"arithmetic.fence", {same<F>, 1, 1, Bits}},
      {"is.fpclass", {isClass<F>, 2, 1, 1}},
      {"round", {unary<F, std::round>, 1, 1, Bits}},
      {"sqrt", {unary<F, std::sqrt>, 1, 1, Bits}},
      {"sin", {unary<F, std::sin>, 1, 1, Bits}},
      {"cos", {unary<F, std::cos>, 1, 1, Bits}},
      {"tan", {unary<F, std::tan>, 1, 1, Bits}},
      {"asin", {unary<F, std::asin>, 1, 1, Bits}},
      {"acos", {unary<F, std::acos>, 1, 1, Bits}},
      {"atan", {unary<F, std::atan>, 1, 1, Bits}},
      {"sinh", {unary<F, std::sinh>, 1, 1, Bits}},
      {"cosh", {unary<F, std::cosh>, 1, 1, Bits}},
      {"tanh", {unary<F, std::tanh>, 1, 1, Bits}},
      {"exp", {unary<F, std::exp>, 1, 1, Bits}},
      {"exp2", {unary<F, std::exp2>, 1, 1, Bits}},
      {"exp10", {unary<F, exponential10>, 1, 1, Bits}},
      {"log", {unary<F, std::log>, 1, 1, Bits}},
      {"log2", {unary<F, std::log2>, 1, 1, Bits}},
      {"log10", {unary<F, std::log10>, 1, 1, Bits}},
      {"pow", {binary<F, std::pow>, 2, 1, Bits}},
      {"atan2", {binary<F, std::atan2>, 2, 1, Bits}},
      {"modf", {splitFraction<F>, 1, 2, Bits}},
      {"sincos", {sineCosine<F>, 1, 2, Bits}},
      // With an i32 beside the format.
      {"ldexp.i32", {scale<F>, 2, 1, Bits}},
      {"powi.i32", {integerPower<F>, 2, 1, Bits}},
      {"frexp.i32", {splitExponent<F>, 1, 2, Bits}},
  };
  for (const Entry &E : Table)
    if (E.Name == Name)
      return E.Function;
  return noLaneFunction();
}

template <class F, class To> LaneFunction integerFrom(StringRef Name) {
  constexpr unsigned Bits = sizeof(To) * 8;
  if (Name == "fptosi.sat" || Name == "fptoui.sat")
    return {toInteger<To, F, std::trunc>, 1, 1, Bits};
  if (Name == "lrint" || Name == "llrint")
    return {toInteger<To, F, nearestEven>, 1, 1, Bits};
  if (Name == "lround" || Name == "llround")
    return {toInteger<To, F, std::round>, 1, 1, Bits};
  return noLaneFunction();
}
template <class F> LaneFunction integerNamed(StringRef Name, StringRef Type) {
  bool Unsigned = Name == "fptoui.sat";
  if (Type == "i8")
    return Unsigned ? integerFrom<F, uint8_t>(Name)
                    : integerFrom<F, int8_t>(Name);
  if (Type == "i16")
    return Unsigned ? integerFrom<F, uint16_t>(Name)
                    : integerFrom<F, int16_t>(Name);
  if (Type == "i32")
    return Unsigned ? integerFrom<F, uint32_t>(Name)
                    : integerFrom<F, int32_t>(Name);
  if (Type == "i64")
    return Unsigned ? integerFrom<F, uint64_t>(Name)
                    : integerFrom<F, int64_t>(Name);
  return noLaneFunction();
}

/// The PTX instruction without its type; empty if there is none.
StringRef instructionOf(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Cases({"fma", "fmuladd"}, "fma.rn")
      .Cases({"minnum", "minimumnum"}, "min")
      .Cases({"maxnum", "maximumnum"}, "max")
      .Case("minimum", "min.NaN")
      .Case("maximum", "max.NaN")
      .Default("");
}
StringRef integralOf(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("floor", "rmi")
      .Case("ceil", "rpi")
      .Case("trunc", "rzi")
      .Cases({"rint", "nearbyint", "roundeven"}, "rni")
      .Default("");
}

} // namespace

LaneFunction sluice::emulator::resolveFloatIntrinsic(StringRef Name) {
  // Not structured bindings: C++17's lambdas cannot capture those.
  StringRef Rest = Name.rsplit('.').first, Type = Name.rsplit('.').second;
  if (Name == "convert.from.fp16.f32")
    return resolvePTX("cvt.f32.f16");
  if (Name == "convert.from.fp16.f64")
    return resolvePTX("cvt.f64.f16");
  if (Rest == "convert.to.fp16")
    return resolvePTX(("cvt.rn.f16." + Type).str());
  if (StringRef Instruction = instructionOf(Rest); !Instruction.empty()) {
    std::string Opcode = (Instruction + "." + Type).str();
    return resolvePTX(Opcode);
  }
  if (StringRef Rounding = integralOf(Rest); !Rounding.empty())
    return resolvePTX(("cvt." + Rounding + "." + Type + "." + Type).str());
  // "ldexp.f32.i32" and "lrint.i64.f32".
  StringRef Base = Rest.rsplit('.').first, Other = Rest.rsplit('.').second;
  if (Type == "i32" && Other.contains('f')) {
    std::string WithInteger = (Base + ".i32").str();
    return forFloat(Other,
                    [&](auto F) { return named<decltype(F)>(WithInteger); });
  }
  if (Other.starts_with("i") && Other.size() > 1 && isDigit(Other[1]))
    return forFloat(
        Type, [&](auto F) { return integerNamed<decltype(F)>(Base, Other); });
  return forFloat(Type, [&](auto F) { return named<decltype(F)>(Rest); });
}
