// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// f16 and bf16 arithmetic, single and in pairs: add, sub, mul and fma, rounded
/// once. NaN results are 0x7fff.

#include "LaneArithmetic.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

template <class Op, class F, bool Ftz, Clamp C>
LaneFunction singleOrPair(bool Pair) {
  constexpr unsigned N = Op::Operands;
  constexpr LaneEvaluator Single = arithmetic<Op, F, Round::Nearest, Ftz, C>;
  return {Pair ? pairwise<Single, N, 16> : Single, N, 1, Pair ? 32u : 16u};
}

template <class Op, class F>
LaneFunction halfFor(LaneOpcode &Opcode, bool Pair) {
  Opcode.take("rn"); // The only rounding, and the default.
  bool Ftz = Opcode.take("ftz"), Sat = Opcode.take("sat"),
       Relu = Opcode.take("relu");
  if (!Opcode.done() || (Sat && Relu))
    return noLaneFunction();
  return withBool(Ftz, [&](auto Z) {
    if (Sat)
      return singleOrPair<Op, F, Z(), Clamp::Sat>(Pair);
    if (Relu)
      return singleOrPair<Op, F, Z(), Clamp::Relu>(Pair);
    return singleOrPair<Op, F, Z(), Clamp::None>(Pair);
  });
}

template <class F> LaneFunction halfNamed(LaneOpcode &Op, bool Pair) {
  if (Op.Name == "add")
    return halfFor<AddOp, F>(Op, Pair);
  if (Op.Name == "sub")
    return halfFor<SubOp, F>(Op, Pair);
  if (Op.Name == "mul")
    return halfFor<MulOp, F>(Op, Pair);
  if (Op.Name == "fma")
    return halfFor<FmaOp, F>(Op, Pair);
  return noLaneFunction();
}

} // namespace

LaneFunction sluice::emulator::resolveHalf(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  bool Pair = Type.consume_back("x2");
  if (Type == "f16")
    return halfNamed<F16>(Op, Pair);
  if (Type == "bf16")
    return halfNamed<BF16>(Op, Pair);
  return noLaneFunction();
}
