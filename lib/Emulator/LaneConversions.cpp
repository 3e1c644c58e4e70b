// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// cvt between single values: integers of 8 to 64 bits, f16, bf16, f32, f64 and
/// tf32.
///
/// Floats become integers saturated. A NaN becomes 0, but 1 << (bits - 1) if
/// the source is f64 or the integer has 64 bits (PTX ISA 9.0, cvt).
/// cvt.f32.bf16 keeps a NaN's payload, since it is a shift on the hardware, and
/// a conversion to the same format changes nothing; other conversions to f32
/// and below make NaNs canonical.

#include "LaneArithmetic.h"
#include <limits>
#include <optional>
#include <type_traits>

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// Wraps or saturates.
template <class To, class From, bool Sat> uint64_t intToInt(uint64_t *O) {
  using Result = std::make_unsigned_t<To>;
  From Value = From(O[0]);
  if (Sat) {
    using Limits = std::numeric_limits<To>;
    if (Value < 0 && (std::is_unsigned_v<To> || Value < From(Limits::min())) &&
        (sizeof(From) > sizeof(To) || std::is_unsigned_v<To>))
      return Result(Limits::min());
    if (Value > 0 && uint64_t(Value) > uint64_t(Limits::max()))
      return Result(Limits::max());
  }
  return Result(Value);
}

template <class F, class From, Round R, bool Sat>
uint64_t intToFloat(uint64_t *O) {
  From Value = From(O[0]);
  bool Negative = Value < 0;
  uint64_t Magnitude = Negative ? 0 - uint64_t(Value) : uint64_t(Value);
  typename F::Word Result;
  if constexpr (IsF64<F>)
    Result = bit_cast<uint64_t>(integerToDouble(Negative, Magnitude, R));
  else
    Result = roundTo<F, R>(integerToDouble(Negative, Magnitude, Round::Odd));
  return clampBits<F, Sat ? Clamp::Sat : Clamp::None>(Result);
}

template <Round R> double toIntegral(double Value) {
  switch (R) {
  case Round::Zero:
    return std::trunc(Value);
  case Round::Down:
    return std::floor(Value);
  case Round::Up:
    return std::ceil(Value);
  default:
    return __builtin_roundeven(Value);
  }
}

template <class To, class F, Round R, bool Ftz>
uint64_t floatToInt(uint64_t *O) {
  using Word = typename F::Word;
  using Result = std::make_unsigned_t<To>;
  using Limits = std::numeric_limits<To>;
  Word W = Ftz ? F::flush(Word(O[0])) : Word(O[0]);
  if (F::isNaN(W)) {
    bool Top = IsF64<F> || sizeof(To) == 8;
    return Top ? uint64_t(1) << (8 * sizeof(To) - 1) : 0;
  }
  double Value = toIntegral<R>(toDouble<F>(W));
  // One past the largest, a power of two and so a double.
  constexpr double Past = 2.0 * double(uint64_t(1) << (Limits::digits - 1));
  if (Value >= Past)
    return Result(Limits::max());
  if (std::is_signed_v<To> ? Value <= -Past : Value <= 0)
    return Result(Limits::min());
  return Result(To(Value));
}

/// How cvt between floats ends. Finite is .satfinite: what is too large, also
/// infinite, becomes the largest finite number.
enum class Finish { None, Sat, Relu, Finite, ReluFinite };

template <class F, Finish E> typename F::Word finish(typename F::Word Result) {
  using Word = typename F::Word;
  if constexpr (E == Finish::Finite || E == Finish::ReluFinite)
    if ((Result & ~F::Sign) == F::Infinity)
      Result = Word((Result & F::Sign) | (F::Infinity - 1));
  if constexpr (E == Finish::Sat)
    return clampBits<F, Clamp::Sat>(Result);
  if constexpr (E == Finish::Relu || E == Finish::ReluFinite)
    return clampBits<F, Clamp::Relu>(Result);
  return Result;
}

/// Integral: .rni and the like, to an integral value of the same format.
template <class To, class From, Round R, bool Integral, bool Ftz, Finish E>
uint64_t floatToFloat(uint64_t *O) {
  using FromWord = typename From::Word;
  constexpr bool Single = From::Mantissa == 23, ToSingle = To::Mantissa == 23;
  FromWord W = Ftz && Single ? From::flush(FromWord(O[0])) : FromWord(O[0]);
  typename To::Word Result;
  if constexpr (std::is_same_v<From, BF16> && ToSingle) {
    Result = uint32_t(W) << 16;
    if (Ftz)
      Result = To::flush(Result);
  } else if constexpr (std::is_same_v<From, To> && !Integral) {
    Result = W;
  } else if (IsF64<From> && !Integral && !IsF64<To> && From::isNaN(W)) {
    // Sign and payload are kept, and it is made quiet.
    constexpr unsigned Lost = From::Mantissa - To::Mantissa;
    using ToWord = typename To::Word;
    Result = ToWord((W & From::Sign ? To::Sign : 0) | To::Infinity |
                    ToWord(1) << (To::Mantissa - 1) |
                    (ToWord(W >> Lost) & (To::Infinity ^ ToWord(~To::Sign))));
  } else if (std::is_same_v<From, F16> && IsF64<To> && From::isNaN(W)) {
    Result = typename To::Word(0x7fffffffe0000000); // f32's NaN, widened.
  } else {
    double Value = toDouble<From>(W);
    if constexpr (Integral)
      Value = toIntegral<R>(Value);
    if constexpr (IsF64<To>)
      Result = bit_cast<uint64_t>(Value);
    else
      Result = roundTo<To, R>(Value);
    if constexpr (Ftz && ToSingle)
      Result = flushResult<To, R>(Result, Value);
  }
  return finish<To, E>(Result);
}

/// tf32: an f32 with the low 13 mantissa bits zero.
template <Round R, Finish E> uint64_t toTF32(uint64_t *O) {
  using TF32 = Format<8, 10, uint32_t>;
  uint32_t Result = roundTo<TF32, R>(toDouble<F32>(uint32_t(O[0])));
  if (TF32::isNaN(Result))
    return F32::NaN;
  return uint64_t(finish<TF32, E>(Result)) << 13;
}

// Type names to types.

template <class Make> LaneFunction forInteger(StringRef Type, Make make) {
  if (Type == "u8")
    return make(uint8_t());
  if (Type == "s8")
    return make(int8_t());
  return for16To64(Type, make);
}
bool isFloat(StringRef Type) {
  return Type == "f16" || Type == "bf16" || Type == "f32" || Type == "f64";
}

/// cvt's modifiers between name and types.
struct Modifiers {
  std::optional<Round> Rounding;
  bool Integral = false; ///< .rni and the like
  bool Ftz, Sat, Relu, Finite;
};
Modifiers takeModifiers(LaneOpcode &Op) {
  static constexpr Round Order[] = {Round::Nearest, Round::Zero, Round::Down,
                                    Round::Up};
  Modifiers M;
  if (int N = Op.takeOneOf({"rni", "rzi", "rmi", "rpi"}); N >= 0) {
    M.Rounding = Order[N];
    M.Integral = true;
  } else if (int N = Op.takeOneOf({"rn", "rz", "rm", "rp"}); N >= 0) {
    M.Rounding = Order[N];
  } else if (Op.take("rna")) {
    M.Rounding = Round::Away;
  }
  M.Ftz = Op.take("ftz");
  M.Sat = Op.take("sat");
  M.Relu = Op.take("relu");
  M.Finite = Op.take("satfinite");
  return M;
}
template <class Make> LaneFunction withRound(Round R, Make make) {
  switch (R) {
  case Round::Nearest:
    return make(std::integral_constant<Round, Round::Nearest>());
  case Round::Zero:
    return make(std::integral_constant<Round, Round::Zero>());
  case Round::Down:
    return make(std::integral_constant<Round, Round::Down>());
  case Round::Up:
    return make(std::integral_constant<Round, Round::Up>());
  default:
    return noLaneFunction();
  }
}

LaneFunction convertIntToInt(StringRef To, StringRef From, bool Sat) {
  return forInteger(To, [&](auto T) {
    return forInteger(From, [&](auto F) {
      return withBool(Sat, [&](auto S) {
        return LaneFunction{intToInt<decltype(T), decltype(F), S()>, 1, 1,
                            sizeof(T) * 8};
      });
    });
  });
}

LaneFunction convertIntToFloat(StringRef To, StringRef From,
                               const Modifiers &M) {
  return forFloat(To, [&](auto T) {
    return forInteger(From, [&](auto F) {
      return withRound(M.Rounding.value_or(Round::Nearest), [&](auto R) {
        return withBool(M.Sat, [&](auto S) {
          return LaneFunction{intToFloat<decltype(T), decltype(F), R(), S()>, 1,
                              1, decltype(T)::Total};
        });
      });
    });
  });
}

LaneFunction convertFloatToInt(StringRef To, StringRef From,
                               const Modifiers &M) {
  return forInteger(To, [&](auto T) {
    return forFloat(From, [&](auto F) {
      return withRound(M.Rounding.value_or(Round::Zero), [&](auto R) {
        if constexpr (decltype(F)::Mantissa == 23)
          if (M.Ftz)
            return LaneFunction{floatToInt<decltype(T), decltype(F), R(), true>,
                                1, 1, sizeof(T) * 8};
        return LaneFunction{floatToInt<decltype(T), decltype(F), R(), false>, 1,
                            1, sizeof(T) * 8};
      });
    });
  });
}

template <class To, class From, Round R, bool Integral, bool Ftz>
LaneFunction finished(const Modifiers &M) {
  auto with = [](LaneEvaluator E) { return LaneFunction{E, 1, 1, To::Total}; };
  if constexpr (To::Total == 16 && !Integral) {
    if (M.Relu)
      return with(
          M.Finite
              ? floatToFloat<To, From, R, Integral, Ftz, Finish::ReluFinite>
              : floatToFloat<To, From, R, Integral, Ftz, Finish::Relu>);
    if (M.Finite)
      return with(floatToFloat<To, From, R, Integral, Ftz, Finish::Finite>);
  }
  if (M.Relu || M.Finite)
    return noLaneFunction();
  return with(M.Sat ? floatToFloat<To, From, R, Integral, Ftz, Finish::Sat>
                    : floatToFloat<To, From, R, Integral, Ftz, Finish::None>);
}

LaneFunction convertFloatToFloat(StringRef To, StringRef From,
                                 const Modifiers &M) {
  return forFloat(To, [&](auto T) {
    return forFloat(From, [&](auto F) {
      using ToFormat = decltype(T);
      using FromFormat = decltype(F);
      constexpr bool Single =
          ToFormat::Mantissa == 23 || FromFormat::Mantissa == 23;
      constexpr bool Narrowing =
          ToFormat::Mantissa < FromFormat::Mantissa ||
          (std::is_same_v<ToFormat, F16> && std::is_same_v<FromFormat, BF16>);
      auto withFtz = [&](auto R, auto Integral) {
        if constexpr (Single)
          if (M.Ftz)
            return finished<ToFormat, FromFormat, R(), Integral(), true>(M);
        return finished<ToFormat, FromFormat, R(), Integral(), false>(M);
      };
      if constexpr (std::is_same_v<ToFormat, FromFormat>)
        if (M.Integral)
          return withRound(*M.Rounding, [&](auto R) {
            return withFtz(R, std::true_type());
          });
      if constexpr (Narrowing)
        return withRound(M.Rounding.value_or(Round::Nearest),
                         [&](auto R) { return withFtz(R, std::false_type()); });
      else // Exact; a rounding changes nothing.
        return withFtz(std::integral_constant<Round, Round::Nearest>(),
                       std::false_type());
    });
  });
}

LaneFunction convertToTF32(const Modifiers &M) {
  auto with = [&](auto R) {
    constexpr Round To = R();
    LaneEvaluator E = M.Relu ? (M.Finite ? toTF32<To, Finish::ReluFinite>
                                         : toTF32<To, Finish::Relu>)
                             : (M.Finite ? toTF32<To, Finish::Finite>
                                         : toTF32<To, Finish::None>);
    return LaneFunction{E, 1, 1, 32};
  };
  if (M.Ftz || M.Sat || M.Integral || !M.Rounding)
    return noLaneFunction();
  return *M.Rounding == Round::Away
             ? with(std::integral_constant<Round, Round::Away>())
             : withRound(*M.Rounding, with);
}

} // namespace

LaneFunction sluice::emulator::resolveConversion(LaneOpcode Op) {
  if (Op.Name != "cvt")
    return noLaneFunction();
  StringRef From = Op.takeLast(), To = Op.takeLast();
  Modifiers M = takeModifiers(Op);
  if (!Op.done())
    return noLaneFunction();
  if (To == "tf32" && From == "f32")
    return convertToTF32(M);
  bool ToFloat = isFloat(To), FromFloat = isFloat(From);
  if (ToFloat && FromFloat)
    return convertFloatToFloat(To, From, M);
  if (M.Relu || M.Finite)
    return noLaneFunction();
  if (ToFloat)
    return convertIntToFloat(To, From, M);
  if (FromFloat)
    return convertFloatToInt(To, From, M);
  return M.Rounding || M.Ftz ? noLaneFunction()
                             : convertIntToInt(To, From, M.Sat);
}
