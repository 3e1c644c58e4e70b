// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// LLVM's own integer intrinsics on i8 to i64.

#include "LaneOpcode.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <type_traits>

using namespace llvm;
using namespace sluice::emulator;

namespace {

// U is the unsigned type of the width; S the signed one.
template <class U> using SignedOf = std::make_signed_t<U>;
template <class U> constexpr unsigned Width = sizeof(U) * 8;

template <class U> uint64_t countOnes(uint64_t *O) {
  return uint64_t(llvm::popcount(U(O[0])));
}
// The second operand says that zero is poison; it is defined here all the same.
template <class U> uint64_t leadingZeros(uint64_t *O) {
  return uint64_t(llvm::countl_zero(U(O[0])));
}
template <class U> uint64_t trailingZeros(uint64_t *O) {
  return uint64_t(llvm::countr_zero(U(O[0])));
}
template <class U> uint64_t swapBytes(uint64_t *O) {
  if constexpr (sizeof(U) == 1)
    return U(O[0]);
  else
    return llvm::byteswap(U(O[0]));
}
template <class U> uint64_t reverse(uint64_t *O) {
  return reverseBits<U>(U(O[0]));
}
template <class U> uint64_t absolute(uint64_t *O) {
  return SignedOf<U>(O[0]) < 0 ? U(0 - O[0]) : U(O[0]);
}
template <class U> uint64_t signedMin(uint64_t *O) {
  return U(SignedOf<U>(O[0]) < SignedOf<U>(O[1]) ? O[0] : O[1]);
}
template <class U> uint64_t signedMax(uint64_t *O) {
  return U(SignedOf<U>(O[0]) > SignedOf<U>(O[1]) ? O[0] : O[1]);
}
template <class U> uint64_t unsignedMin(uint64_t *O) {
  return std::min(U(O[0]), U(O[1]));
}
template <class U> uint64_t unsignedMax(uint64_t *O) {
  return std::max(U(O[0]), U(O[1]));
}
template <class U> uint64_t funnelLeft(uint64_t *O) {
  unsigned By = unsigned(O[2] & (Width<U> - 1));
  return By ? U(U(O[0]) << By | U(O[1]) >> (Width<U> - By)) : U(O[0]);
}
template <class U> uint64_t funnelRight(uint64_t *O) {
  unsigned By = unsigned(O[2] & (Width<U> - 1));
  return By ? U(U(O[0]) << (Width<U> - By) | U(O[1]) >> By) : U(O[1]);
}

enum class Sum { Add, Sub, Mul };
/// T is signed or unsigned: the value wrapped, and whether it did.
template <class T, Sum S> bool overflowing(uint64_t *O, T &Result) {
  switch (S) {
  case Sum::Add:
    return __builtin_add_overflow(T(O[0]), T(O[1]), &Result);
  case Sum::Sub:
    return __builtin_sub_overflow(T(O[0]), T(O[1]), &Result);
  case Sum::Mul:
    return __builtin_mul_overflow(T(O[0]), T(O[1]), &Result);
  }
  return false;
}
template <class T, Sum S> uint64_t withOverflow(uint64_t *O) {
  T Result;
  O[2] = overflowing<T, S>(O, Result);
  return std::make_unsigned_t<T>(Result);
}
template <class T, Sum S> uint64_t saturating(uint64_t *O) {
  T Result;
  if (overflowing<T, S>(O, Result)) {
    // Where signed: beyond the least if the true result is negative, which the
    // first operand's sign tells.
    bool Low = std::is_signed_v<T> ? T(O[0]) < 0 : S == Sum::Sub;
    Result =
        Low ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  return std::make_unsigned_t<T>(Result);
}
template <class T> uint64_t shiftLeftSaturating(uint64_t *O) {
  T Value = T(O[0]);
  unsigned By = unsigned(O[1] & (Width<T> - 1)); // More is poison.
  T Shifted = T(std::make_unsigned_t<T>(Value) << By);
  if (T(Shifted >> By) != Value)
    Shifted = Value < 0 ? std::numeric_limits<T>::min()
                        : std::numeric_limits<T>::max();
  return std::make_unsigned_t<T>(Shifted);
}

/// scmp and ucmp: -1, 0 or 1 in ResultBits bits.
template <class T, unsigned ResultBits> uint64_t compare(uint64_t *O) {
  int Order = T(O[0]) < T(O[1]) ? -1 : T(O[0]) > T(O[1]);
  return uint64_t(int64_t(Order)) & (~uint64_t(0) >> (64 - ResultBits));
}

template <class U> LaneFunction named(StringRef Name) {
  using S = SignedOf<U>;
  constexpr unsigned Bits = Width<U>;
  struct Entry {
    StringLiteral Name;
    LaneFunction Function;
  };
  static constexpr Entry Table[] = {
      {"ctpop", {countOnes<U>, 1, 1, Bits}},
      {"ctlz", {leadingZeros<U>, 2, 1, Bits}},
      {"cttz", {trailingZeros<U>, 2, 1, Bits}},
      {"bswap", {swapBytes<U>, 1, 1, Bits}},
      {"bitreverse", {reverse<U>, 1, 1, Bits}},
      {"abs", {absolute<U>, 2, 1, Bits}},
      {"smin", {signedMin<U>, 2, 1, Bits}},
      {"smax", {signedMax<U>, 2, 1, Bits}},
      {"umin", {unsignedMin<U>, 2, 1, Bits}},
      {"umax", {unsignedMax<U>, 2, 1, Bits}},
      {"fshl", {funnelLeft<U>, 3, 1, Bits}},
      {"fshr", {funnelRight<U>, 3, 1, Bits}},
      {"sadd.with.overflow", {withOverflow<S, Sum::Add>, 2, 2, Bits}},
      {"uadd.with.overflow", {withOverflow<U, Sum::Add>, 2, 2, Bits}},
      {"ssub.with.overflow", {withOverflow<S, Sum::Sub>, 2, 2, Bits}},
      {"usub.with.overflow", {withOverflow<U, Sum::Sub>, 2, 2, Bits}},
      {"smul.with.overflow", {withOverflow<S, Sum::Mul>, 2, 2, Bits}},
      {"umul.with.overflow", {withOverflow<U, Sum::Mul>, 2, 2, Bits}},
      {"sadd.sat", {saturating<S, Sum::Add>, 2, 1, Bits}},
      {"uadd.sat", {saturating<U, Sum::Add>, 2, 1, Bits}},
      {"ssub.sat", {saturating<S, Sum::Sub>, 2, 1, Bits}},
      {"usub.sat", {saturating<U, Sum::Sub>, 2, 1, Bits}},
      {"sshl.sat", {shiftLeftSaturating<S>, 2, 1, Bits}},
      {"ushl.sat", {shiftLeftSaturating<U>, 2, 1, Bits}},
  };
  for (const Entry &E : Table)
    if (E.Name == Name)
      return E.Function;
  return noLaneFunction();
}

template <class Make> LaneFunction forWidth(StringRef Type, Make make) {
  if (Type == "i8")
    return make(uint8_t());
  if (Type == "i16")
    return make(uint16_t());
  if (Type == "i32")
    return make(uint32_t());
  if (Type == "i64")
    return make(uint64_t());
  return noLaneFunction();
}

/// "scmp.i8.i32": the result's type, then the operands'.
template <unsigned ResultBits>
LaneFunction compareFor(bool Signed, StringRef Type) {
  return forWidth(Type, [Signed](auto V) {
    using U = decltype(V);
    return LaneFunction{Signed ? compare<SignedOf<U>, ResultBits>
                               : compare<U, ResultBits>,
                        2, 1, ResultBits};
  });
}

} // namespace

LaneFunction sluice::emulator::resolveIntegerIntrinsic(StringRef Name) {
  StringRef Rest = Name.rsplit('.').first, Type = Name.rsplit('.').second;
  if (Rest.starts_with("scmp.") || Rest.starts_with("ucmp.")) {
    bool Signed = Rest.front() == 's';
    StringRef Result = Rest.drop_front(5);
    if (Result == "i2")
      return compareFor<2>(Signed, Type);
    if (Result == "i8")
      return compareFor<8>(Signed, Type);
    if (Result == "i16")
      return compareFor<16>(Signed, Type);
    if (Result == "i32")
      return compareFor<32>(Signed, Type);
    if (Result == "i64")
      return compareFor<64>(Signed, Type);
    return noLaneFunction();
  }
  const LaneFunction Found =
      forWidth(Type, [&](auto V) { return named<decltype(V)>(Rest); });
  unsigned Width = 0;
  if (Found.Evaluate || !Type.consume_front("i") ||
      Type.getAsInteger(10, Width))
    return Found;
  return resolveOddInteger(Rest, Width);
}
