// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Floating-point operations, each as a native one for the common rounding and
/// as a double from which every other rounding follows; see LaneFloat.h.

#ifndef SLUICE_LIB_EMULATOR_LANEARITHMETIC_H
#define SLUICE_LIB_EMULATOR_LANEARITHMETIC_H

#include "LaneFloat.h"
#include "LaneOpcode.h"
#include <type_traits>
#include <utility>

namespace sluice::emulator {

/// An exact sum in the form that rounds to \p R. Zero from unlike signs is -0
/// when rounding down, +0 otherwise (IEEE 754, 6.3).
inline double sumFor(Round R, double A, double B) {
  double Sum = addToOdd(A, B);
  if (R == Round::Down && Sum == 0 &&
      (A != 0 || std::signbit(A) != std::signbit(B)))
    return -0.0;
  return Sum;
}

enum class Directed { Add, Sub, Mul, Div, Fma, Sqrt };
/// f64 rounded other than to nearest; in LaneFloats.cpp.
uint64_t directed64(Directed Op, Round R, uint64_t A, uint64_t B, uint64_t C);

struct AddOp {
  static constexpr unsigned Operands = 2;
  static constexpr Directed Kind = Directed::Add;
  template <class T> static T native(const T *V) { return V[0] + V[1]; }
  static double exact(const double *V, Round R) {
    return sumFor(R, V[0], V[1]);
  }
};
struct SubOp {
  static constexpr unsigned Operands = 2;
  static constexpr Directed Kind = Directed::Sub;
  template <class T> static T native(const T *V) { return V[0] - V[1]; }
  static double exact(const double *V, Round R) {
    return sumFor(R, V[0], -V[1]);
  }
};
struct MulOp {
  static constexpr unsigned Operands = 2;
  static constexpr Directed Kind = Directed::Mul;
  template <class T> static T native(const T *V) { return V[0] * V[1]; }
  static double exact(const double *V, Round) { return V[0] * V[1]; }
};
struct FmaOp {
  static constexpr unsigned Operands = 3;
  static constexpr Directed Kind = Directed::Fma;
  static double native(const double *V) { return std::fma(V[0], V[1], V[2]); }
  static float native(const float *V) {
    return float(addToOdd(double(V[0]) * double(V[1]), V[2]));
  }
  static double exact(const double *V, Round R) {
    return sumFor(R, V[0] * V[1], V[2]);
  }
};
struct DivOp {
  static constexpr unsigned Operands = 2;
  static constexpr Directed Kind = Directed::Div;
  template <class T> static T native(const T *V) { return V[0] / V[1]; }
  static double exact(const double *V, Round) { return V[0] / V[1]; }
};
struct RcpOp {
  static constexpr unsigned Operands = 1;
  static constexpr Directed Kind = Directed::Div; // of 1 by the operand
  template <class T> static T native(const T *V) { return T(1) / V[0]; }
  static double exact(const double *V, Round) { return 1 / V[0]; }
};
struct SqrtOp {
  static constexpr unsigned Operands = 1;
  static constexpr Directed Kind = Directed::Sqrt;
  static float native(const float *V) { return std::sqrt(V[0]); }
  static double native(const double *V) { return std::sqrt(V[0]); }
  static double exact(const double *V, Round) { return std::sqrt(V[0]); }
};

/// f64: the last operand that is NaN decides, made quiet; \p Otherwise if none
/// is (measured: edge-values.cu).
template <class F, unsigned N>
typename F::Word lastNaN(const typename F::Word *W,
                         typename F::Word Otherwise) {
  for (unsigned I = N; I--;)
    if (F::isNaN(W[I]))
      return W[I] | typename F::Word(1) << (F::Mantissa - 1);
  return Otherwise;
}

/// One operation in one format. -ffp-contract must not join what is here: the
/// products and sums of native() stand alone in their functions.
template <class Op, class F, Round R, bool Ftz, Clamp C>
uint64_t arithmetic(uint64_t *O) {
  using Word = typename F::Word;
  constexpr unsigned N = Op::Operands;
  Word W[N];
  for (unsigned I = 0; I < N; ++I)
    W[I] = Ftz ? F::flush(Word(O[I])) : Word(O[I]);
  Word Result;
  if constexpr (IsF64<F> && R != Round::Nearest) {
    if constexpr (std::is_same_v<Op, RcpOp>)
      Result = directed64(Op::Kind, R, F64::One, W[0], 0);
    else
      Result = directed64(Op::Kind, R, W[0], N > 1 ? W[N > 1] : 0,
                          N > 2 ? W[N - 1] : 0);
    if (F::isNaN(Result))
      Result = lastNaN<F, N>(W, F::Sign | F::Infinity |
                                    Word(1) << (F::Mantissa - 1));
  } else if constexpr (sizeof(Word) >= 4 && R == Round::Nearest) {
    using T = std::conditional_t<IsF64<F>, double, float>;
    T V[N];
    for (unsigned I = 0; I < N; ++I)
      V[I] = llvm::bit_cast<T>(W[I]);
    Result = llvm::bit_cast<Word>(Op::native(V));
    if (F::isNaN(Result)) {
      if (!IsF64<F>)
        Result = F::NaN;
      else if constexpr (!std::is_same_v<Op, DivOp>)
        Result = lastNaN<F, N>(W, Result);
    }
    if constexpr (Ftz && !IsF64<F>)
      if ((Result & ~F::Sign) <= Word(1) << F::Mantissa) {
        double Wide[N];
        for (unsigned I = 0; I < N; ++I)
          Wide[I] = double(V[I]);
        Result = flushResult<F, R>(Result, Op::exact(Wide, R));
      }
  } else {
    double V[N];
    for (unsigned I = 0; I < N; ++I)
      V[I] = toDouble<F>(W[I]);
    double Exact = Op::exact(V, R);
    Result = roundTo<F, R>(Exact);
    if (Ftz)
      Result = flushResult<F, R>(Result, Exact);
  }
  return clampBits<F, C>(Result);
}

/// The same on both halves of packed words of 2 * Bits bits.
template <LaneEvaluator E, unsigned N, unsigned Bits>
uint64_t pairwise(uint64_t *O) {
  constexpr uint64_t Mask = (uint64_t(1) << Bits) - 1;
  uint64_t Low[N], High[N];
  for (unsigned I = 0; I < N; ++I) {
    Low[I] = O[I] & Mask;
    High[I] = O[I] >> Bits & Mask;
  }
  uint64_t LowResult = E(Low);
  return LowResult | E(High) << Bits;
}

/// make(integral_constant) with the rounding named in the opcode; \p Default is
/// taken if none is.
template <class Make>
LaneFunction withRounding(LaneOpcode &Op, int Default, Make make) {
  int Number = Op.takeOneOf({"rn", "rz", "rm", "rp"});
  switch (Number < 0 ? Default : Number) {
  case 0:
    return make(std::integral_constant<Round, Round::Nearest>());
  case 1:
    return make(std::integral_constant<Round, Round::Zero>());
  case 2:
    return make(std::integral_constant<Round, Round::Down>());
  case 3:
    return make(std::integral_constant<Round, Round::Up>());
  default:
    return noLaneFunction();
  }
}
/// make(F()) with the format of the type named f16, bf16, f32 or f64.
template <class Make> LaneFunction forFloat(llvm::StringRef Type, Make make) {
  if (Type == "f16")
    return make(F16());
  if (Type == "bf16")
    return make(BF16());
  if (Type == "f32")
    return make(F32());
  if (Type == "f64")
    return make(F64());
  return noLaneFunction();
}
template <class Make> LaneFunction withBool(bool Value, Make make) {
  return Value ? make(std::true_type()) : make(std::false_type());
}

} // namespace sluice::emulator

#endif
