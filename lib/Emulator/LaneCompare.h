// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Comparisons: how two operands lie (one of four outcomes), and which outcomes
/// satisfy an operator.

#ifndef SLUICE_LIB_EMULATOR_LANECOMPARE_H
#define SLUICE_LIB_EMULATOR_LANECOMPARE_H

#include "LaneArithmetic.h"
#include <array>

namespace sluice::emulator {

enum Outcome : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

/// An integer type's order.
template <class T> struct IntegerOrder {
  static constexpr unsigned Bits = sizeof(T) * 8;
  static constexpr uint32_t One = 1;
  static unsigned of(uint64_t A, uint64_t B) {
    return T(A) < T(B) ? Less : T(A) == T(B) ? Equal : Greater;
  }
};
/// A floating format's order; its values are doubles exactly.
template <class F, bool Ftz> struct FloatOrder {
  static constexpr unsigned Bits = F::Total;
  static constexpr uint32_t One = uint32_t(F::One);
  static unsigned of(uint64_t A, uint64_t B) {
    using Word = typename F::Word;
    double X = toDouble<F>(Ftz ? F::flush(Word(A)) : Word(A));
    double Y = toDouble<F>(Ftz ? F::flush(Word(B)) : Word(B));
    return X < Y ? Less : X == Y ? Equal : X > Y ? Greater : Unordered;
  }
};

/// .and, .or, .xor with a further predicate. None has no such operand.
enum class Combine { None, And, Or, Xor };

inline uint64_t combine(Combine C, bool Value, uint64_t With) {
  switch (C) {
  case Combine::None:
    return Value;
  case Combine::And:
    return Value && (With & 1);
  case Combine::Or:
    return Value || (With & 1);
  case Combine::Xor:
    return Value != bool(With & 1);
  }
  return Value;
}

/// A comparison as it is written.
struct Comparison {
  unsigned Mask = 0;  ///< The outcomes that satisfy it; 0: no such operator.
  bool Sign = true;   ///< lo, ls, hi, hs: of unsigned operands only.
  bool Float = false; ///< equ, num, ...: of floating operands only.
  Combine With = Combine::None;
};

/// Takes the operator and the combination out of \p Op.
inline Comparison takeComparison(LaneOpcode &Op) {
  struct Operator {
    llvm::StringLiteral Name;
    unsigned Mask;
  };
  static constexpr Operator Operators[] = {{"eq", Equal},
                                           {"ne", Less | Greater},
                                           {"lt", Less},
                                           {"le", Less | Equal},
                                           {"gt", Greater},
                                           {"ge", Greater | Equal},
                                           {"lo", Less},
                                           {"ls", Less | Equal},
                                           {"hi", Greater},
                                           {"hs", Greater | Equal},
                                           {"equ", Equal | Unordered},
                                           {"neu", Less | Greater | Unordered},
                                           {"ltu", Less | Unordered},
                                           {"leu", Less | Equal | Unordered},
                                           {"gtu", Greater | Unordered},
                                           {"geu", Greater | Equal | Unordered},
                                           {"num", Less | Equal | Greater},
                                           {"nan", Unordered}};
  Comparison Result;
  for (auto [Number, Known] : llvm::enumerate(Operators))
    if (Op.take(Known.Name)) {
      Result.Mask = Known.Mask;
      Result.Sign = Number < 6 || Number > 9;
      Result.Float = Number > 9;
      break;
    }
  Result.With = Combine(1 + Op.takeOneOf({"and", "or", "xor"}));
  return Result;
}

/// set; in LaneSet.cpp.
LaneFunction resolveSet(LaneOpcode Op);

/// make(Order()) for the type of the operands; null where the operator does not
/// compare that type. \p Ftz is used for f32, f16 and bf16.
template <class Make>
LaneFunction withOrder(llvm::StringRef Type, const Comparison &C, bool Ftz,
                       Make make) {
  bool Float = Type.contains('f');
  bool EqualityOnly = Type.starts_with("b") && !Float;
  if (C.Mask == 0 || (C.Float && !Float) ||
      (!C.Sign && !Type.starts_with("u")) || (Ftz && !Float) ||
      (EqualityOnly && C.Mask != Equal && C.Mask != (Less | Greater)))
    return noLaneFunction();
  if (Type == "b16" || Type == "u16")
    return make(IntegerOrder<uint16_t>());
  if (Type == "s16")
    return make(IntegerOrder<int16_t>());
  if (Type == "b32" || Type == "u32")
    return make(IntegerOrder<uint32_t>());
  if (Type == "s32")
    return make(IntegerOrder<int32_t>());
  if (Type == "b64" || Type == "u64")
    return make(IntegerOrder<uint64_t>());
  if (Type == "s64")
    return make(IntegerOrder<int64_t>());
  if (Type == "f64" && !Ftz)
    return make(FloatOrder<F64, false>());
  return withBool(Ftz, [&](auto Z) {
    if (Type == "f32")
      return make(FloatOrder<F32, Z()>());
    if (Type == "f16" || Type == "f16x2")
      return make(FloatOrder<F16, Z()>());
    if (Type == "bf16" || Type == "bf16x2")
      return make(FloatOrder<BF16, Z()>());
    return noLaneFunction();
  });
}

/// Function<Mask, Combine>::run for a mask and a combination known at run time.
/// After unordered bits are dropped an integer order has no more than 8 masks,
/// but 16 each keep this simple.
template <template <unsigned, Combine> class Function, unsigned... Masks>
LaneEvaluator pickComparison(const Comparison &C,
                             std::integer_sequence<unsigned, Masks...>) {
  static constexpr std::array<std::array<LaneEvaluator, 4>, sizeof...(Masks)>
      Table = {{{Function<Masks, Combine::None>::run,
                 Function<Masks, Combine::And>::run,
                 Function<Masks, Combine::Or>::run,
                 Function<Masks, Combine::Xor>::run}...}};
  return Table[C.Mask][unsigned(C.With)];
}
using AllMasks = std::make_integer_sequence<unsigned, 16>;

} // namespace sluice::emulator

#endif
