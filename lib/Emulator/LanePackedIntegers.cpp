// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Two 16-bit or four 8-bit integers in one word: add.u16x2 and its like, and
/// the SIMD video instructions vadd2 ... vset4 (without lane selectors), which
/// clang's CUDA headers use.

#include "LaneOpcode.h"
#include <algorithm>
#include <limits>
#include <type_traits>

using namespace llvm;
using namespace sluice::emulator;

namespace {

// On exact values of two lanes; what is out of range wraps or saturates after.
struct Add {
  static int of(int A, int B) { return A + B; }
};
struct Sub {
  static int of(int A, int B) { return A - B; }
};
struct Min {
  static int of(int A, int B) { return std::min(A, B); }
};
struct Max {
  static int of(int A, int B) { return std::max(A, B); }
};
template <class Op> struct Relu {
  static int of(int A, int B) { return std::max(Op::of(A, B), 0); }
};
struct AbsoluteDifference {
  static int of(int A, int B) { return std::abs(A - B); }
};
/// Rounded: halves away from zero.
struct Average {
  static int of(int A, int B) { return (A + B + (A + B >= 0)) >> 1; }
};
struct Equal {
  static int of(int A, int B) { return A == B; }
};
struct NotEqual {
  static int of(int A, int B) { return A != B; }
};
struct Less {
  static int of(int A, int B) { return A < B; }
};
struct LessEqual {
  static int of(int A, int B) { return A <= B; }
};
struct Greater {
  static int of(int A, int B) { return A > B; }
};
struct GreaterEqual {
  static int of(int A, int B) { return A >= B; }
};

/// T is a lane's type.
template <class Op, class T, bool Saturate> uint64_t lanes(uint64_t *O) {
  constexpr unsigned Bits = sizeof(T) * 8;
  uint32_t Result = 0;
  for (unsigned At = 0; At < 32; At += Bits) {
    int Value = Op::of(T(O[0] >> At), T(O[1] >> At));
    if (Saturate)
      Value = std::clamp<int>(Value, std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max());
    Result |= uint32_t(std::make_unsigned_t<T>(Value)) << At;
  }
  return Result;
}
/// The lanes' results summed onto c.
template <class Op, class T> uint64_t sumOfLanes(uint64_t *O) {
  uint32_t Sum = uint32_t(O[2]);
  for (unsigned At = 0; At < 32; At += sizeof(T) * 8)
    Sum += uint32_t(Op::of(T(O[0] >> At), T(O[1] >> At)));
  return Sum;
}

template <class Op, class T> LaneFunction videoFor(bool Saturate, bool Sum) {
  if (Sum)
    return Saturate ? noLaneFunction()
                    : LaneFunction{sumOfLanes<Op, T>, 3, 1, 32};
  return {Saturate ? lanes<Op, T, true> : lanes<Op, T, false>, 3, 1, 32};
}
template <class T>
LaneFunction videoNamed(StringRef Name, bool Saturate, bool Sum) {
  if (Name == "vadd")
    return videoFor<Add, T>(Saturate, Sum);
  if (Name == "vsub")
    return videoFor<Sub, T>(Saturate, Sum);
  if (Name == "vmin")
    return videoFor<Min, T>(Saturate, Sum);
  if (Name == "vmax")
    return videoFor<Max, T>(Saturate, Sum);
  if (Name == "vabsdiff")
    return videoFor<AbsoluteDifference, T>(Saturate, Sum);
  if (Name == "vavrg")
    return videoFor<Average, T>(Saturate, Sum);
  return noLaneFunction();
}
template <class T> LaneFunction videoSet(StringRef Comparison, bool Sum) {
  if (Comparison == "eq")
    return videoFor<Equal, T>(false, Sum);
  if (Comparison == "ne")
    return videoFor<NotEqual, T>(false, Sum);
  if (Comparison == "lt")
    return videoFor<Less, T>(false, Sum);
  if (Comparison == "le")
    return videoFor<LessEqual, T>(false, Sum);
  if (Comparison == "gt")
    return videoFor<Greater, T>(false, Sum);
  if (Comparison == "ge")
    return videoFor<GreaterEqual, T>(false, Sum);
  return noLaneFunction();
}

/// make(T()) with the lane type of "vadd2", "vadd4" and u32 or s32.
template <class Make>
LaneFunction forLanes(char Count, StringRef Type, Make make) {
  if (Count == '2' && Type == "u32")
    return make(uint16_t());
  if (Count == '2' && Type == "s32")
    return make(int16_t());
  if (Count == '4' && Type == "u32")
    return make(uint8_t());
  if (Count == '4' && Type == "s32")
    return make(int8_t());
  return noLaneFunction();
}

LaneFunction resolveVideo(LaneOpcode Op) {
  char Count = Op.Name.back();
  StringRef Name = Op.Name.drop_back();
  bool Saturate = Op.take("sat");
  bool Sum = Op.take("add");
  if (Name == "vset") {
    if (Op.Modifiers.size() != 3 || Saturate ||
        Op.Modifiers[0] != Op.Modifiers[1])
      return noLaneFunction();
    return forLanes(Count, Op.Modifiers[0], [&](auto V) {
      return videoSet<decltype(V)>(Op.Modifiers[2], Sum);
    });
  }
  // Only equal types: what the headers use.
  if (Op.Modifiers.size() != 3 || !all_equal(Op.Modifiers))
    return noLaneFunction();
  return forLanes(Count, Op.Modifiers[0], [&](auto V) {
    return videoNamed<decltype(V)>(Name, Saturate, Sum);
  });
}

template <class T> LaneFunction pairNamed(StringRef Name, bool ReluModifier) {
  if (ReluModifier) {
    if (std::is_unsigned_v<T>)
      return noLaneFunction();
    if (Name == "min")
      return {lanes<Relu<Min>, T, false>, 2, 1, 32};
    if (Name == "max")
      return {lanes<Relu<Max>, T, false>, 2, 1, 32};
    return noLaneFunction();
  }
  if (Name == "add")
    return {lanes<Add, T, false>, 2, 1, 32};
  if (Name == "min")
    return {lanes<Min, T, false>, 2, 1, 32};
  if (Name == "max")
    return {lanes<Max, T, false>, 2, 1, 32};
  return noLaneFunction();
}

} // namespace

LaneFunction sluice::emulator::resolvePackedIntegers(LaneOpcode Op) {
  if (Op.Name.starts_with("v"))
    return resolveVideo(Op);
  StringRef Type = Op.takeLast();
  bool ReluModifier = Op.take("relu");
  if (!Op.done())
    return noLaneFunction();
  if (Type == "u16x2")
    return pairNamed<uint16_t>(Op.Name, ReluModifier);
  if (Type == "s16x2")
    return pairNamed<int16_t>(Op.Name, ReluModifier);
  return noLaneFunction();
}
