// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// setp, selp, slct, testp and copysign.

#include "LaneCompare.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

/// setp has always two results: q is the comparison's opposite, combined in the
/// same way. Who wants only p ignores it.
template <class Order> struct SetPredicate {
  template <unsigned Mask, Combine C> struct Function {
    static uint64_t run(uint64_t *O) {
      constexpr unsigned N = C == Combine::None ? 2 : 3;
      bool Holds = Order::of(O[0], O[1]) & Mask;
      uint64_t With = N == 3 ? O[2] : 0;
      O[N] = combine(C, !Holds, With);
      return combine(C, Holds, With);
    }
  };
};
/// Of f16x2 and bf16x2: p is of the low halves, q of the high ones.
template <class Order> struct SetPairPredicate {
  template <unsigned Mask, Combine C> struct Function {
    static uint64_t run(uint64_t *O) {
      constexpr unsigned N = C == Combine::None ? 2 : 3;
      bool Low = Order::of(O[0] & 0xffff, O[1] & 0xffff) & Mask;
      bool High = Order::of(O[0] >> 16 & 0xffff, O[1] >> 16 & 0xffff) & Mask;
      uint64_t With = N == 3 ? O[2] : 0;
      O[N] = combine(C, High, With);
      return combine(C, Low, With);
    }
  };
};

template <class T> uint64_t select(uint64_t *O) {
  return T(O[2] & 1 ? O[0] : O[1]);
}
/// slct: a if c >= 0, else b; a NaN is not >= 0.
template <class T, class Order> uint64_t selectBySign(uint64_t *O) {
  return T(Order::of(O[2], 0) & (Greater | Equal) ? O[0] : O[1]);
}

template <class Make> LaneFunction forWord(StringRef Type, Make make) {
  static constexpr StringRef Words16[] = {"b16", "u16", "s16"};
  static constexpr StringRef Words32[] = {"b32", "u32", "s32", "f32"};
  static constexpr StringRef Words64[] = {"b64", "u64", "s64", "f64"};
  if (is_contained(Words16, Type))
    return make(uint16_t());
  if (is_contained(Words32, Type))
    return make(uint32_t());
  if (is_contained(Words64, Type))
    return make(uint64_t());
  return noLaneFunction();
}

/// Sign of a, the rest of b.
template <class F> uint64_t copySign(uint64_t *O) {
  using Word = typename F::Word;
  return (Word(O[0]) & F::Sign) | (Word(O[1]) & ~F::Sign);
}

enum class Property { Finite, Infinite, Number, NaN, Normal, Subnormal };
/// Zero counts as normal.
template <class F, Property P> uint64_t test(uint64_t *O) {
  typename F::Word W = typename F::Word(O[0]) & ~F::Sign;
  bool Subnormal = W != 0 && F::isSubnormal(W);
  switch (P) {
  case Property::Finite:
    return W < F::Infinity;
  case Property::Infinite:
    return W == F::Infinity;
  case Property::Number:
    return W <= F::Infinity;
  case Property::NaN:
    return W > F::Infinity;
  case Property::Normal:
    return W < F::Infinity && !Subnormal;
  case Property::Subnormal:
    return Subnormal;
  }
  return 0;
}
template <class F> LaneFunction testFor(LaneOpcode &Op) {
  static constexpr LaneEvaluator Tests[] = {
      test<F, Property::Finite>, test<F, Property::Infinite>,
      test<F, Property::Number>, test<F, Property::NaN>,
      test<F, Property::Normal>, test<F, Property::Subnormal>};
  int Number = Op.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  return Number < 0 ? noLaneFunction() : LaneFunction{Tests[Number], 1, 1, 1};
}

LaneFunction resolveSetPredicate(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  Comparison C = takeComparison(Op);
  bool Ftz = Op.take("ftz");
  if (!Op.done())
    return noLaneFunction();
  unsigned Operands = C.With == Combine::None ? 2 : 3;
  bool Pair = Type.ends_with("x2");
  return withOrder(Type, C, Ftz, [&](auto V) {
    using Order = decltype(V);
    if constexpr (Order::Bits == 16)
      if (Pair)
        return LaneFunction{
            pickComparison<SetPairPredicate<Order>::template Function>(
                C, AllMasks()),
            Operands, 2, 1};
    return LaneFunction{
        pickComparison<SetPredicate<Order>::template Function>(C, AllMasks()),
        Operands, 2, 1};
  });
}

} // namespace

LaneFunction sluice::emulator::resolveCompare(LaneOpcode Op) {
  StringRef Name = Op.Name;
  if (Name == "setp")
    return resolveSetPredicate(Op);
  if (Name == "set")
    return resolveSet(Op);
  StringRef Type = Op.takeLast();
  if (Name == "selp" && Op.done())
    return forWord(Type, [](auto V) {
      return LaneFunction{select<decltype(V)>, 3, 1, sizeof(V) * 8};
    });
  if (Name == "slct") {
    bool Ftz = Op.take("ftz");
    StringRef ResultType = Op.takeLast();
    if (!Op.done() || (Type != "s32" && Type != "f32") ||
        (Type == "s32" && Ftz))
      return noLaneFunction();
    return forWord(ResultType, [&](auto V) {
      using T = decltype(V);
      LaneEvaluator E = Type == "s32" ? selectBySign<T, IntegerOrder<int32_t>>
                        : Ftz         ? selectBySign<T, FloatOrder<F32, true>>
                                      : selectBySign<T, FloatOrder<F32, false>>;
      return LaneFunction{E, 3, 1, sizeof(V) * 8};
    });
  }
  bool Double = Type == "f64";
  if (!Double && Type != "f32")
    return noLaneFunction();
  LaneFunction Found;
  if (Name == "testp")
    Found = Double ? testFor<F64>(Op) : testFor<F32>(Op);
  else if (Name == "copysign")
    Found = {Double ? copySign<F64> : copySign<F32>, 2, 1, Double ? 64u : 32u};
  return Op.done() ? Found : noLaneFunction();
}
