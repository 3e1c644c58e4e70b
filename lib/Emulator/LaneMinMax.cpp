// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Minima and maxima, absolute value and negation of the floating formats.

#include "LaneArithmetic.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// What -0 < +0 and the numbers' order look like as integers.
template <class F> int64_t orderOf(typename F::Word W) {
  using Signed = std::make_signed_t<typename F::Word>;
  auto Bits = Signed(W);
  return Bits < 0 ? -int64_t(W & ~F::Sign) - 1 : int64_t(Bits);
}

template <class F> typename F::Word canonical(typename F::Word A) {
  if constexpr (IsF64<F>) // Payloads are kept.
    return A | (uint64_t(1) << 51);
  return F::NaN;
}

/// Without \p PropagateNaN a NaN gives way to the other operand.
template <class F, bool Maximum, bool PropagateNaN>
typename F::Word choose(typename F::Word A, typename F::Word B) {
  bool ANaN = F::isNaN(A), BNaN = F::isNaN(B);
  if (LLVM_UNLIKELY(ANaN || BNaN)) {
    if (PropagateNaN || (ANaN && BNaN))
      return canonical<F>(BNaN ? B : A);
    return ANaN ? B : A;
  }
  bool ALess = orderOf<F>(A) < orderOf<F>(B);
  return ALess == Maximum ? B : A;
}

enum class SignOf { Result, XorOfOperands, Positive };

template <class F, bool Maximum, bool PropagateNaN, bool Ftz, SignOf S,
          unsigned N>
uint64_t extremum(uint64_t *O) {
  using Word = typename F::Word;
  Word Result = 0, Signs = 0;
  for (unsigned I = 0; I < N; ++I) {
    Word W = Ftz ? F::flush(Word(O[I])) : Word(O[I]);
    Signs ^= W & F::Sign;
    if (S != SignOf::Result)
      W &= Word(~F::Sign);
    Result = I == 0 ? W : choose<F, Maximum, PropagateNaN>(Result, W);
  }
  if (S == SignOf::XorOfOperands && !F::isNaN(Result))
    Result |= Signs;
  return Result;
}

template <class F, bool Maximum, bool NaN, bool Ftz, SignOf S>
LaneFunction extremumOf(unsigned N, bool Pair) {
  constexpr LaneEvaluator Two = extremum<F, Maximum, NaN, Ftz, S, 2>;
  if constexpr (F::Total == 16)
    return {Pair ? pairwise<Two, 2, 16> : Two, 2, 1, Pair ? 32u : 16u};
  else
    return {N == 3 ? extremum<F, Maximum, NaN, Ftz, S, 3> : Two, N, 1,
            F::Total};
}

template <class F> LaneFunction extremumFor(LaneOpcode Op, bool Pair) {
  bool Three = Op.Name.ends_with("3");
  bool Maximum = Op.Name.starts_with("max");
  bool NaN = Op.take("NaN"), Ftz = !IsF64<F> && Op.take("ftz");
  bool XorSign = !Three && Op.take("xorsign"), Abs = Op.take("abs");
  // min.NaN.f64 is no instruction; llvm.minimum.f64 is made of it.
  if (!Op.done() || (XorSign != Abs && !Three) ||
      (Three && F::Mantissa != F32::Mantissa) || (IsF64<F> && Abs))
    return noLaneFunction();
  unsigned N = Three ? 3 : 2;
  return withBool(Maximum, [&](auto X) {
    return withBool(NaN, [&](auto P) {
      return withBool(Ftz, [&](auto Z) {
        if (XorSign)
          return extremumOf<F, X(), P(), Z(), SignOf::XorOfOperands>(N, Pair);
        if (Abs)
          return extremumOf<F, X(), P(), Z(), SignOf::Positive>(N, Pair);
        return extremumOf<F, X(), P(), Z(), SignOf::Result>(N, Pair);
      });
    });
  });
}

// An addition on the hardware: NaN becomes the canonical one; in f64 it keeps
// its sign and payload and becomes quiet (measured on an H100, edge-values.cu).
template <class F, bool Negate, bool Ftz> uint64_t changeSign(uint64_t *O) {
  using Word = typename F::Word;
  Word W = Ftz ? F::flush(Word(O[0])) : Word(O[0]);
  if (F::isNaN(W))
    return IsF64<F> ? Word(W | Word(1) << (F::Mantissa - 1)) : F::NaN;
  return Word(Negate ? W ^ F::Sign : W & ~F::Sign);
}
template <class F> LaneFunction signFor(LaneOpcode Op, bool Pair) {
  bool Ftz = !IsF64<F> && Op.take("ftz");
  if (!Op.done())
    return noLaneFunction();
  return withBool(Op.Name == "neg", [&](auto Negate) {
    return withBool(Ftz, [&](auto Z) {
      constexpr LaneEvaluator E = changeSign<F, Negate(), Z()>;
      if constexpr (F::Total == 16)
        if (Pair)
          return LaneFunction{pairwise<E, 1, 16>, 1, 1, 32};
      return LaneFunction{E, 1, 1, F::Total};
    });
  });
}

} // namespace

LaneFunction sluice::emulator::resolveFloatMinMax(LaneOpcode Op) {
  bool MinMax = Op.Name == "min" || Op.Name == "max" || Op.Name == "min3" ||
                Op.Name == "max3";
  if (!MinMax && Op.Name != "abs" && Op.Name != "neg")
    return noLaneFunction();
  auto with = [&](auto F, bool Pair) {
    using Kind = decltype(F);
    return MinMax ? extremumFor<Kind>(Op, Pair) : signFor<Kind>(Op, Pair);
  };
  StringRef Type = Op.takeLast();
  if (Type == "f32")
    return with(F32(), false);
  if (Type == "f64")
    return with(F64(), false);
  bool Pair = Type.consume_back("x2");
  if (Type == "f16")
    return with(F16(), Pair);
  if (Type == "bf16")
    return with(BF16(), Pair);
  return noLaneFunction();
}
