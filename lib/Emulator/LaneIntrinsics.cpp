// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// llvm.nvvm.* intrinsics. Most are a PTX instruction under another name:
/// "add.rn.ftz.f" is add.rn.ftz.f32, "f2ui.rz" cvt.rzi.u32.f32. The few whose
/// operands differ are functions here.

#include "LaneFloat.h"
#include "LaneOpcode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include <string>

using namespace llvm;
using namespace sluice::emulator;

namespace {

template <unsigned Bits> uint64_t same(uint64_t *O) {
  return Bits == 64 ? O[0] : O[0] & ((uint64_t(1) << (Bits & 63)) - 1);
}
uint64_t lowHighToDouble(uint64_t *O) { return O[1] << 32 | uint32_t(O[0]); }
uint64_t lowOfDouble(uint64_t *O) { return uint32_t(O[0]); }
uint64_t highOfDouble(uint64_t *O) { return O[0] >> 32; }

template <class T, unsigned Bits> uint64_t findLeadingOne(uint64_t *O) {
  uint64_t Value = O[0];
  if (std::is_signed_v<T> && T(Value) < 0)
    Value = ~Value;
  if (Bits == 32)
    Value = uint32_t(Value);
  if (Value == 0)
    return 0xffffffff;
  unsigned Position = 63 - unsigned(llvm::countl_zero(Value));
  return O[1] & 1 ? Bits - 1 - Position : Position;
}

/// fshl.clamp(high, low, amount) and fshr.clamp.
template <bool Left> uint64_t funnelClamp(uint64_t *O) {
  uint64_t Both = O[0] << 32 | uint32_t(O[1]);
  uint32_t By = std::min<uint32_t>(uint32_t(O[2]), 32);
  if (!Left)
    return uint32_t(Both >> By);
  return By == 32 ? uint32_t(O[1]) : uint32_t(Both << By >> 32);
}

/// idp2a(a, b, high, c), where PTX has dp2a.lo and dp2a.hi.
template <class A, class B> uint64_t dotHalves(uint64_t *O) {
  uint32_t Sum = uint32_t(O[3]);
  for (unsigned I = 0; I < 2; ++I)
    Sum += uint32_t(int32_t(A(O[0] >> 16 * I)) *
                    int32_t(B(O[1] >> (8 * I + (O[2] & 1 ? 16 : 0)))));
  return Sum;
}

// prmt.rc8 and the like leave out the second word: only the first is read.
uint64_t replicateByte(uint64_t *O) {
  return 0x01010101 * (O[0] >> 8 * (O[1] & 3) & 0xff);
}
uint64_t replicateHalf(uint64_t *O) {
  return 0x00010001 * (O[0] >> 16 * (O[1] & 1) & 0xffff);
}
template <bool Left> uint64_t edgeClamp(uint64_t *O) {
  unsigned Edge = O[1] & 3;
  uint64_t Result = 0;
  for (unsigned I = 0; I < 4; ++I) {
    unsigned From = Left ? std::max(I, Edge) : std::min(I, Edge);
    Result |= (O[0] >> 8 * From & 0xff) << 8 * I;
  }
  return Result;
}

struct Named {
  StringLiteral Name;
  LaneFunction Function;
};
constexpr Named Own[] = {
    {"lohi.i2d", {lowHighToDouble, 2, 1, 64}},
    {"d2i.lo", {lowOfDouble, 1, 1, 32}},
    {"d2i.hi", {highOfDouble, 1, 1, 32}},
    {"flo.s.i32", {findLeadingOne<int32_t, 32>, 2, 1, 32}},
    {"flo.u.i32", {findLeadingOne<uint32_t, 32>, 2, 1, 32}},
    {"flo.s.i64", {findLeadingOne<int64_t, 64>, 2, 1, 32}},
    {"flo.u.i64", {findLeadingOne<uint64_t, 64>, 2, 1, 32}},
    {"fshl.clamp.i32", {funnelClamp<true>, 3, 1, 32}},
    {"fshr.clamp.i32", {funnelClamp<false>, 3, 1, 32}},
    {"idp2a.s.s", {dotHalves<int16_t, int8_t>, 4, 1, 32}},
    {"idp2a.s.u", {dotHalves<int16_t, uint8_t>, 4, 1, 32}},
    {"idp2a.u.s", {dotHalves<uint16_t, int8_t>, 4, 1, 32}},
    {"idp2a.u.u", {dotHalves<uint16_t, uint8_t>, 4, 1, 32}},
    {"prmt.rc8", {replicateByte, 2, 1, 32}},
    {"prmt.rc16", {replicateHalf, 2, 1, 32}},
    {"prmt.ecl", {edgeClamp<true>, 2, 1, 32}},
    {"prmt.ecr", {edgeClamp<false>, 2, 1, 32}},
    {"move.i16", {same<16>, 1, 1, 16}},
    {"move.i32", {same<32>, 1, 1, 32}},
    {"move.i64", {same<64>, 1, 1, 64}},
    {"move.float", {same<32>, 1, 1, 32}},
    {"move.double", {same<64>, 1, 1, 64}},
    {"bitcast.f2i", {same<32>, 1, 1, 32}},
    {"bitcast.i2f", {same<32>, 1, 1, 32}},
    {"bitcast.d2ll", {same<64>, 1, 1, 64}},
    {"bitcast.ll2d", {same<64>, 1, 1, 64}},
};

/// Names that have a fixed instruction.
StringRef fixedOpcode(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("prmt", "prmt.b32")
      .Case("prmt.f4e", "prmt.b32.f4e")
      .Case("prmt.b4e", "prmt.b32.b4e")
      .Case("mulhi.s", "mul.hi.s16")
      .Case("mulhi.us", "mul.hi.u16")
      .Case("mulhi.i", "mul.hi.s32")
      .Case("mulhi.ui", "mul.hi.u32")
      .Case("mulhi.ll", "mul.hi.s64")
      .Case("mulhi.ull", "mul.hi.u64")
      .Case("mul24.i", "mul24.lo.s32")
      .Case("mul24.ui", "mul24.lo.u32")
      .Case("sad.s", "sad.s16")
      .Case("sad.us", "sad.u16")
      .Case("sad.i", "sad.s32")
      .Case("sad.ui", "sad.u32")
      .Case("sad.ll", "sad.s64")
      .Case("sad.ull", "sad.u64")
      .Case("div.full", "div.full.f32")
      .Case("div.full.ftz", "div.full.ftz.f32")
      .Case("sqrt.f", "sqrt.rn.f32") // With -prec-sqrt, the default.
      .Case("idp4a.s.s", "dp4a.s32.s32")
      .Case("idp4a.s.u", "dp4a.s32.u32")
      .Case("idp4a.u.s", "dp4a.u32.s32")
      .Case("idp4a.u.u", "dp4a.u32.u32")
      .Case("sext.wrap", "szext.wrap.s32")
      .Case("sext.clamp", "szext.clamp.s32")
      .Case("zext.wrap", "szext.wrap.u32")
      .Case("zext.clamp", "szext.clamp.u32")
      .Case("bmsk.wrap", "bmsk.wrap.b32")
      .Case("bmsk.clamp", "bmsk.clamp.b32")
      .Case("fns", "fns.b32")
      .Case("ue8m0x2.to.bf16x2", "cvt.rn.bf16x2.ue8m0x2")
      .Case("h2f", "cvt.f32.f16")
      .Default("");
}

/// The PTX type of NVVM's suffix f, d, v2f16, ...
StringRef typeOf(StringRef Suffix) {
  return StringSwitch<StringRef>(Suffix)
      .Case("f", "f32")
      .Case("d", "f64")
      .Case("v2f16", "f16x2")
      .Case("v2bf16", "bf16x2")
      .Case("v2f32", "f32x2")
      .Cases({"f16", "bf16", "f16x2", "bf16x2", "f32", "f64"}, Suffix)
      .Default("");
}

/// "OP[.modifiers].TYPE": arithmetic, minima, rounding to an integral value.
std::string arithmeticOpcode(StringRef Name) {
  auto [Rest, Suffix] = Name.rsplit('.');
  StringRef Type = typeOf(Suffix);
  auto [Operation, Modifiers] = Rest.split('.');
  if (Type.empty())
    return "";
  std::string Tail = Modifiers.empty() ? "" : ("." + Modifiers).str();
  StringRef Integral = StringSwitch<StringRef>(Operation)
                           .Case("floor", ".rmi")
                           .Case("ceil", ".rpi")
                           .Case("trunc", ".rzi")
                           .Case("round", ".rni")
                           .Case("saturate", ".sat")
                           .Default("");
  if (!Integral.empty())
    return ("cvt" + Integral + Tail + "." + Type + "." + Type).str();
  if (Operation == "fmin" || Operation == "fmax") {
    for (size_t At; (At = Tail.find(".nan")) != std::string::npos;)
      Tail.replace(At, 4, ".NaN");
    Operation = Operation.drop_front();
  } else if (Operation == "fabs") {
    Operation = "abs";
  } else if (!is_contained({"add", "mul", "div", "fma", "rcp", "sqrt", "rsqrt",
                            "ex2", "lg2", "sin", "cos", "tanh", "neg", "sub"},
                           Operation)) {
    return "";
  }
  return (Operation + Tail + "." + Type).str();
}

/// The PTX type of the codes in "f2ui", "ull2d", "ff2bf16x2".
StringRef convertedType(StringRef Code) {
  return StringSwitch<StringRef>(Code)
      .Cases({"f", "ff"}, "f32")
      .Case("d", "f64")
      .Case("h", "f16")
      .Case("bf", "bf16")
      .Case("i", "s32")
      .Case("ui", "u32")
      .Case("ll", "s64")
      .Case("ull", "u64")
      .Cases({"f16", "bf16", "f16x2", "bf16x2", "tf32"}, Code)
      .Default("");
}

/// "f2ui.rz.ftz" and the packed "ff.to.e4m3x2.rn.relu".
std::string conversionOpcode(StringRef Name) {
  if (size_t At = Name.find(".to."); At != StringRef::npos) {
    StringRef From = Name.take_front(At);
    auto [To, Modifiers] = Name.drop_front(At + 4).split('.');
    if (From == "ff")
      From = "f32";
    return ("cvt." + Modifiers + "." + To + "." + From).str();
  }
  auto [Codes, Modifiers] = Name.split('.');
  auto [FromCode, ToCode] = Codes.split('2');
  StringRef From = convertedType(FromCode), To = convertedType(ToCode);
  if (From.empty() || To.empty() || Modifiers.empty())
    return "";
  std::string Rounding = Modifiers.str();
  bool ToInteger = To.starts_with("s") || To.starts_with("u");
  if (ToInteger)
    Rounding.insert(2, "i"); // "rz.ftz" is rzi.ftz
  return ("cvt." + Twine(Rounding) + "." + To + "." + From).str();
}

} // namespace

LaneFunction sluice::emulator::resolveNVVMIntrinsic(StringRef Name) {
  for (const Named &Known : Own)
    if (Known.Name == Name)
      return Known.Function;
  if (StringRef Opcode = fixedOpcode(Name); !Opcode.empty())
    return resolvePTX(Opcode);
  if (std::string Opcode = arithmeticOpcode(Name); !Opcode.empty())
    return resolvePTX(Opcode);
  if (std::string Opcode = conversionOpcode(Name); !Opcode.empty())
    return resolvePTX(Opcode);
  return noLaneFunction();
}
