// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// cvt between packed values: f16x2 and bf16x2 from two f32, the 8-, 6- and
/// 4-bit formats, and cvt.pack. The first operand goes to the upper part.

#include "LaneArithmetic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// A format without infinity, or with one that is never made: too large a value
/// becomes \p Largest (.satfinite). \p NaN is what a NaN becomes.
template <unsigned E, unsigned M, unsigned LargestCode, unsigned NaNCode>
struct SmallFormat {
  static constexpr unsigned Total = 1 + E + M;
  static constexpr unsigned Mantissa = M;
  static constexpr int Bias = (1 << (E - 1)) - 1;
  static constexpr unsigned Sign = 1u << (E + M);
  static constexpr unsigned Largest = LargestCode;
  static constexpr unsigned NaN = NaNCode;
};
// Codes from the OCP specifications of 8-bit and microscaling formats.
using E4M3 = SmallFormat<4, 3, 0x7e, 0x7f>;
using E5M2 = SmallFormat<5, 2, 0x7b, 0x7f>;
using E2M3 = SmallFormat<2, 3, 0x1f, 0x1f>; // These three have no NaN.
using E3M2 = SmallFormat<3, 2, 0x1f, 0x1f>;
using E2M1 = SmallFormat<2, 1, 0x7, 0x7>;

template <class S, bool Relu> unsigned encode(double Value) {
  if (std::isnan(Value))
    return S::NaN;
  bool Negative = std::signbit(Value);
  if (Relu && Negative)
    return 0;
  unsigned Code = S::Largest;
  if (!std::isinf(Value))
    Code = unsigned(std::min<uint64_t>(
        S::Largest,
        roundMagnitude<S::Mantissa, S::Bias, Round::Nearest>(Value)));
  return Code | (Negative ? S::Sign : 0);
}
/// As f16, which holds them all.
template <class S, bool Relu> uint16_t decode(unsigned Code) {
  unsigned Magnitude = Code & (S::Sign - 1);
  if (S::NaN != S::Largest) { // E4M3 and E5M2.
    if (S::Mantissa == 3 ? Magnitude == S::NaN : Magnitude > 0x7c)
      return F16::NaN;
    if (S::Mantissa == 2 && Magnitude == 0x7c) // E5M2's infinity.
      return Relu && Code & S::Sign ? 0 : (Code & S::Sign ? 0xfc00 : 0x7c00);
  }
  if (Relu && Code & S::Sign)
    return 0;
  unsigned Exponent = Magnitude >> S::Mantissa;
  unsigned Fraction = Magnitude & ((1u << S::Mantissa) - 1);
  if (Exponent)
    Fraction |= 1u << S::Mantissa;
  double Value = std::ldexp(double(Fraction), int(std::max(Exponent, 1u)) -
                                                  S::Bias - int(S::Mantissa));
  return roundTo<F16, Round::Nearest>(Code & S::Sign ? -Value : Value);
}

/// How many bits the two codes of a pair are apart.
template <class S> constexpr unsigned Step = S::Total == 4 ? 4 : 8;

template <class S, bool Relu> uint64_t singlesToSmall(uint64_t *O) {
  return encode<S, Relu>(toDouble<F32>(uint32_t(O[0]))) << Step<S> |
         encode<S, Relu>(toDouble<F32>(uint32_t(O[1])));
}
template <class S, class F, bool Relu> uint64_t halvesToSmall(uint64_t *O) {
  return encode<S, Relu>(toDouble<F>(uint16_t(O[0] >> 16))) << Step<S> |
         encode<S, Relu>(toDouble<F>(uint16_t(O[0])));
}
template <class S, bool Relu> uint64_t smallToHalves(uint64_t *O) {
  constexpr unsigned Mask = 2 * S::Sign - 1;
  return uint32_t(decode<S, Relu>(unsigned(O[0]) >> Step<S> & Mask)) << 16 |
         decode<S, Relu>(unsigned(O[0]) & Mask);
}

/// f16x2 and bf16x2 of two f32.
template <class F, Round R, bool Relu, bool Finite>
uint16_t narrow(uint64_t Bits) {
  double Value = toDouble<F32>(uint32_t(Bits));
  uint16_t Result = roundTo<F, R>(Value);
  if (Finite && (Result & ~F::Sign) == F::Infinity)
    --Result;
  return clampBits<F, Relu ? Clamp::Relu : Clamp::None>(Result);
}
template <class F, Round R, bool Relu, bool Finite>
uint64_t singlesToHalves(uint64_t *O) {
  return uint32_t(narrow<F, R, Relu, Finite>(O[0])) << 16 |
         narrow<F, R, Relu, Finite>(O[1]);
}

/// ue8m0: a power of two alone, 2^(code - 127); 0xff is NaN. Signs are dropped.
/// rp rounds up to the next power, rz down; the least code stands for all that
/// is smaller.
template <bool Up> unsigned toScale(double Value) {
  if (std::isnan(Value))
    return 0xff;
  Value = std::fabs(Value);
  if (std::isinf(Value))
    return 0xfe;
  if (Value == 0)
    return 0;
  int Exponent;
  double Fraction = std::frexp(Value, &Exponent); // in [0.5, 1)
  Exponent += 126 + (Up && Fraction > 0.5);
  return unsigned(std::clamp(Exponent, 0, 0xfe));
}
template <bool Up> uint64_t singlesToScales(uint64_t *O) {
  return toScale<Up>(toDouble<F32>(uint32_t(O[0]))) << 8 |
         toScale<Up>(toDouble<F32>(uint32_t(O[1])));
}
template <bool Up> uint64_t halvesToScales(uint64_t *O) {
  return toScale<Up>(toDouble<BF16>(uint16_t(O[0] >> 16))) << 8 |
         toScale<Up>(toDouble<BF16>(uint16_t(O[0])));
}
uint64_t scalesToHalves(uint64_t *O) {
  auto one = [](unsigned Code) -> uint32_t {
    if (Code == 0xff)
      return BF16::NaN;
    return Code ? Code << 7 : 0x40; // 2^-127 is subnormal.
  };
  return one(O[0] >> 8 & 0xff) << 16 | one(O[0] & 0xff);
}

template <class S>
LaneFunction smallFor(LaneOpcode &Op, StringRef Other, bool ToSmall) {
  constexpr unsigned Bits = 2 * Step<S>;
  Op.take("rn");
  bool Relu = Op.take("relu");
  if (!ToSmall)
    return Other == "f16x2" ? LaneFunction{Relu ? smallToHalves<S, true>
                                                : smallToHalves<S, false>,
                                           1, 1, 32}
                            : noLaneFunction();
  Op.take("satfinite"); // It is always there.
  if (Other == "f32")
    return {Relu ? singlesToSmall<S, true> : singlesToSmall<S, false>, 2, 1,
            Bits};
  if (Other == "f16x2")
    return {Relu ? halvesToSmall<S, F16, true> : halvesToSmall<S, F16, false>,
            1, 1, Bits};
  if (Other == "bf16x2")
    return {Relu ? halvesToSmall<S, BF16, true> : halvesToSmall<S, BF16, false>,
            1, 1, Bits};
  return noLaneFunction();
}
LaneFunction smallNamed(LaneOpcode &Op, StringRef Small, StringRef Other,
                        bool ToSmall) {
  if (Small == "e4m3x2")
    return smallFor<E4M3>(Op, Other, ToSmall);
  if (Small == "e5m2x2")
    return smallFor<E5M2>(Op, Other, ToSmall);
  if (Small == "e2m3x2")
    return smallFor<E2M3>(Op, Other, ToSmall);
  if (Small == "e3m2x2")
    return smallFor<E3M2>(Op, Other, ToSmall);
  if (Small == "e2m1x2")
    return smallFor<E2M1>(Op, Other, ToSmall);
  return noLaneFunction();
}

LaneFunction scalesFor(LaneOpcode &Op, StringRef From) {
  Op.take("satfinite");
  int Up = Op.takeOneOf({"rz", "rp"});
  if (Up < 0)
    return noLaneFunction();
  if (From == "f32")
    return {Up ? singlesToScales<true> : singlesToScales<false>, 2, 1, 16};
  if (From == "bf16x2")
    return {Up ? halvesToScales<true> : halvesToScales<false>, 1, 1, 16};
  return noLaneFunction();
}

template <class F> LaneFunction halvesFor(LaneOpcode &Op) {
  bool Relu = Op.take("relu"), Finite = Op.take("satfinite");
  return withRounding(Op, -1, [&](auto R) {
    return withBool(Relu, [&](auto U) {
      return withBool(Finite, [&](auto S) {
        return LaneFunction{singlesToHalves<F, R(), U(), S()>, 2, 1, 32};
      });
    });
  });
}

/// cvt.pack: a and b saturated to \p Bits bits, a above b, and c above both.
template <unsigned Bits, bool Signed> uint64_t pack(uint64_t *O) {
  constexpr int64_t High = (int64_t(1) << (Signed ? Bits - 1 : Bits)) - 1;
  constexpr int64_t Low = Signed ? -High - 1 : 0;
  constexpr uint32_t Mask = (1u << Bits) - 1;
  auto saturated = [=](uint64_t W) {
    return uint32_t(std::clamp<int64_t>(int32_t(W), Low, High)) & Mask;
  };
  uint32_t Result = saturated(O[0]) << Bits | saturated(O[1]);
  if constexpr (Bits < 16)
    Result |= uint32_t(O[2]) << 2 * Bits;
  return Result;
}
LaneFunction resolvePack(LaneOpcode &Op) {
  if (!Op.take("sat"))
    return noLaneFunction();
  bool Third = Op.take("b32");
  if (!Op.take("s32"))
    return noLaneFunction();
  int Kind = Op.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (Kind < 0 || !Op.done() || Third != (Kind > 1))
    return noLaneFunction();
  static constexpr LaneEvaluator Packs[] = {
      pack<16, false>, pack<16, true>, pack<8, false>, pack<8, true>,
      pack<4, false>,  pack<4, true>,  pack<2, false>, pack<2, true>};
  return {Packs[Kind], Third ? 3u : 2u, 1, 32};
}

} // namespace

LaneFunction sluice::emulator::resolvePackedConversion(LaneOpcode Op) {
  if (Op.Name != "cvt")
    return noLaneFunction();
  if (Op.take("pack"))
    return resolvePack(Op);
  StringRef From = Op.takeLast(), To = Op.takeLast();
  LaneFunction Found;
  if (To == "f16x2" && From == "f32")
    Found = halvesFor<F16>(Op);
  else if (To == "bf16x2" && From == "f32")
    Found = halvesFor<BF16>(Op);
  else if (To == "ue8m0x2")
    Found = scalesFor(Op, From);
  else if (From == "ue8m0x2") {
    Op.take("rn");
    if (To == "bf16x2")
      Found = {scalesToHalves, 1, 1, 32};
  } else if (To.starts_with("e"))
    Found = smallNamed(Op, To, From, true);
  else if (From.starts_with("e"))
    Found = smallNamed(Op, From, To, false);
  return Op.done() ? Found : noLaneFunction();
}
