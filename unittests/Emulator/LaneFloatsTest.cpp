// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Floating-point lane functions against tables of edge cases, against the
/// host's arithmetic, and against llvm::APFloat in every rounding.

#include "LaneTesting.h"
#include <cmath>

using namespace llvm;
using namespace sluice::emulator;
using namespace sluice::emulator::testing;

namespace {

bool isNaN(const Format &F, uint64_t Word) {
  return toAPFloat(F, Word).isNaN();
}
/// The function of \p Name against \p exact on many words.
template <class Exact>
void compare(const Format &F, const std::string &Name, unsigned Operands,
             Exact exact) {
  const LaneFunction *Function = find(Name);
  ASSERT_NE(Function, nullptr) << Name;
  ASSERT_EQ(Function->Operands, Operands) << Name;
  Words Source(7);
  for (unsigned I = 0; I < 20000; ++I) {
    uint64_t O[4] = {};
    std::vector<APFloat> Values;
    for (unsigned K = 0; K < Operands; ++K) {
      O[K] = Source.next(F);
      Values.push_back(toAPFloat(F, O[K]));
    }
    uint64_t Given[3] = {O[0], O[1], O[2]};
    APFloat Expected = exact(Values);
    uint64_t Result = Function->Evaluate(O);
    if (Expected.isNaN()) {
      ASSERT_TRUE(F.Bits == 64 ? isNaN(F, Result) : Result == canonicalNaN(F))
          << Name << std::hex << " " << Given[0] << " " << Given[1];
      continue;
    }
    ASSERT_EQ(Result, wordOf(Expected)) << Name << std::hex << " " << Given[0]
                                        << " " << Given[1] << " " << Given[2];
  }
}

TEST(LaneFloatsTest, EveryRoundingAgreesWithAPFloat) {
  for (const Format &F : {Single, Double})
    for (const Rounding &R : Roundings) {
      std::string Tail = std::string(".") + R.Name + "." + F.Name;
      auto with =
          [&](APFloat::opStatus (APFloat::*Op)(const APFloat &, RoundingMode)) {
            return [&R, Op](std::vector<APFloat> &V) {
              (V[0].*Op)(V[1], R.Mode);
              return V[0];
            };
          };
      compare(F, "add" + Tail, 2, with(&APFloat::add));
      compare(F, "sub" + Tail, 2, with(&APFloat::subtract));
      compare(F, "mul" + Tail, 2, with(&APFloat::multiply));
      compare(F, "div" + Tail, 2, with(&APFloat::divide));
      compare(F, "fma" + Tail, 3, [&](std::vector<APFloat> &V) {
        V[0].fusedMultiplyAdd(V[1], V[2], R.Mode);
        return V[0];
      });
      compare(F, "rcp" + Tail, 1, [&](std::vector<APFloat> &V) {
        APFloat One(F.Semantics(), 1);
        One.divide(V[0], R.Mode);
        return One;
      });
    }
}

TEST(LaneFloatsTest, HalvesRoundOnce) {
  auto nearest = RoundingMode::NearestTiesToEven;
  for (const Format &F : {Half, Brain}) {
    std::string Tail = std::string(".") + F.Name;
    compare(F, "add" + Tail, 2, [&](std::vector<APFloat> &V) {
      V[0].add(V[1], nearest);
      return V[0];
    });
    compare(F, "mul.rn" + Tail, 2, [&](std::vector<APFloat> &V) {
      V[0].multiply(V[1], nearest);
      return V[0];
    });
    compare(F, "fma.rn" + Tail, 3, [&](std::vector<APFloat> &V) {
      V[0].fusedMultiplyAdd(V[1], V[2], nearest);
      return V[0];
    });
    compare(F, std::string("llvm.fma.") + F.Name, 3,
            [&](std::vector<APFloat> &V) {
              V[0].fusedMultiplyAdd(V[1], V[2], nearest);
              return V[0];
            });
  }
}

TEST(LaneFloatsTest, DoubleRoundingTraps) {
  check(ArrayRef<Case>{
      // (1 + 2^-6) * (1 + 2^-5) lies halfway between two f16. f32 has no room
      // for the smallest subnormal beside it, which decides.
      {"fma.rn.f16", {0x3c10, 0x3c20, 0x0001}, 0x3c31},
      {"fma.rn.f16", {0x3c10, 0x3c20, 0x8001}, 0x3c30},
      {"fma.rn.f16", {0x3c10, 0x3c20, 0x0000}, 0x3c30},
      {"fma.rn.f16", {0x3c10, 0x3c60, 0x8001}, 0x3c71},
      {"fma.rn.f16", {0x3c10, 0x3c60, 0x0000}, 0x3c72},
      // f64 to f16 over f32 would round 1 + 2^-11 + 2^-40 to a tie.
      {"cvt.rn.f16.f64", {bits(1 + 0x1p-11 + 0x1p-40)}, 0x3c01},
      {"cvt.rn.f16.f64", {bits(1 + 0x1p-11)}, 0x3c00},
      {"cvt.rn.bf16.f64", {bits(1 + 0x1p-8 + 0x1p-50)}, 0x3f81},
      {"cvt.rn.f32.u64",
       {(uint64_t(1) << 63) + (uint64_t(1) << 39) + 1},
       bits(0x1p63f) + 1},
      {"cvt.rn.f16.s64", {uint64_t(2049)}, 0x6800},
      {"cvt.rn.f16.s64", {uint64_t(2051)}, 0x6802},
  });
}

TEST(LaneFloatsTest, SquareRoots) {
  Words Source(3);
  for (unsigned I = 0; I < 20000; ++I) {
    float A = std::fabs(bit_cast<float>(uint32_t(Source.next(Single))));
    EXPECT_EQ(eval("sqrt.rn.f32", {bits(A)}),
              std::isnan(A) ? Max32 : bits(std::sqrt(A)));
    double D = std::fabs(bit_cast<double>(Source.next(Double)));
    if (!std::isfinite(D) || D == 0)
      continue;
    // The root rounded down and up encloses the exact one, and no more.
    double Down = bit_cast<double>(eval("sqrt.rm.f64", {bits(D)}));
    double Up = bit_cast<double>(eval("sqrt.rp.f64", {bits(D)}));
    EXPECT_EQ(eval("sqrt.rz.f64", {bits(D)}), bits(Down));
    APFloat Square(Down), UpSquare(Up);
    Square.fusedMultiplyAdd(APFloat(Down), APFloat(-D),
                            RoundingMode::TowardPositive);
    UpSquare.fusedMultiplyAdd(APFloat(Up), APFloat(-D),
                              RoundingMode::TowardNegative);
    ASSERT_TRUE(Square.isNegative() || Square.isZero()) << D;
    ASSERT_TRUE(!UpSquare.isNegative() || UpSquare.isZero()) << D;
    ASSERT_TRUE(Up == Down || Up == std::nextafter(Down, INFINITY)) << D;
  }
  check(ArrayRef<Case>{
      {"sqrt.rn.f32", {Min32}, Min32},
      {"sqrt.rn.f32", {bits(-1.0f)}, Max32},
      {"sqrt.rm.f32", {bits(2.0f)}, 0x3fb504f3},
      {"sqrt.rp.f32", {bits(2.0f)}, 0x3fb504f4},
      {"sqrt.rp.f64", {1}, bits(0x1p-537)},
      {"llvm.sqrt.f16", {0x4000}, 0x3da8},
  });
}

TEST(LaneFloatsTest, SignedZerosAndOverflow) {
  uint64_t One = bits(1.0f), MinusOne = bits(-1.0f), Largest = 0x7f7fffff;
  check(ArrayRef<Case>{
      {"add.rn.f32", {One, MinusOne}, 0},
      {"add.rm.f32", {One, MinusOne}, Min32},
      {"sub.rm.f32", {0, 0}, Min32},
      {"add.rm.f32", {0, 0}, 0},
      {"fma.rm.f32", {One, One, MinusOne}, Min32},
      {"add.rz.f32", {Largest, Largest}, Largest},
      {"add.rp.f32", {Largest, Largest}, 0x7f800000},
      {"mul.rm.f32", {Largest, Largest}, Largest},
      {"div.rp.f32", {1, Largest}, 1},
      {"add.f16", {0x7bff, 0x5000}, 0x7c00},
      {"fma.rn.f16", {0x7bff, 0x4000, 0xfbff}, 0x7bff},
  });
}

TEST(LaneFloatsTest, FlushSaturateRelu) {
  uint64_t One = bits(1.0f), Smallest = 0x00800000;
  check(ArrayRef<Case>{
      {"add.ftz.f32", {1, 0x80000001}, 0},
      {"mul.ftz.f32", {0x80000001, One}, Min32},
      {"add.f32", {1, 1}, 2},
      // Just below 2^-126: flushed, unless it rounds up to it before the
      // exponent's limit is looked at. The second product is exactly halfway.
      {"mul.f32", {Smallest, 0x3f7fffff}, Smallest},
      {"mul.ftz.f32", {Smallest, 0x3f7fffff}, 0},
      {"mul.ftz.f32", {bits(0x1.231cp-86f), bits(0x1.c24p-41f)}, Smallest},
      {"cvt.rn.ftz.f32.f64", {bits(0x1p-126 - 0x1p-151)}, Smallest},
      {"cvt.rn.ftz.f32.f64", {bits(0x1p-126 - 0x1.1p-151)}, 0},
      {"cvt.rp.ftz.f32.f64", {bits(0x1p-126 - 0x1p-150)}, 0},
      {"cvt.rp.ftz.f32.f64", {bits(0x1p-126 - 0x1.ffp-151)}, Smallest},
      {"mul.ftz.f32", {Smallest, bits(-0.5f)}, Min32},
      {"fma.rn.ftz.sat.f32", {One, One, One}, One},
      {"add.sat.f32", {bits(-3.0f), One}, 0},
      {"add.sat.f32", {0x7fc00000, One}, 0},
      {"fma.rn.relu.f16", {0x3c00, 0xbc00, 0}, 0},
      {"fma.rn.relu.f16", {0x7e00, 0xbc00, 0}, 0x7fff},
      {"fma.rn.sat.f16x2", {0x3c004000, 0x3c003c00, 0xc0000000}, 0x00003c00},
      {"add.rn.f16x2", {0x3c004000, 0x3c003c00}, 0x40004200},
      {"mul.bf16x2", {0x40003f80, 0x40404040}, 0x40c04040},
      {"add.f16", {0x7e01, 0}, 0x7fff},
      {"add.rn.f32", {0xffc12345, 0}, Max32},
      {"add.rn.f32x2", {uint64_t(bits(1.0f)) << 32, One}, One << 32 | One},
      {"add.f32.f16", {0x3c00, One}, bits(2.0f)},
      {"fma.rn.f32.bf16", {0x3f80, 0x4000, One}, bits(3.0f)},
  });
  EXPECT_EQ(find("fma.f32"), nullptr); // It needs a rounding.
  EXPECT_EQ(find("add.rz.f16"), nullptr);
  EXPECT_EQ(find("add.ftz.f64"), nullptr);
}

TEST(LaneFloatsTest, MinimaAndMaxima) {
  uint64_t NaN = 0x7fc00000, One = bits(1.0f), Two = bits(2.0f),
           MinusZero = Min32, MinusTwo = bits(-2.0f);
  check(ArrayRef<Case>{
      {"min.f32", {NaN, One}, One},
      {"min.f32", {One, NaN}, One},
      {"max.f32", {NaN, NaN}, Max32},
      {"min.NaN.f32", {NaN, One}, Max32},
      {"min.f32", {0, MinusZero}, MinusZero},
      {"max.f32", {MinusZero, 0}, 0},
      {"max.ftz.f32", {1, MinusZero}, 0},
      {"min.xorsign.abs.f32", {MinusTwo, One}, bits(-1.0f)},
      {"max.NaN.xorsign.abs.f32", {MinusTwo, bits(-1.0f)}, Two},
      {"max3.f32", {One, MinusTwo, Two}, Two},
      {"min3.NaN.abs.f32", {MinusTwo, bits(-3.0f), NaN}, Max32},
      {"max.f16", {0x7e00, 0xbc00}, 0xbc00},
      {"min.NaN.f16", {0x7e00, 0xbc00}, 0x7fff},
      {"min.f16x2", {0x3c00bc00, 0x40008000}, 0x3c00bc00},
      {"max.bf16x2", {0x3f807fc0, 0x40007fc0}, 0x40007fff},
      {"min.f64", {bits(-0.0), bits(0.0)}, bits(-0.0)},
      {"abs.f32", {MinusTwo}, Two},
      {"neg.f16x2", {0x3c008000}, 0xbc000000},
      {"abs.ftz.f32", {0x80000001}, 0},
      {"llvm.minimum.f32", {NaN, One}, Max32},
      {"llvm.maximum.f64", {bits(-0.0), bits(0.0)}, bits(0.0)},
      {"llvm.minnum.f16", {0x7e00, 0x3c00}, 0x3c00},
      {"llvm.nvvm.fmax.ftz.nan.xorsign.abs.f", {MinusTwo, One}, MinusTwo},
      {"llvm.nvvm.fmin.nan.bf16x2", {0x3f807fc0, 0x40003f80}, 0x3f807fff},
  });
}

TEST(LaneFloatsTest, ApproximationsAreRoundedDoubles) {
  for (float X : {0.1f, 0.7f, 1.0f, 3.5f, 100.0f}) {
    EXPECT_EQ(eval("sin.approx.f32", {bits(X)}),
              bits(float(std::sin(double(X)))));
    EXPECT_EQ(eval("ex2.approx.ftz.f32", {bits(X)}),
              bits(float(std::exp2(double(X)))));
    EXPECT_EQ(eval("llvm.nvvm.lg2.approx.f", {bits(X)}),
              bits(float(std::log2(double(X)))));
    EXPECT_EQ(eval("rsqrt.approx.f32", {bits(X)}),
              bits(float(1 / std::sqrt(double(X)))));
    EXPECT_EQ(eval("div.full.f32", {bits(1.0f), bits(X)}), bits(1.0f / X));
  }
  uint64_t MinusInfinity = 0xff800000, Infinity = 0x7f800000;
  check(ArrayRef<Case>{
      {"ex2.approx.f32", {MinusInfinity}, 0},
      {"lg2.approx.f32", {0}, MinusInfinity},
      {"lg2.approx.ftz.f32", {1}, MinusInfinity},
      {"lg2.approx.f32", {bits(-1.0f)}, Max32},
      {"rcp.approx.ftz.f32", {Min32}, MinusInfinity},
      {"rsqrt.approx.f32", {0}, Infinity},
      {"sin.approx.f32", {Infinity}, Max32},
      {"sin.approx.f32", {0x80000001}, Min32},
      {"div.approx.f32", {0x7f000001, 0x7f000002}, 0},
      {"div.approx.f32", {Infinity, 0x7f000002}, Max32},
      {"div.approx.f32", {bits(1.0f), Infinity}, 0},
      {"cos.approx.ftz.f32", {1}, bits(1.0f)},
      {"tanh.approx.f32", {Infinity}, bits(1.0f)},
      {"ex2.approx.f16x2", {0x3c004000}, 0x40004400},
      {"tanh.approx.bf16", {0}, 0},
      {"rcp.approx.ftz.f64", {bits(2.0) | 0xffff}, bits(0.5)},
      {"rsqrt.approx.ftz.f64", {bits(2.0)}, 0x3fe6a09e00000000},
  });
}

} // namespace
