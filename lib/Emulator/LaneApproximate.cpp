// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The .approx and .full instructions: computed in double precision, rounded.
/// Special operands give what the tables of the PTX ISA say, which is what the
/// C library gives for them.

#include "LaneArithmetic.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

struct Divide {
  static constexpr unsigned Operands = 2;
  static double of(const double *V) { return V[0] / V[1]; }
};
/// div.approx: the reciprocal of a divisor beyond 2^126 counts as zero.
struct DivideApproximately {
  static constexpr unsigned Operands = 2;
  static double of(const double *V) {
    double Size = std::fabs(V[1]);
    if (Size > 0x1p126 && Size < 0x1p128)
      return V[0] * std::copysign(0.0, V[1]);
    return V[0] / V[1];
  }
};
struct Reciprocal {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return 1 / V[0]; }
};
struct Root {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return std::sqrt(V[0]); }
};
struct ReciprocalRoot {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return 1 / std::sqrt(V[0]); }
};
struct Sine {
  static constexpr unsigned Operands = 1;
  // Subnormal angles count as zero, with or without .ftz.
  static double of(const double *V) {
    return std::fabs(V[0]) < 0x1p-126 ? V[0] * 0 : std::sin(V[0]);
  }
};
struct Cosine {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return std::cos(V[0]); }
};
struct LogBase2 {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return std::log2(V[0]); }
};
struct Exp2 {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return std::exp2(V[0]); }
};
struct Tanh {
  static constexpr unsigned Operands = 1;
  static double of(const double *V) { return std::tanh(V[0]); }
};

template <class Op, class F, bool Ftz> uint64_t approximate(uint64_t *O) {
  using Word = typename F::Word;
  double V[Op::Operands];
  for (unsigned I = 0; I < Op::Operands; ++I)
    V[I] = toDouble<F>(Ftz ? F::flush(Word(O[I])) : Word(O[I]));
  double Exact = Op::of(V);
  if constexpr (IsF64<F>) {
    auto Result = bit_cast<Word>(Exact);
    return Ftz ? F::flush(Result) : Result;
  } else {
    Word Result = roundTo<F, Round::Nearest>(Exact);
    return Ftz ? flushResult<F, Round::Nearest>(Result, Exact) : Result;
  }
}

/// rcp and rsqrt.approx.ftz.f64 read and write the high words only.
template <class Op> uint64_t highWord(uint64_t *O) {
  constexpr uint64_t High = 0xffffffff00000000;
  uint64_t A = O[0] & High;
  return approximate<Op, F64, true>(&A) & High;
}

template <class Op, class F>
LaneFunction approximateIn(bool Ftz, bool Pair = false) {
  constexpr unsigned N = Op::Operands;
  return withBool(Ftz, [&](auto Z) {
    constexpr LaneEvaluator E = approximate<Op, F, Z()>;
    if constexpr (F::Total == 16)
      if (Pair)
        return LaneFunction{pairwise<E, N, 16>, N, 1, 32};
    return LaneFunction{E, N, 1, F::Total};
  });
}

template <class Op> LaneFunction halfOrSingle(StringRef Type, bool Ftz) {
  bool Pair = Type.consume_back("x2");
  if (Type == "f16")
    return approximateIn<Op, F16>(Ftz, Pair);
  if (Type == "bf16")
    return approximateIn<Op, BF16>(Ftz, Pair);
  return Type == "f32" && !Pair ? approximateIn<Op, F32>(Ftz)
                                : noLaneFunction();
}

} // namespace

LaneFunction sluice::emulator::resolveApproximate(LaneOpcode Op) {
  StringRef Name = Op.Name, Type = Op.takeLast();
  bool Ftz = Op.take("ftz");
  bool Full = Name == "div" && Op.take("full");
  if ((!Full && !Op.take("approx")) || !Op.done())
    return noLaneFunction();
  if (Name == "ex2")
    return halfOrSingle<Exp2>(Type, Ftz);
  if (Name == "tanh")
    return halfOrSingle<Tanh>(Type, Ftz);
  if (Type == "f64") {
    if (Name == "rcp" && Ftz)
      return {highWord<Reciprocal>, 1, 1, 64};
    if (Name == "rsqrt")
      return {Ftz ? highWord<ReciprocalRoot>
                  : approximate<ReciprocalRoot, F64, false>,
              1, 1, 64};
    // No instruction, but an intrinsic has it.
    return Name == "lg2" ? approximateIn<LogBase2, F64>(Ftz) : noLaneFunction();
  }
  if (Type != "f32")
    return noLaneFunction();
  if (Name == "div")
    return Full ? approximateIn<Divide, F32>(Ftz)
                : approximateIn<DivideApproximately, F32>(Ftz);
  if (Name == "rcp")
    return approximateIn<Reciprocal, F32>(Ftz);
  if (Name == "sqrt")
    return approximateIn<Root, F32>(Ftz);
  if (Name == "rsqrt")
    return approximateIn<ReciprocalRoot, F32>(Ftz);
  if (Name == "sin")
    return approximateIn<Sine, F32>(Ftz);
  if (Name == "cos")
    return approximateIn<Cosine, F32>(Ftz);
  if (Name == "lg2")
    return approximateIn<LogBase2, F32>(Ftz);
  return noLaneFunction();
}
