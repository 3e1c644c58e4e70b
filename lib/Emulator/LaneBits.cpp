// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Bits: logic, shifts, fields, counts, permutation, and the byte dot products.
/// The loops of the PTX ISA's descriptions are closed formulas here.

#include "LaneOpcode.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <type_traits>

using namespace llvm;
using namespace sluice::emulator;

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> constexpr unsigned Width = sizeof(T) * 8;
template <class T> constexpr T AllOnes = static_cast<T>(~uint64_t(0));

template <class T> uint64_t logicAnd(uint64_t *O) { return T(O[0] & O[1]); }
template <class T> uint64_t logicOr(uint64_t *O) { return T(O[0] | O[1]); }
template <class T> uint64_t logicXor(uint64_t *O) { return T(O[0] ^ O[1]); }
template <class T> uint64_t logicNot(uint64_t *O) { return T(~O[0]); }
template <> uint64_t logicNot<bool>(uint64_t *O) { return !(O[0] & 1); }
template <class T> uint64_t logicCnot(uint64_t *O) { return T(O[0]) == 0; }
template <class T> uint64_t move(uint64_t *O) { return T(O[0]); }

/// The shift amount is an unsigned 32-bit word; from the width on, all bits are
/// shifted out.
template <class T> uint64_t shiftLeft(uint64_t *O) {
  uint32_t By = uint32_t(O[1]);
  return By >= Width<T> ? 0 : T(O[0] << By);
}
template <class T> uint64_t shiftRight(uint64_t *O) {
  T Value = T(O[0]);
  uint32_t By = uint32_t(O[1]);
  if (By >= Width<T>)
    return Value < 0 ? AllOnes<Unsigned<T>> : 0;
  return Unsigned<T>(Value >> By);
}
template <bool Left, bool Clamp> uint64_t funnelShift(uint64_t *O) {
  uint32_t By = uint32_t(O[2]);
  By = Clamp ? std::min(By, 32u) : By & 31;
  uint64_t Both = O[1] << 32 | uint32_t(O[0]);
  // By 32 the other half comes out whole.
  return Left ? uint32_t((By == 32 ? Both << 32 : Both << By) >> 32)
              : uint32_t(Both >> By);
}

/// Bit k of the table is the result where the three inputs' bits form k.
uint32_t lookUpLogic(uint64_t *O) {
  uint32_t A = uint32_t(O[0]), B = uint32_t(O[1]), C = uint32_t(O[2]);
  uint32_t Result = 0;
  for (unsigned Row = 0; Row < 8; ++Row)
    if (O[3] >> Row & 1)
      Result |= (Row & 4 ? A : ~A) & (Row & 2 ? B : ~B) & (Row & 1 ? C : ~C);
  return Result;
}
uint64_t lop3(uint64_t *O) { return lookUpLogic(O); }
/// d|p: the predicate is (d != 0) Op q.
template <bool And> uint64_t lop3Predicate(uint64_t *O) {
  uint32_t Result = lookUpLogic(O);
  O[5] = And ? (Result != 0) && (O[4] & 1) : (Result != 0) || (O[4] & 1);
  return Result;
}

template <class T> uint64_t population(uint64_t *O) {
  return uint64_t(llvm::popcount(T(O[0])));
}
template <class T> uint64_t leadingZeros(uint64_t *O) {
  return uint64_t(llvm::countl_zero(T(O[0])));
}
template <class T> uint64_t reverse(uint64_t *O) {
  return reverseBits<T>(T(O[0]));
}
/// The position of the most significant bit that is not the sign, or the shift
/// that brings it to the top. All ones when there is none.
template <class T, bool ShiftAmount> uint64_t findBit(uint64_t *O) {
  auto Bits = Unsigned<T>(O[0]);
  if (std::is_signed_v<T> && T(O[0]) < 0)
    Bits = ~Bits;
  if (Bits == 0)
    return 0xffffffff;
  unsigned Zeros = unsigned(llvm::countl_zero(Bits));
  return ShiftAmount ? Zeros : Width<T> - 1 - Zeros;
}

/// The offset-th set bit of the mask, from base on upwards (offset > 0) or
/// downwards (< 0); offset 0 asks for bit base itself.
uint64_t findNthSet(uint64_t *O) {
  uint32_t Mask = uint32_t(O[0]);
  int64_t Base = uint32_t(O[1]);
  int64_t Offset = int32_t(O[2]);
  int64_t Step = Offset < 0 ? -1 : 1;
  int64_t Left = Offset == 0 ? 1 : std::abs(Offset);
  for (int64_t Bit = Base; Bit >= 0 && Bit < 32; Bit += Step) {
    if (Mask >> Bit & 1 && --Left == 0)
      return uint64_t(Bit);
    if (Offset == 0)
      break;
  }
  return 0xffffffff;
}

template <class T> T lowOnes(unsigned Count) {
  return Count >= Width<T> ? AllOnes<T> : T((uint64_t(1) << Count) - 1);
}
/// Bits pos .. pos+len-1, position and length in the low bytes of b and c; the
/// signed forms copy the field's top bit (the word's, if it sticks out)
/// upwards.
template <class T> uint64_t extractField(uint64_t *O) {
  auto A = Unsigned<T>(O[0]);
  unsigned Position = O[1] & 0xff, Length = O[2] & 0xff;
  if (Length == 0)
    return 0;
  unsigned Top = std::min(Position + Length - 1, Width<T> - 1);
  bool Sign = std::is_signed_v<T> && A >> Top & 1;
  unsigned Inside = Position >= Width<T> ? 0 : Width<T> - Position;
  unsigned Kept = std::min(Length, Inside);
  Unsigned<T> Field = Kept ? (A >> Position) & lowOnes<Unsigned<T>>(Kept) : 0;
  return Sign ? Unsigned<T>(Field | ~lowOnes<Unsigned<T>>(Kept)) : Field;
}
template <class T> uint64_t insertField(uint64_t *O) {
  unsigned Position = O[2] & 0xff, Length = O[3] & 0xff;
  if (Position >= Width<T>)
    return T(O[1]);
  T Mask = T(lowOnes<T>(Length) << Position);
  return T((O[1] & ~uint64_t(Mask)) | (T(O[0] << Position) & Mask));
}
template <bool Clamp> uint64_t bitMask(uint64_t *O) {
  uint32_t From = uint32_t(O[0]), Count = uint32_t(O[1]);
  if (!Clamp)
    From &= 31, Count &= 31;
  if (From >= 32)
    return 0;
  return uint32_t(uint64_t(lowOnes<uint32_t>(Count)) << From);
}
/// Keeps the low b bits and extends them.
template <class T, bool Clamp> uint64_t extendLow(uint64_t *O) {
  uint32_t A = uint32_t(O[0]), Bits = uint32_t(O[1]);
  if (!Clamp)
    Bits &= 31;
  if (Bits >= 32)
    return A;
  uint32_t Kept = lowOnes<uint32_t>(Bits);
  bool Sign = std::is_signed_v<T> && Bits && A >> (Bits - 1) & 1;
  return Sign ? A | ~Kept : A & Kept;
}

enum class Permutation { Default, F4E, B4E, RC8, ECL, ECR, RC16 };
template <Permutation Mode> uint64_t permute(uint64_t *O) {
  uint64_t Bytes = O[1] << 32 | uint32_t(O[0]);
  uint32_t Selector = uint32_t(O[2]);
  unsigned Low = Selector & 3;
  uint32_t Result = 0;
  for (unsigned I = 0; I < 4; ++I) {
    unsigned From = 0;
    bool Replicate = false;
    switch (Mode) {
    case Permutation::Default:
      From = Selector >> 4 * I & 7;
      Replicate = Selector >> 4 * I & 8;
      break;
    case Permutation::F4E:
      From = Low + I;
      break;
    case Permutation::B4E:
      From = (Low - I) & 7;
      break;
    case Permutation::RC8:
      From = Low;
      break;
    case Permutation::ECL:
      From = std::max(I, Low);
      break;
    case Permutation::ECR:
      From = std::min(I, Low);
      break;
    case Permutation::RC16:
      From = (Low & 1) * 2 + (I & 1);
      break;
    }
    uint32_t Byte = Bytes >> 8 * From & 0xff;
    if (Replicate)
      Byte = Byte & 0x80 ? 0xff : 0;
    Result |= Byte << 8 * I;
  }
  return Result;
}

template <class A, class B> uint64_t dotBytes(uint64_t *O) {
  uint32_t Sum = uint32_t(O[2]);
  for (unsigned I = 0; I < 4; ++I)
    Sum += uint32_t(int32_t(A(O[0] >> 8 * I)) * int32_t(B(O[1] >> 8 * I)));
  return Sum;
}
/// Two 16-bit parts of a times the low or high two bytes of b.
template <class A, class B, bool High> uint64_t dotHalves(uint64_t *O) {
  uint32_t Sum = uint32_t(O[2]);
  for (unsigned I = 0; I < 2; ++I)
    Sum += uint32_t(int32_t(A(O[0] >> 16 * I)) *
                    int32_t(B(O[1] >> (8 * I + (High ? 16 : 0)))));
  return Sum;
}

/// For b16, b32 and b64; and pred where \p make has it.
template <class Make> LaneFunction forBits(StringRef Type, Make make) {
  if (Type == "b16")
    return make(uint16_t());
  if (Type == "b32")
    return make(uint32_t());
  if (Type == "b64")
    return make(uint64_t());
  return noLaneFunction();
}
template <class Make> LaneFunction forBitsOrPred(StringRef Type, Make make) {
  return Type == "pred" ? make(bool()) : forBits(Type, make);
}
template <class T>
constexpr unsigned ResultWidth = std::is_same_v<T, bool> ? 1 : Width<T>;

LaneFunction resolveLogic(StringRef Name, StringRef Type) {
  return forBitsOrPred(Type, [&](auto V) -> LaneFunction {
    using T = decltype(V);
    constexpr unsigned Bits = ResultWidth<T>;
    if (Name == "and")
      return {logicAnd<T>, 2, 1, Bits};
    if (Name == "or")
      return {logicOr<T>, 2, 1, Bits};
    if (Name == "xor")
      return {logicXor<T>, 2, 1, Bits};
    if (Name == "not")
      return {logicNot<T>, 1, 1, Bits};
    if (Name == "cnot" && Bits > 1)
      return {logicCnot<T>, 1, 1, Bits};
    return noLaneFunction();
  });
}

LaneFunction resolveMove(StringRef Type) {
  static constexpr StringRef Words16[] = {"b16", "u16", "s16", "f16", "bf16"};
  static constexpr StringRef Words32[] = {"b32", "u32",   "s32",
                                          "f32", "f16x2", "bf16x2"};
  static constexpr StringRef Words64[] = {"b64", "u64", "s64", "f64"};
  if (Type == "pred")
    return {move<bool>, 1, 1, 1};
  if (is_contained(Words16, Type))
    return {move<uint16_t>, 1, 1, 16};
  if (is_contained(Words32, Type))
    return {move<uint32_t>, 1, 1, 32};
  if (is_contained(Words64, Type))
    return {move<uint64_t>, 1, 1, 64};
  return noLaneFunction();
}

LaneFunction resolveShift(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  if (Op.Name == "shl" && Op.done())
    return forBits(Type, [](auto V) {
      return LaneFunction{shiftLeft<decltype(V)>, 2, 1, sizeof(V) * 8};
    });
  if (Op.Name == "shr" && Op.done()) {
    auto make = [](auto V) {
      return LaneFunction{shiftRight<decltype(V)>, 2, 1, sizeof(V) * 8};
    };
    if (Type == "u16")
      return make(uint16_t());
    if (Type == "s16")
      return make(int16_t());
    LaneFunction Found = for32And64(Type, make);
    return Found.Evaluate ? Found : forBits(Type, make);
  }
  if (Op.Name == "shf" && Type == "b32") {
    int Left = Op.takeOneOf({"r", "l"}),
        Clamp = Op.takeOneOf({"wrap", "clamp"});
    if (Left < 0 || Clamp < 0 || !Op.done())
      return noLaneFunction();
    return {
        Left ? (Clamp ? funnelShift<true, true> : funnelShift<true, false>)
             : (Clamp ? funnelShift<false, true> : funnelShift<false, false>),
        3, 1, 32};
  }
  return noLaneFunction();
}

LaneFunction resolvePermutation(LaneOpcode Op) {
  static constexpr LaneEvaluator Modes[] = {
      permute<Permutation::F4E>, permute<Permutation::B4E>,
      permute<Permutation::RC8>, permute<Permutation::ECL>,
      permute<Permutation::ECR>, permute<Permutation::RC16>};
  int Mode = Op.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!Op.take("b32") || !Op.done())
    return noLaneFunction();
  return {Mode < 0 ? permute<Permutation::Default> : Modes[Mode], 3, 1, 32};
}

template <class A, class B> LaneFunction dotFor(bool Four, bool High) {
  LaneEvaluator E = dotBytes<A, B>;
  if (!Four) {
    using A16 = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
    E = High ? dotHalves<A16, B, true> : dotHalves<A16, B, false>;
  }
  return {E, 3, 1, 32};
}
LaneFunction resolveDot(LaneOpcode Op) {
  bool Four = Op.Name == "dp4a";
  int High = Four ? 0 : Op.takeOneOf({"lo", "hi"});
  if (High < 0 || Op.Modifiers.size() != 2 ||
      !all_of(
          Op.Modifiers, [](StringRef T) { return T == "u32" || T == "s32"; }))
    return noLaneFunction();
  bool SignedA = Op.Modifiers[0] == "s32", SignedB = Op.Modifiers[1] == "s32";
  if (SignedA)
    return SignedB ? dotFor<int8_t, int8_t>(Four, High)
                   : dotFor<int8_t, uint8_t>(Four, High);
  return SignedB ? dotFor<uint8_t, int8_t>(Four, High)
                 : dotFor<uint8_t, uint8_t>(Four, High);
}

LaneFunction resolveFields(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  if (Op.Name == "bfe" && Op.done())
    return for32And64(Type, [](auto V) {
      return LaneFunction{extractField<decltype(V)>, 3, 1, sizeof(V) * 8};
    });
  if (Op.Name == "bfi" && Op.done() && Type != "b16")
    return forBits(Type, [](auto V) {
      return LaneFunction{insertField<decltype(V)>, 4, 1, sizeof(V) * 8};
    });
  int Clamp = Op.takeOneOf({"wrap", "clamp"});
  if (Clamp < 0 || !Op.done())
    return noLaneFunction();
  if (Op.Name == "bmsk" && Type == "b32")
    return {Clamp ? bitMask<true> : bitMask<false>, 2, 1, 32};
  if (Op.Name == "szext" && Type == "u32")
    return {Clamp ? extendLow<uint32_t, true> : extendLow<uint32_t, false>, 2,
            1, 32};
  if (Op.Name == "szext" && Type == "s32")
    return {Clamp ? extendLow<int32_t, true> : extendLow<int32_t, false>, 2, 1,
            32};
  return noLaneFunction();
}

LaneFunction resolveCounts(LaneOpcode Op) {
  StringRef Type = Op.takeLast();
  if (Op.Name == "bfind") {
    bool Shift = Op.take("shiftamt");
    if (!Op.done())
      return noLaneFunction();
    return for32And64(Type, [Shift](auto V) {
      using T = decltype(V);
      return LaneFunction{Shift ? findBit<T, true> : findBit<T, false>, 1, 1,
                          32};
    });
  }
  if (!Op.done() || Type == "b16")
    return noLaneFunction();
  if (Op.Name == "fns" && Type == "b32")
    return {findNthSet, 3, 1, 32};
  return forBits(Type, [&](auto V) -> LaneFunction {
    using T = decltype(V);
    if (Op.Name == "popc")
      return {population<T>, 1, 1, 32};
    if (Op.Name == "clz")
      return {leadingZeros<T>, 1, 1, 32};
    if (Op.Name == "brev")
      return {reverse<T>, 1, 1, Width<T>};
    return noLaneFunction();
  });
}

} // namespace

LaneFunction sluice::emulator::resolveBits(LaneOpcode Op) {
  StringRef Name = Op.Name;
  if (Name == "prmt")
    return resolvePermutation(Op);
  if (Name == "dp4a" || Name == "dp2a")
    return resolveDot(Op);
  if (Name.starts_with("sh"))
    return resolveShift(Op);
  if (Name == "bfe" || Name == "bfi" || Name == "bmsk" || Name == "szext")
    return resolveFields(Op);
  if (Name == "lop3") {
    if (!Op.take("b32"))
      return noLaneFunction();
    if (Op.done())
      return {lop3, 4, 1, 32};
    int Or = Op.takeOneOf({"and", "or"});
    if (Or < 0 || !Op.done())
      return noLaneFunction();
    return {Or ? lop3Predicate<false> : lop3Predicate<true>, 5, 2, 32};
  }
  if (Op.Modifiers.size() == 1) {
    StringRef Type = Op.Modifiers.front();
    if (Name == "mov")
      return resolveMove(Type);
    if (LaneFunction Found = resolveLogic(Name, Type); Found.Evaluate)
      return Found;
  }
  return resolveCounts(Op);
}
