// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Integer arithmetic: add to mad24, minima, carries.

#include "LaneOpcode.h"
#include <limits>
#include <type_traits>

using namespace llvm;
using namespace sluice::emulator;

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> constexpr unsigned Width = sizeof(T) * 8;
template <class T> constexpr bool IsSigned = std::is_signed_v<T>;

/// Twice as wide, of the same signedness.
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<IsSigned<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4, std::conditional_t<IsSigned<T>, int64_t, uint64_t>,
        std::conditional_t<IsSigned<T>, __int128, unsigned __int128>>>;

template <class T> uint64_t word(T Value) {
  return static_cast<Unsigned<T>>(Value);
}

template <class T, class W> T clampTo(W Value) {
  constexpr W Low = std::numeric_limits<T>::min();
  constexpr W High = std::numeric_limits<T>::max();
  return static_cast<T>(Value < Low ? Low : Value > High ? High : Value);
}

template <class T> T wrap(uint64_t Value) {
  return static_cast<T>(static_cast<Unsigned<T>>(Value));
}

// Operations on words of type T. Sums are made in uint64_t, where they wrap.
struct Add {
  template <class T> static T of(T A, T B) {
    return wrap<T>(uint64_t(A) + uint64_t(B));
  }
};
struct Sub {
  template <class T> static T of(T A, T B) {
    return wrap<T>(uint64_t(A) - uint64_t(B));
  }
};
struct AddSat {
  template <class T> static T of(T A, T B) {
    return clampTo<T>(Wide<T>(A) + Wide<T>(B));
  }
};
struct SubSat {
  template <class T> static T of(T A, T B) {
    return clampTo<T>(Wide<T>(A) - Wide<T>(B));
  }
};
struct MulLo {
  template <class T> static T of(T A, T B) {
    return wrap<T>(uint64_t(A) * uint64_t(B));
  }
};
struct MulHi {
  template <class T> static T of(T A, T B) {
    return static_cast<T>((Wide<T>(A) * Wide<T>(B)) >> Width<T>);
  }
};
struct MadLo {
  template <class T> static T of(T A, T B, T C) {
    return Add::of(MulLo::of(A, B), C);
  }
};
struct MadHi {
  template <class T> static T of(T A, T B, T C) {
    return Add::of(MulHi::of(A, B), C);
  }
};
struct MadHiSat {
  template <class T> static T of(T A, T B, T C) {
    return AddSat::of(MulHi::of(A, B), C);
  }
};
struct Sad {
  template <class T> static T of(T A, T B, T C) {
    return Add::of(C, A < B ? Sub::of(B, A) : Sub::of(A, B));
  }
};
// Division by zero is not defined by PTX; ptxas folds it to all ones, quotient
// and remainder.
struct Div {
  template <class T> static T of(T A, T B) {
    if (B == 0)
      return static_cast<T>(-1);
    if (IsSigned<T> && B == static_cast<T>(-1))
      return Sub::of(T(0), A);
    return static_cast<T>(A / B);
  }
};
struct Rem {
  template <class T> static T of(T A, T B) {
    if (B == 0)
      return static_cast<T>(-1);
    if (IsSigned<T> && B == static_cast<T>(-1))
      return 0;
    return static_cast<T>(A % B);
  }
};
struct Min {
  template <class T> static T of(T A, T B) { return B < A ? B : A; }
};
struct Max {
  template <class T> static T of(T A, T B) { return A < B ? B : A; }
};
/// Then clamped below at zero.
template <class Op> struct Relu {
  template <class... T> static auto of(T... V) {
    auto R = Op::of(V...);
    return R < 0 ? decltype(R)(0) : R;
  }
};
struct Abs {
  template <class T> static T of(T A) { return A < 0 ? Sub::of(T(0), A) : A; }
};
struct Neg {
  template <class T> static T of(T A) { return Sub::of(T(0), A); }
};

template <class Op, class T> uint64_t unary(uint64_t *O) {
  return word<T>(Op::of(T(O[0])));
}
template <class Op, class T> uint64_t binary(uint64_t *O) {
  return word<T>(Op::of(T(O[0]), T(O[1])));
}
template <class Op, class T> uint64_t ternary(uint64_t *O) {
  return word<T>(Op::of(T(O[0]), T(O[1]), T(O[2])));
}
template <class T> uint64_t mulWide(uint64_t *O) {
  return word(Wide<T>(T(O[0])) * Wide<T>(T(O[1])));
}
template <class T> uint64_t madWide(uint64_t *O) {
  return word(wrap<Wide<T>>(mulWide<T>(O) + O[2]));
}

/// mul24 multiplies the low 24 bits; .lo is bits 0 to 31 of the 48, .hi bits 16
/// to 47.
template <class T, bool High> T product24(uint64_t A, uint64_t B) {
  auto Low24 = [](uint64_t V) {
    return static_cast<int64_t>(static_cast<T>(V << 8)) >> 8;
  };
  uint64_t Product = uint64_t(Low24(A) * Low24(B));
  return static_cast<T>(High ? Product >> 16 : Product);
}
template <class T, bool High> uint64_t mul24(uint64_t *O) {
  return word(product24<T, High>(O[0], O[1]));
}
template <class T, bool High> uint64_t mad24(uint64_t *O) {
  return word(Add::of(product24<T, High>(O[0], O[1]), T(O[2])));
}
uint64_t mad24HiSat(uint64_t *O) {
  return word(AddSat::of(product24<int32_t, true>(O[0], O[1]), int32_t(O[2])));
}

template <class Op> LaneFunction unaryFor(StringRef Type) {
  return for16To64(Type, [](auto V) {
    return LaneFunction{unary<Op, decltype(V)>, 1, 1, sizeof(V) * 8};
  });
}
template <class Op> LaneFunction binaryFor(StringRef Type) {
  return for16To64(Type, [](auto V) {
    return LaneFunction{binary<Op, decltype(V)>, 2, 1, sizeof(V) * 8};
  });
}
template <class Op> LaneFunction ternaryFor(StringRef Type) {
  return for16To64(Type, [](auto V) {
    return LaneFunction{ternary<Op, decltype(V)>, 3, 1, sizeof(V) * 8};
  });
}

// With carries. CC.CF is the carry out of an addition and the borrow out of a
// subtraction.

template <class T, bool Subtract>
T carryChain(uint64_t A, uint64_t B, uint64_t In, uint64_t &Out) {
  T Sum, Result;
  bool First = Subtract ? __builtin_sub_overflow(T(A), T(B), &Sum)
                        : __builtin_add_overflow(T(A), T(B), &Sum);
  bool Second = Subtract ? __builtin_sub_overflow(Sum, T(In & 1), &Result)
                         : __builtin_add_overflow(Sum, T(In & 1), &Result);
  Out = First | Second;
  return Result;
}
template <class T, bool Subtract, bool In, bool Out>
uint64_t addCarry(uint64_t *O) {
  uint64_t Carry;
  T Result = carryChain<T, Subtract>(O[0], O[1], In ? O[2] : 0, Carry);
  if (Out)
    O[In ? 3 : 2] = Carry;
  return Result;
}
/// T is signed for mad.hi.cc.s32; the addition is unsigned all the same.
template <class T, bool High, bool In, bool Out>
uint64_t madCarry(uint64_t *O) {
  T Product = High ? MulHi::of(T(O[0]), T(O[1])) : MulLo::of(T(O[0]), T(O[1]));
  uint64_t Carry;
  auto Result = carryChain<Unsigned<T>, false>(uint64_t(Product), O[2],
                                               In ? O[3] : 0, Carry);
  if (Out)
    O[In ? 4 : 3] = Carry;
  return Result;
}

template <class T, bool Subtract>
LaneFunction addCarryFor(bool In, bool Out, unsigned Bits) {
  LaneEvaluator E = In ? Out ? addCarry<T, Subtract, true, true>
                             : addCarry<T, Subtract, true, false>
                       : addCarry<T, Subtract, false, true>;
  return {E, In ? 3u : 2u, Out ? 2u : 1u, Bits};
}
template <class T, bool High> LaneFunction madCarryFor(bool In, bool Out) {
  LaneEvaluator E =
      In ? Out ? madCarry<T, High, true, true> : madCarry<T, High, true, false>
         : madCarry<T, High, false, true>;
  return {E, In ? 4u : 3u, Out ? 2u : 1u, Width<T>};
}

LaneFunction resolveMultiply(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  bool Saturate = Op.take("sat");
  int Part = Op.takeOneOf({"lo", "hi", "wide"});
  if (Part < 0 || !Op.done())
    return noLaneFunction();
  bool High = Part == 1;
  if (Saturate) { // Only mad.hi.sat.s32 and mad24.hi.sat.s32 exist.
    if (!High || Type != "s32")
      return noLaneFunction();
    if (Op.Name == "mad")
      return ternaryFor<MadHiSat>(Type);
    return Op.Name == "mad24" ? LaneFunction{mad24HiSat, 3, 1, 32}
                              : noLaneFunction();
  }
  if (Op.Name == "mul24" || Op.Name == "mad24") {
    if (Part == 2 || (Type != "u32" && Type != "s32"))
      return noLaneFunction();
    bool Signed = Type == "s32";
    if (Op.Name == "mul24")
      return {Signed ? (High ? mul24<int32_t, true> : mul24<int32_t, false>)
                     : (High ? mul24<uint32_t, true> : mul24<uint32_t, false>),
              2, 1, 32};
    return {Signed ? (High ? mad24<int32_t, true> : mad24<int32_t, false>)
                   : (High ? mad24<uint32_t, true> : mad24<uint32_t, false>),
            3, 1, 32};
  }
  bool Mad = Op.Name == "mad";
  if (Part == 2)
    return for16To64(Type, [Mad](auto V) {
      using T = decltype(V);
      if constexpr (sizeof(T) == 8)
        return noLaneFunction();
      else
        return LaneFunction{Mad ? madWide<T> : mulWide<T>, Mad ? 3u : 2u, 1,
                            2 * Width<T>};
    });
  if (Mad)
    return High ? ternaryFor<MadHi>(Type) : ternaryFor<MadLo>(Type);
  return High ? binaryFor<MulHi>(Type) : binaryFor<MulLo>(Type);
}

} // namespace

LaneFunction sluice::emulator::resolveInteger(LaneOpcode Op) {
  StringRef Name = Op.Name;
  if (Name == "mul" || Name == "mad" || Name == "mul24" || Name == "mad24")
    return resolveMultiply(Op);

  StringRef Type = Op.takeLast();
  bool Saturate = Op.take("sat");
  bool ReluModifier = Op.take("relu");
  if (!Op.done() || (Saturate && Type != "s32") ||
      (ReluModifier && Type != "s32"))
    return noLaneFunction();
  if (Name == "add" && !ReluModifier)
    return Saturate ? binaryFor<AddSat>(Type) : binaryFor<Add>(Type);
  if (Name == "sub" && !ReluModifier)
    return Saturate ? binaryFor<SubSat>(Type) : binaryFor<Sub>(Type);
  if (Saturate)
    return noLaneFunction();
  if (Name == "min")
    return ReluModifier ? binaryFor<Relu<Min>>(Type) : binaryFor<Min>(Type);
  if (Name == "max")
    return ReluModifier ? binaryFor<Relu<Max>>(Type) : binaryFor<Max>(Type);
  if (ReluModifier)
    return noLaneFunction();
  if (Name == "sad")
    return ternaryFor<Sad>(Type);
  if (Name == "div")
    return binaryFor<Div>(Type);
  if (Name == "rem")
    return binaryFor<Rem>(Type);
  if (Name == "abs" && Type.starts_with("s"))
    return unaryFor<Abs>(Type);
  if (Name == "neg" && Type.starts_with("s"))
    return unaryFor<Neg>(Type);
  return noLaneFunction();
}

LaneFunction sluice::emulator::resolveCarry(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  bool Out = Op.take("cc");
  bool Wide64 = Type.ends_with("64");
  if (Type != "u32" && Type != "s32" && Type != "u64" && Type != "s64")
    return noLaneFunction();
  bool In = Op.Name.ends_with("c") && Op.Name.size() == 4; // addc, subc, madc
  if (!In && !Out)
    return noLaneFunction();
  if (Op.Name == "mad" || Op.Name == "madc") {
    int Part = Op.takeOneOf({"lo", "hi"});
    if (Part < 0 || !Op.done())
      return noLaneFunction();
    return for16To64(Type, [&](auto V) {
      using T = decltype(V);
      if constexpr (sizeof(T) == 2)
        return noLaneFunction();
      else
        return Part ? madCarryFor<T, true>(In, Out)
                    : madCarryFor<T, false>(In, Out);
    });
  }
  if (!Op.done())
    return noLaneFunction();
  if (Op.Name == "add" || Op.Name == "addc")
    return Wide64 ? addCarryFor<uint64_t, false>(In, Out, 64)
                  : addCarryFor<uint32_t, false>(In, Out, 32);
  if (Op.Name == "sub" || Op.Name == "subc")
    return Wide64 ? addCarryFor<uint64_t, true>(In, Out, 64)
                  : addCarryFor<uint32_t, true>(In, Out, 32);
  return noLaneFunction();
}
