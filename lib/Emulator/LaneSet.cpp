// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// set: a comparison's result as a number. True is all ones in an integer and
/// 1.0 in a floating result.

#include "LaneCompare.h"

using namespace llvm;
using namespace sluice::emulator;

namespace {

template <class Order, uint32_t True> struct SetValue {
  template <unsigned Mask, Combine C> struct Function {
    static uint64_t run(uint64_t *O) {
      bool Holds = Order::of(O[0], O[1]) & Mask;
      return combine(C, Holds, C == Combine::None ? 0 : O[2]) ? True : 0;
    }
  };
};
/// The predicate operand is one, for both halves.
template <class Order, uint32_t True> struct SetPair {
  template <unsigned Mask, Combine C> struct Function {
    static uint64_t run(uint64_t *O) {
      bool Low = Order::of(O[0] & 0xffff, O[1] & 0xffff) & Mask;
      bool High = Order::of(O[0] >> 16 & 0xffff, O[1] >> 16 & 0xffff) & Mask;
      uint64_t With = C == Combine::None ? 0 : O[2];
      return (combine(C, Low, With) ? True : 0) |
             uint64_t(combine(C, High, With) ? True : 0) << 16;
    }
  };
};

template <class Order, uint32_t True, bool Pair>
LaneFunction setTo(const Comparison &C, unsigned Bits) {
  unsigned Operands = C.With == Combine::None ? 2 : 3;
  if constexpr (Pair)
    return {
        pickComparison<SetPair<Order, True>::template Function>(C, AllMasks()),
        Operands, 1, Bits};
  else
    return {
        pickComparison<SetValue<Order, True>::template Function>(C, AllMasks()),
        Operands, 1, Bits};
}

} // namespace

LaneFunction sluice::emulator::resolveSet(LaneOpcode Op) {
  StringRef Source = Op.takeLast(), Result = Op.takeLast();
  Comparison C = takeComparison(Op);
  bool Ftz = Op.take("ftz");
  if (!Op.done())
    return noLaneFunction();
  bool Pair = Source.ends_with("x2");
  bool Half = Source == "f16" || Source == "bf16";
  return withOrder(Source, C, Ftz, [&](auto V) {
    using Order = decltype(V);
    if (!Pair && (Result == "u32" || Result == "s32"))
      return setTo<Order, 0xffffffff, false>(C, 32);
    if (Result == "f32" && !Half && !Pair)
      return setTo<Order, F32::One, false>(C, 32);
    if constexpr (Order::Bits == 16) {
      if (Half && (Result == "u16" || Result == "s16"))
        return setTo<Order, 0xffff, false>(C, 16);
      if (Half && Result == Source)
        return setTo<Order, Order::One, false>(C, 16);
      // set.lt.f16x2.f16x2, and the masks of set.lt.u32.f16x2.
      if (Pair && (Result == "u32" || Result == "s32"))
        return setTo<Order, 0xffff, true>(C, 32);
      if (Pair && Result == Source)
        return setTo<Order, Order::One, true>(C, 32);
    }
    return noLaneFunction();
  });
}
