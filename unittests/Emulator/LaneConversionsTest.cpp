// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// cvt against tables of edge cases and against llvm::APFloat.

#include "LaneTesting.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <random>

using namespace llvm;
using namespace sluice::emulator;
using namespace sluice::emulator::testing;

namespace {

TEST(LaneConversionsTest, HalfRoundTripIsExact) {
  for (uint32_t Word = 0; Word < 0x10000; ++Word) {
    uint64_t Wide = eval("cvt.f32.f16", {Word});
    bool NaN = (Word & 0x7fff) > 0x7c00;
    ASSERT_EQ(Wide, NaN ? Max32 : wordOf([&] {
                APFloat V = toAPFloat(Half, Word);
                bool Lost;
                V.convert(APFloat::IEEEsingle(),
                          RoundingMode::NearestTiesToEven, &Lost);
                return V;
              }()))
        << Word;
    ASSERT_EQ(eval("cvt.rn.f16.f32", {Wide}), NaN ? 0x7fff : Word) << Word;
    uint64_t WideBrain = eval("cvt.f32.bf16", {Word});
    ASSERT_EQ(WideBrain, uint64_t(Word) << 16);
    ASSERT_EQ(eval("cvt.rn.bf16.f32", {WideBrain}),
              (Word & 0x7fff) > 0x7f80 ? 0x7fff : Word);
  }
}

TEST(LaneConversionsTest, NarrowingAgreesWithAPFloat) {
  struct Pair {
    const Format &To, &From;
  };
  for (const Pair &P :
       {Pair{Half, Single}, Pair{Brain, Single}, Pair{Half, Double},
        Pair{Brain, Double}, Pair{Single, Double}})
    for (const Rounding &R : Roundings) {
      std::string Name =
          std::string("cvt.") + R.Name + "." + P.To.Name + "." + P.From.Name;
      Words Source(11);
      for (unsigned I = 0; I < 20000; ++I) {
        uint64_t Word = Source.next(P.From);
        if (P.To.Bits == 16 && I % 2) { // Into the range of f16.
          double Small = std::ldexp(double(int64_t(Source.next(Double))),
                                    -64 - int(I % 40));
          Word = P.From.Bits == 64 ? bits(Small) : bits(float(Small));
        }
        APFloat Value = toAPFloat(P.From, Word);
        bool Lost;
        Value.convert(P.To.Semantics(), R.Mode, &Lost);
        // An f64 NaN keeps its sign and payload.
        ASSERT_EQ(eval(Name, {Word}), Value.isNaN() && P.From.Bits != 64
                                          ? canonicalNaN(P.To)
                                          : wordOf(Value))
            << Name << " " << std::hex << Word;
      }
    }
}

TEST(LaneConversionsTest, FloatsToIntegersSaturate) {
  uint64_t NaN32 = 0x7fc00000, NaN64 = 0x7ff8000000000000,
           Infinity = 0x7f800000;
  check(ArrayRef<Case>{
      {"cvt.rzi.s32.f32", {bits(-1.9f)}, Ones32},
      {"cvt.rni.s32.f32", {bits(2.5f)}, 2},
      {"cvt.rni.s32.f32", {bits(3.5f)}, 4},
      {"cvt.rmi.s32.f32", {bits(-0.1f)}, Ones32},
      {"cvt.rpi.u32.f32", {bits(0.1f)}, 1},
      {"cvt.rpi.ftz.u32.f32", {1}, 0},
      {"cvt.rpi.u32.f32", {1}, 1},
      {"cvt.rzi.s32.f32", {Infinity}, Max32},
      {"cvt.rzi.s32.f32", {bits(-1e20f)}, Min32},
      {"cvt.rzi.u32.f32", {bits(-1.0f)}, 0},
      {"cvt.rzi.u64.f32", {Infinity}, Ones64},
      {"cvt.rzi.s64.f64", {bits(9223372036854775807.0)}, Min64 - 1},
      {"cvt.rzi.u64.f64", {bits(9223372036854775808.0)}, Min64},
      {"cvt.rzi.s8.f32", {bits(-200.0f)}, 0x80},
      {"cvt.rzi.u16.f16", {0x7bff}, 65504},
      // NaN.
      {"cvt.rzi.s32.f32", {NaN32}, 0},
      {"cvt.rzi.u16.f16", {0x7e00}, 0},
      {"cvt.rzi.s64.f32", {NaN32}, Min64},
      {"cvt.rzi.u64.f16", {0x7e00}, Min64},
      {"cvt.rzi.s32.f64", {NaN64}, Min32},
      {"llvm.nvvm.f2ui.rz", {NaN32}, 0},
      {"llvm.nvvm.d2ll.rn", {NaN64}, Min64},
      {"llvm.fptosi.sat.i64.f32", {NaN32}, 0},
      {"llvm.fptoui.sat.i8.f64", {bits(300.0)}, 255},
      {"llvm.fptosi.sat.i16.f16", {0xfbff}, 0x8000},
  });
}

TEST(LaneConversionsTest, IntegersToFloats) {
  std::mt19937_64 Random(5);
  for (unsigned I = 0; I < 20000; ++I) {
    uint64_t Word = Random() >> Random() % 64;
    EXPECT_EQ(eval("cvt.rn.f32.s64", {Word}), bits(float(int64_t(Word))));
    EXPECT_EQ(eval("cvt.rn.f32.u64", {Word}), bits(float(Word)));
    EXPECT_EQ(eval("cvt.rn.f64.u64", {Word}), bits(double(Word)));
    for (const Rounding &R : Roundings)
      for (const Format &F : {Half, Brain, Single, Double}) {
        APFloat Value(F.Semantics());
        Value.convertFromAPInt(APInt(64, Word), /*IsSigned=*/true, R.Mode);
        ASSERT_EQ(eval((Twine("cvt.") + R.Name + "." + F.Name + ".s64").str(),
                       {Word}),
                  wordOf(Value))
            << R.Name << F.Name << std::hex << Word;
      }
  }
  check(ArrayRef<Case>{
      {"cvt.rn.f32.s8", {0xff}, bits(-1.0f)},
      {"cvt.rn.f16.u32", {65520}, 0x7c00},
      {"cvt.rz.f16.u32", {65520}, 0x7bff},
      {"cvt.rn.f64.s32", {Ones32}, bits(-1.0)},
      {"llvm.nvvm.ui2f.rp", {Ones32}, bits(0x1p32f)},
      {"llvm.nvvm.i2d.rn", {Ones32}, bits(-1.0)},
      {"cvt.rn.bf16.u16", {257}, 0x4380},
  });
}

TEST(LaneConversionsTest, IntegersToIntegers) {
  check(ArrayRef<Case>{
      {"cvt.s32.s8", {0x80}, 0xffffff80},
      {"cvt.u32.s8", {0x80}, 0xffffff80},
      {"cvt.u64.u32", {Ones32}, Ones32},
      {"cvt.s64.s32", {Ones32}, Ones64},
      {"cvt.u8.u32", {0x1234}, 0x34},
      {"cvt.sat.u8.s32", {Ones32}, 0},
      {"cvt.sat.u8.s32", {300}, 255},
      {"cvt.sat.s8.s32", {uint32_t(-300)}, 0x80},
      {"cvt.sat.s8.u32", {Ones32}, 0x7f},
      {"cvt.sat.u32.s32", {Min32}, 0},
      {"cvt.sat.s32.u64", {Ones64}, Max32},
      {"cvt.sat.s64.u64", {Ones64}, Ones64 >> 1},
      {"cvt.sat.u64.s8", {0x80}, 0},
      {"cvt.sat.s16.s64", {uint64_t(-5)}, 0xfffb},
      {"cvt.pack.sat.s16.s32", {70000, uint32_t(-70000)}, 0x7fff8000},
      {"cvt.pack.sat.u8.s32.b32", {300, Ones32, 0x12345678}, 0x5678ff00},
      {"cvt.pack.sat.s4.s32.b32", {7, uint32_t(-9), 1}, 0x178},
  });
}

TEST(LaneConversionsTest, RoundingToIntegralAndFinishes) {
  check(ArrayRef<Case>{
      {"cvt.rni.f32.f32", {bits(0.5f)}, 0},
      {"cvt.rni.f32.f32", {bits(-0.5f)}, Min32},
      {"cvt.rmi.f64.f64", {bits(-0.5)}, bits(-1.0)},
      {"cvt.rpi.f16.f16", {0x0001}, 0x3c00},
      {"cvt.rzi.ftz.f32.f32", {0x80000001}, Min32},
      {"cvt.sat.f32.f32", {bits(1.5f)}, bits(1.0f)},
      {"cvt.sat.f32.f32", {0x7fc00000}, 0},
      {"cvt.rn.sat.f16.f32", {bits(2.0f)}, 0x3c00},
      {"cvt.rn.relu.f16.f32", {bits(-2.0f)}, 0},
      {"cvt.rn.satfinite.f16.f32", {bits(1e9f)}, 0x7bff},
      {"cvt.rn.relu.satfinite.bf16.f32", {0x7f800000}, 0x7f7f},
      {"cvt.ftz.f64.f32", {1}, 0},
      {"cvt.ftz.f32.bf16", {0x8001}, Min32},
      {"cvt.f32.f32", {0xffc12345}, 0xffc12345},
      {"cvt.f64.f16", {0x7e00}, 0x7fffffffe0000000},
      {"cvt.f64.f32", {1}, bits(0x1p-149)},
      {"cvt.rn.ftz.f32.f64", {bits(0x1p-130)}, 0},
      {"cvt.rn.f16.f32", {bits(65519.0f)}, 0x7bff},
      {"cvt.rn.f16.f32", {bits(65520.0f)}, 0x7c00},
      {"cvt.rn.f16.f32", {bits(0x1p-25f)}, 0},
      {"cvt.rn.f16.f32", {bits(0x1.8p-25f)}, 1},
      {"cvt.rna.tf32.f32", {0x3f801000}, 0x3f802000},
      {"cvt.rn.tf32.f32", {0x3f801000}, 0x3f800000},
      {"cvt.rz.relu.tf32.f32", {0xbf801000}, 0},
      {"llvm.nvvm.f2tf32.rna", {0xbf801000}, 0xbf802000},
      {"llvm.nvvm.floor.f", {bits(-0.5f)}, bits(-1.0f)},
      {"llvm.nvvm.round.ftz.f", {bits(2.5f)}, bits(2.0f)},
      {"llvm.nvvm.saturate.d", {bits(-3.0)}, 0},
      {"llvm.round.f32", {bits(2.5f)}, bits(3.0f)},
      {"llvm.roundeven.f64", {bits(2.5)}, bits(2.0)},
      {"llvm.lround.i32.f32", {bits(-2.5f)}, uint32_t(-3)},
  });
}

TEST(LaneConversionsTest, PackedFormats) {
  uint64_t One = bits(1.0f), Two = bits(2.0f);
  check(ArrayRef<Case>{
      {"cvt.rn.f16x2.f32", {One, Two}, 0x3c004000},
      {"cvt.rn.relu.bf16x2.f32", {bits(-1.0f), Two}, 0x00004000},
      {"cvt.rz.satfinite.f16x2.f32", {bits(1e9f), bits(-1e9f)}, 0x7bfffbff},
      {"llvm.nvvm.ff2bf16x2.rn", {One, Two}, 0x3f804000},
      {"cvt.rn.satfinite.e4m3x2.f32", {One, bits(1000.0f)}, 0x387e},
      {"cvt.rn.satfinite.e4m3x2.f32", {0x7fc00000, bits(-0.0f)}, 0x7f80},
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(0x1p-9f), bits(0x1p-10f)}, 0x0100},
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(464.0f), bits(18.0f)}, 0x7e59},
      {"cvt.rn.satfinite.e4m3x2.f32", {bits(17.0f), bits(19.0f)}, 0x585a},
      {"cvt.rn.satfinite.e5m2x2.f32", {bits(1e6f), bits(-3.0f)}, 0x7bc2},
      {"cvt.rn.satfinite.relu.e5m2x2.f16x2", {0xbc003c00}, 0x003c},
      {"cvt.rn.f16x2.e4m3x2", {0x387f}, 0x3c007fff},
      {"cvt.rn.f16x2.e4m3x2", {0x017e}, 0x18005f00},
      {"cvt.rn.f16x2.e5m2x2", {0x3cfc}, 0x3c00fc00},
      {"cvt.rn.relu.f16x2.e5m2x2", {0x7dbc}, 0x7fff0000},
      {"cvt.rn.satfinite.e2m1x2.f32", {bits(5.0f), bits(-9.0f)}, 0x6f},
      {"cvt.rn.f16x2.e2m1x2", {0x19}, 0x3800b800},
      {"cvt.rn.satfinite.e2m3x2.f32", {bits(7.4f), bits(0.125f)}, 0x1f01},
      {"cvt.rn.satfinite.e3m2x2.f32", {0x7fc00000, One}, 0x1f0c},
      {"cvt.rz.ue8m0x2.f32", {One, bits(3.0f)}, 0x7f80},
      {"cvt.rp.satfinite.ue8m0x2.f32", {0x7f800000, bits(3.0f)}, 0xfe81},
      {"cvt.rn.bf16x2.ue8m0x2", {0x7f00}, 0x3f800040},
      {"llvm.nvvm.ff.to.e4m3x2.rn", {One, Two}, 0x3840},
      {"llvm.nvvm.e4m3x2.to.f16x2.rn", {0x3840}, 0x3c004000},
  });
}

} // namespace
