// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The floating-point formats of PTX and correct rounding into them.
///
/// Every f16, bf16 and f32 value is a double exactly, and so is the product of
/// two. A sum of doubles is made exact enough by rounding it to odd (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
/// using rounding to odd", 2008): a double rounded to odd can be rounded again,
/// in any mode, to a format with at least two bits less, as if it were exact.
/// Quotients and square roots of such values are never close enough to a
/// representable value or a midpoint for a double's own rounding to reach it.

#ifndef SLUICE_LIB_EMULATOR_LANEFLOAT_H
#define SLUICE_LIB_EMULATOR_LANEFLOAT_H

#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"
#include <cmath>
#include <cstdint>

namespace sluice::emulator {

/// Odd: truncated, the last bit set if anything was lost. Away: to nearest,
/// halves away from zero (.rna).
enum class Round : uint8_t { Nearest, Zero, Down, Up, Away, Odd };

/// An IEEE format of \p E exponent and \p M stored mantissa bits.
template <unsigned E, unsigned M, class Bits> struct Format {
  using Word = Bits;
  static constexpr unsigned Mantissa = M;
  static constexpr unsigned Total = 1 + E + M;
  static constexpr int Bias = (1 << (E - 1)) - 1;
  static constexpr Word Sign = Word(Word(1) << (E + M));
  static constexpr Word Infinity = Word(((Word(1) << E) - 1) << M);
  static constexpr Word One = Word(Word(Bias) << M);
  /// What PTX arithmetic returns for every NaN, except in f64.
  static constexpr Word NaN = Word(Sign - 1);

  static bool isNaN(Word W) { return (W & ~Sign) > Infinity; }
  static bool isSubnormal(Word W) { return (W & Infinity) == 0; } // or zero
  /// .ftz: subnormal numbers become zero and keep their sign.
  static Word flush(Word W) { return isSubnormal(W) ? Word(W & Sign) : W; }
};

using F16 = Format<5, 10, uint16_t>;
using BF16 = Format<8, 7, uint16_t>;
using F32 = Format<8, 23, uint32_t>;
using F64 = Format<11, 52, uint64_t>;

template <class F> inline constexpr bool IsF64 = sizeof(typename F::Word) == 8;

/// The value, exactly. A NaN stays one.
template <class F> inline double toDouble(typename F::Word W) {
  if constexpr (IsF64<F>) {
    return llvm::bit_cast<double>(W);
  } else if constexpr (F::Mantissa == 23) {
    return llvm::bit_cast<float>(W);
  } else if constexpr (F::Mantissa == 7) {
    return llvm::bit_cast<float>(uint32_t(W) << 16);
  } else {
    uint64_t Magnitude = W & ~F::Sign;
    double Value;
    if (Magnitude >= F::Infinity) // Exponent of all ones, mantissa kept.
      Value = llvm::bit_cast<double>(
          uint64_t(0x7ff) << 52 |
          (Magnitude & (F::Infinity - 1) & ((1 << F::Mantissa) - 1))
              << (52 - F::Mantissa));
    else // Taken as a double's bits it is 2^(1023-Bias) times too small.
      Value = llvm::bit_cast<double>(Magnitude << (52 - F::Mantissa)) *
              llvm::bit_cast<double>(uint64_t(2046 - F::Bias) << 52);
    return W & F::Sign ? -Value : Value;
  }
}

/// Whether a magnitude cut to the integer \p Kept is rounded up: \p Lost of
/// \p Unit units in the last place are cut off.
inline bool roundsUp(Round R, bool Negative, uint64_t Kept, uint64_t Lost,
                     uint64_t Unit) {
  switch (R) {
  case Round::Nearest:
    return Lost > Unit / 2 || (Lost == Unit / 2 && (Kept & 1));
  case Round::Zero:
    return false;
  case Round::Down:
    return Negative && Lost;
  case Round::Up:
    return !Negative && Lost;
  case Round::Away:
    return Lost >= Unit / 2;
  case Round::Odd:
    return Lost && !(Kept & 1);
  }
  return false;
}

/// What a magnitude too large for the format becomes.
template <class F> inline typename F::Word overflow(Round R, bool Negative) {
  bool ToInfinity = R == Round::Nearest || R == Round::Away ||
                    (R == Round::Up && !Negative) ||
                    (R == Round::Down && Negative);
  return typename F::Word((ToInfinity ? F::Infinity : F::Infinity - 1) |
                          (Negative ? F::Sign : 0));
}

/// Rounds the magnitude of a finite double to \p M mantissa bits: exponent
/// field and mantissa together, as if the exponent had no limit above.
template <unsigned M, int Bias, Round R>
inline uint64_t roundMagnitude(double Value) {
  uint64_t Bits = llvm::bit_cast<uint64_t>(Value);
  uint64_t Magnitude = Bits & ~F64::Sign;
  // |Value| = Significand * 2^(Exponent - 52).
  int Exponent = int(Magnitude >> 52) - 1023;
  uint64_t Significand = Magnitude & ((uint64_t(1) << 52) - 1);
  if (Exponent == -1023) // A subnormal double is tiny in every format here.
    Exponent = -1022;
  else
    Significand |= uint64_t(1) << 52;
  unsigned Shift = 52 - M;
  uint64_t Base = 0; // The exponent field, less the significand's own 1.
  constexpr int Least = 1 - Bias;
  if (Exponent < Least)
    Shift += unsigned(Least - Exponent);
  else
    Base = uint64_t(Exponent - Least) << M;
  if (Shift > 62)
    Shift = 62; // All is lost, and less than half a unit.
  uint64_t Unit = uint64_t(1) << Shift;
  uint64_t Kept = Significand >> Shift, Lost = Significand & (Unit - 1);
  return Base + Kept + roundsUp(R, Bits >> 63, Kept, Lost, Unit);
}

/// Rounds a double into the format. A NaN becomes the canonical one.
template <class F, Round R>
LLVM_ATTRIBUTE_NOINLINE typename F::Word roundTo(double Value) {
  using Word = typename F::Word;
  if (std::isnan(Value))
    return F::NaN;
  bool Negative = std::signbit(Value);
  Word Sign = Negative ? F::Sign : Word(0);
  if (std::isinf(Value))
    return Word(F::Infinity | Sign);
  uint64_t Magnitude = roundMagnitude<F::Mantissa, F::Bias, R>(Value);
  if (Magnitude >= F::Infinity)
    return overflow<F>(R, Negative);
  return Word(Word(Magnitude) | Sign);
}

/// .ftz of a result \p W, rounded from \p Exact (exact or rounded to odd): what
/// is tiny becomes zero. Tiny is what would be below the least normal number if
/// the exponent had no limit; ptxas folds constants so.
template <class F, Round R>
inline typename F::Word flushResult(typename F::Word W, double Exact) {
  using Word = typename F::Word;
  constexpr Word LeastNormal = Word(1) << F::Mantissa;
  Word Magnitude = W & ~F::Sign;
  if (Magnitude > LeastNormal || R == Round::Zero)
    return F::flush(W);
  if (Magnitude < LeastNormal)
    return W & F::Sign;
  // Just below there are M + 1 bits more than just above zero. Nearest: halfway
  // to the next number below rounds up, to even. Away from zero: all above it.
  double Least = toDouble<F>(LeastNormal);
  double Next = Least - std::ldexp(Least, -int(F::Mantissa) - 1);
  double Size = std::fabs(Exact);
  bool Stays = R == Round::Nearest ? Size >= (Least + Next) / 2 : Size > Next;
  return Stays ? W : Word(W & F::Sign);
}

/// The double nearest to A + B, or, if that is not exact, the neighbour with an
/// odd significand that encloses the sum.
inline double addToOdd(double A, double B) {
  double Sum = A + B;
  // Knuth's TwoSum: A + B = Sum + Error exactly.
  double Virtual = Sum - A;
  double Error = (A - (Sum - Virtual)) + (B - Virtual);
  uint64_t Bits = llvm::bit_cast<uint64_t>(Sum);
  if (Error == 0 || !std::isfinite(Sum) || (Bits & 1))
    return Sum;
  // Towards the error: up in magnitude if it has the sum's sign.
  bool Outwards = (Error > 0) == (Sum > 0);
  return llvm::bit_cast<double>(Outwards ? Bits + 1 : Bits - 1);
}

/// An integer as a double, rounded.
inline double integerToDouble(bool Negative, uint64_t Magnitude, Round R) {
  unsigned Width = 64 - unsigned(llvm::countl_zero(Magnitude));
  unsigned Shift = Width > 53 ? Width - 53 : 0;
  uint64_t Unit = uint64_t(1) << Shift;
  uint64_t Kept = Magnitude >> Shift, Lost = Magnitude & (Unit - 1);
  if (Lost)
    Kept += roundsUp(R, Negative, Kept, Lost, Unit);
  double Value = double(int64_t(Kept)) * double(Unit);
  return Negative ? -Value : Value;
}

/// .sat: to [0, 1], NaN to +0. .relu: below 0 to +0, NaN stays. None.
enum class Clamp : uint8_t { None, Sat, Relu };

template <class F, Clamp C>
inline typename F::Word clampBits(typename F::Word W) {
  if constexpr (C == Clamp::Sat) {
    if (F::isNaN(W) || (W & F::Sign))
      return 0;
    return W > F::One ? F::One : W;
  }
  if constexpr (C == Clamp::Relu)
    return (W & F::Sign) && !F::isNaN(W) ? typename F::Word(0) : W;
  return W;
}

} // namespace sluice::emulator

#endif
