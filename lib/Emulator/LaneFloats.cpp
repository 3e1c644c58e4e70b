// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// f32 and f64 arithmetic that IEEE 754 defines: add, sub, mul, fma, div, rcp
/// and sqrt in every rounding; pairs of f32; sums of mixed formats.
///
/// f32 NaN results are 0x7fffffff. In f64 the last operand that is NaN decides;
/// of a division the first (lastNaN in LaneArithmetic.h).

#include "LaneArithmetic.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

RoundingMode modeOf(Round R) {
  switch (R) {
  case Round::Zero:
    return RoundingMode::TowardZero;
  case Round::Down:
    return RoundingMode::TowardNegative;
  case Round::Up:
    return RoundingMode::TowardPositive;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}

/// The root to nearest, moved one unit if it lies on the wrong side: the sign
/// of Root^2 - A, which fma computes without error, says where it lies.
uint64_t directedSqrt(Round R, uint64_t Bits) {
  double A = bit_cast<double>(Bits);
  if (!(A > 0) || std::isinf(A))
    return bit_cast<uint64_t>(std::sqrt(A));
  // Away from subnormals, so that the error is representable.
  bool Small = A < 0x1p-900;
  double Scaled = Small ? A * 0x1p108 : A;
  double Root = std::sqrt(Scaled);
  double Above = std::fma(Root, Root, -Scaled);
  uint64_t Result = bit_cast<uint64_t>(Root);
  if (R == Round::Up && Above < 0)
    ++Result;
  else if (R != Round::Up && Above > 0)
    --Result;
  return Small ? bit_cast<uint64_t>(bit_cast<double>(Result) * 0x1p-54)
               : Result;
}

/// f is F32, F16 or BF16: d = a op b in f32, with a (and fma's b) in \p F.
template <class Op, class F, Round R, bool Sat> uint64_t mixed(uint64_t *O) {
  constexpr unsigned N = Op::Operands;
  double V[N];
  for (unsigned I = 0; I + 1 < N; ++I)
    V[I] = toDouble<F>(typename F::Word(O[I]));
  V[N - 1] = toDouble<F32>(uint32_t(O[N - 1]));
  return clampBits<F32, Sat ? Clamp::Sat : Clamp::None>(
      roundTo<F32, R>(Op::exact(V, R)));
}

template <class Op> LaneFunction mixedFor(LaneOpcode &Opcode, bool Brain) {
  bool Sat = Opcode.take("sat");
  return withRounding(Opcode, 0, [&](auto R) {
    return withBool(Sat, [&](auto S) {
      return withBool(Brain, [&](auto B) {
        using F = std::conditional_t<B(), BF16, F16>;
        return LaneFunction{mixed<Op, F, R(), S()>, Op::Operands, 1, 32};
      });
    });
  });
}

/// The IEEE forms for f32, f32x2 and f64. \p MaySaturate: .sat exists.
template <class Op, bool MaySaturate>
LaneFunction ieeeFor(LaneOpcode &Opcode, StringRef Type, int DefaultRounding) {
  constexpr unsigned N = Op::Operands;
  if (Type == "f64")
    return withRounding(Opcode, DefaultRounding, [&](auto R) {
      return LaneFunction{arithmetic<Op, F64, R(), false, Clamp::None>, N, 1,
                          64};
    });
  bool Ftz = Opcode.take("ftz");
  if (Type == "f32x2")
    return withRounding(Opcode, DefaultRounding, [&](auto R) {
      return withBool(Ftz, [&](auto Z) {
        return LaneFunction{
            pairwise<arithmetic<Op, F32, R(), Z(), Clamp::None>, N, 32>, N, 1,
            64};
      });
    });
  bool Sat = MaySaturate && Opcode.take("sat");
  return withRounding(Opcode, DefaultRounding, [&](auto R) {
    return withBool(Ftz, [&](auto Z) {
      if constexpr (MaySaturate)
        if (Sat)
          return LaneFunction{arithmetic<Op, F32, R(), Z(), Clamp::Sat>, N, 1,
                              32};
      return LaneFunction{arithmetic<Op, F32, R(), Z(), Clamp::None>, N, 1, 32};
    });
  });
}

} // namespace

uint64_t sluice::emulator::directed64(Directed Op, Round R, uint64_t A,
                                      uint64_t B, uint64_t C) {
  if (Op == Directed::Sqrt)
    return directedSqrt(R, A);
  auto make = [](uint64_t Bits) {
    return APFloat(APFloat::IEEEdouble(), APInt(64, Bits));
  };
  APFloat Value = make(A);
  RoundingMode Mode = modeOf(R);
  switch (Op) {
  case Directed::Add:
    Value.add(make(B), Mode);
    break;
  case Directed::Sub:
    Value.subtract(make(B), Mode);
    break;
  case Directed::Mul:
    Value.multiply(make(B), Mode);
    break;
  case Directed::Div:
    Value.divide(make(B), Mode);
    break;
  case Directed::Fma:
    Value.fusedMultiplyAdd(make(B), make(C), Mode);
    break;
  case Directed::Sqrt:
    break;
  }
  return Value.bitcastToAPInt().getZExtValue();
}

LaneFunction sluice::emulator::resolveFloat(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  StringRef Name = Op.Name;
  LaneFunction Found;
  if (Type == "f16" || Type == "bf16") { // add.rn.f32.f16
    if (!Op.take("f32"))
      return noLaneFunction();
    if (Name == "add")
      Found = mixedFor<AddOp>(Op, Type == "bf16");
    else if (Name == "sub")
      Found = mixedFor<SubOp>(Op, Type == "bf16");
    else if (Name == "fma")
      Found = mixedFor<FmaOp>(Op, Type == "bf16");
    return Op.done() ? Found : noLaneFunction();
  }
  bool Pair = Type == "f32x2";
  if (Type != "f32" && Type != "f64" && !Pair)
    return noLaneFunction();
  // Without a modifier add, sub and mul round to nearest; the others need one.
  if (Name == "add")
    Found = ieeeFor<AddOp, true>(Op, Type, 0);
  else if (Name == "sub")
    Found = ieeeFor<SubOp, true>(Op, Type, 0);
  else if (Name == "mul")
    Found = ieeeFor<MulOp, true>(Op, Type, 0);
  else if (Name == "fma" || (Name == "mad" && !Pair))
    Found = ieeeFor<FmaOp, true>(Op, Type, Name == "mad" ? 0 : -1);
  else if (Name == "div" && !Pair)
    Found = ieeeFor<DivOp, false>(Op, Type, -1);
  else if (Name == "rcp" && !Pair)
    Found = ieeeFor<RcpOp, false>(Op, Type, -1);
  else if (Name == "sqrt" && !Pair)
    Found = ieeeFor<SqrtOp, false>(Op, Type, -1);
  return Op.done() ? Found : noLaneFunction();
}
