// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Lane functions of integers and predicates, and LLVM's own intrinsics.

#include "LaneTesting.h"

using namespace llvm;
using namespace sluice::emulator;
using namespace sluice::emulator::testing;

namespace {

TEST(LaneIntegersTest, Arithmetic) {
  check(ArrayRef<Case>{
      {"add.s32", {Max32, 1}, Min32},
      {"add.u16", {0xffff, 2}, 1},
      {"add.sat.s32", {Max32, 1}, Max32},
      {"add.sat.s32", {Min32, Ones32}, Min32},
      {"sub.sat.s32", {Min32, 1}, Min32},
      {"sub.u64", {0, 1}, Ones64},
      {"mul.lo.s32", {Ones32, Ones32}, 1},
      {"mul.hi.s32", {Min32, Min32}, 0x40000000},
      {"mul.hi.u32", {Ones32, Ones32}, 0xfffffffe},
      {"mul.hi.s16", {0x8000, 2}, 0xffff},
      {"mul.hi.s64", {Min64, 2}, Ones64},
      {"mul.hi.u64", {Ones64, Ones64}, Ones64 - 1},
      {"mul.wide.s32", {Ones32, 5}, uint64_t(-5)},
      {"mul.wide.u32", {Ones32, 5}, 5 * Ones32},
      {"mul.wide.s16", {0xffff, 0xffff}, 1},
      {"mad.lo.s32", {3, 4, Ones32}, 11},
      {"mad.hi.sat.s32", {Max32, Max32, Max32}, Max32},
      {"mad.wide.u16", {0xffff, 0xffff, 1}, 0xfffe0002},
      {"mul24.lo.s32", {0xffffff, 2}, 0xfffffffe},
      {"mul24.hi.u32", {0xffffff, 0xffffff}, 0xfffffe00},
      {"mul24.hi.s32", {0x800000, 1}, 0xffffff80},
      {"mad24.lo.u32", {0xff000002, 3, 1}, 7},
      {"sad.s32", {Ones32, 2, 10}, 13},
      {"sad.u32", {2, Ones32, 0}, Ones32 - 2},
      {"sad.u16", {1, 3, 0xffff}, 1},
      {"div.s32", {uint32_t(-7), 2}, uint32_t(-3)},
      {"div.s32", {Min32, Ones32}, Min32},
      {"div.u32", {7, 0}, Ones32},
      {"div.s64", {Min64, Ones64}, Min64},
      {"rem.s32", {uint32_t(-7), 2}, Ones32},
      {"rem.s32", {Min32, Ones32}, 0},
      {"rem.u64", {7, 0}, Ones64},
      {"abs.s32", {Min32}, Min32},
      {"abs.s16", {0xffff}, 1},
      {"neg.s64", {1}, Ones64},
      {"min.s32", {Ones32, 1}, Ones32},
      {"min.u32", {Ones32, 1}, 1},
      {"max.s16", {0xffff, 1}, 1},
      {"max.relu.s32", {Ones32, Min32}, 0},
      {"max.s32.relu", {Ones32, 3}, 3},
      {"min.s16x2", {0xffff0001, 0x00020000}, 0xffff0000},
      {"max.relu.s16x2", {0xffff0001, 0xfffe0000}, 0x00000001},
      {"add.u16x2", {0xffff0001, 0x00010001}, 0x00000002},
  });
}

TEST(LaneIntegersTest, WideOperandsAreCutToTheType) {
  check(ArrayRef<Case>{
      {"add.u16", {0x1234ffff, 1}, 0},
      {"cvt.s32.s8", {0x1ff}, Ones32},
      {"shr.s16", {0x18000, 15}, 0xffff},
      {"popc.b32", {Ones64}, 32},
  });
}

TEST(LaneIntegersTest, Carries) {
  check(ArrayRef<CaseOfTwo>{
      {"add.cc.u32", {Ones32, 1}, 0, 1},
      {"add.cc.s32", {Max32, 1}, Min32, 0},
      {"addc.cc.u32", {Ones32, 0, 1}, 0, 1},
      {"addc.cc.u64", {Ones64, Ones64, 1}, Ones64, 1},
      {"sub.cc.u32", {0, 1}, Ones32, 1},
      {"sub.cc.u32", {1, 1}, 0, 0},
      {"subc.cc.u32", {0, Ones32, 1}, 0, 1},
      {"mad.lo.cc.u32", {Ones32, Ones32, Ones32}, 0, 1},
      {"madc.hi.cc.u32", {Ones32, Ones32, 1, 1}, 0, 1},
      {"madc.hi.cc.s32", {Ones32, Ones32, Ones32, 1}, 0, 1},
  });
  check(ArrayRef<Case>{
      {"addc.u32", {1, 2, 1}, 4},
      {"subc.u64", {5, 2, 1}, 2},
      {"madc.hi.u32", {Ones32, Ones32, 0, 1}, Ones32},
      {"madc.lo.u64", {3, 4, 5, 1}, 18},
  });
  // 128-bit product from four 32-bit pieces' chain, as in multi-word code.
  uint64_t A = 0xfedcba9876543210, B = 0x0123456789abcdef;
  Answer Low = ask("mad.lo.cc.u64", {A, B, Ones64});
  uint64_t High = eval("madc.hi.u64", {A, B, 0, Low.Second});
  auto Exact = static_cast<unsigned __int128>(A) * B + Ones64;
  EXPECT_EQ(Low.First, uint64_t(Exact));
  EXPECT_EQ(High, uint64_t(Exact >> 64));
}

TEST(LaneBitsTest, ShiftsClampAtTheWidth) {
  check(ArrayRef<Case>{
      {"shl.b32", {1, 31}, Min32},
      {"shl.b32", {1, 32}, 0},
      {"shl.b32", {1, Ones32}, 0},
      {"shl.b64", {1, 63}, Min64},
      {"shl.b64", {1, 64}, 0},
      {"shl.b16", {1, 16}, 0},
      {"shr.u32", {Min32, 32}, 0},
      {"shr.s32", {Min32, 31}, Ones32},
      {"shr.s32", {Min32, 77}, Ones32},
      {"shr.s32", {Max32, 77}, 0},
      {"shr.b64", {Min64, 64}, 0},
      {"shr.s64", {Min64, 64}, Ones64},
      {"shf.l.wrap.b32", {0x80000001, 0x12345678, 4}, 0x23456788},
      {"shf.l.wrap.b32", {1, 2, 32}, 2},
      {"shf.l.clamp.b32", {1, 2, 32}, 1},
      {"shf.l.clamp.b32", {1, 2, 99}, 1},
      {"shf.r.wrap.b32", {1, 2, 32}, 1},
      {"shf.r.clamp.b32", {1, 2, 32}, 2},
      {"shf.r.wrap.b32", {0x80000000, 0xf, 4}, 0xf8000000},
      {"llvm.fshl.i32", {2, 0x80000000, 33}, 5},
      {"llvm.fshr.i8", {1, 0x80, 8}, 0x80},
      {"llvm.nvvm.fshl.clamp.i32", {2, 1, 32}, 1},
      {"llvm.nvvm.fshr.clamp.i32", {2, 1, 40}, 2},
  });
}

TEST(LaneBitsTest, Logic) {
  check(ArrayRef<Case>{
      {"not.b16", {0}, 0xffff},
      {"not.pred", {1}, 0},
      {"cnot.b32", {0}, 1},
      {"cnot.b64", {5}, 0},
      {"xor.pred", {1, 1}, 0},
      {"and.b64", {Ones64, 6}, 6},
      {"lop3.b32", {0xf0, 0xcc, 0xaa, 0x96}, 0xf0 ^ 0xcc ^ 0xaa},
      {"lop3.b32", {0xf0, 0xcc, 0xaa, 0xe8}, 0xe8},
      {"lop3.b32", {0xf0, 0xcc, 0xaa, 0x01}, 0xffffff01},
      {"mov.b16", {0x12345}, 0x2345},
      {"mov.pred", {1}, 1},
  });
  check(ArrayRef<CaseOfTwo>{
      {"lop3.or.b32", {0, 0, 0, 0x80, 1}, 0, 1},
      {"lop3.and.b32", {1, 1, 1, 0x80, 0}, 1, 0},
  });
}

TEST(LaneBitsTest, CountsAndFields) {
  check(ArrayRef<Case>{
      {"popc.b64", {Ones64}, 64},
      {"clz.b32", {0}, 32},
      {"clz.b64", {1}, 63},
      {"brev.b32", {1}, Min32},
      {"brev.b64", {2}, Min64 >> 1},
      {"bfind.u32", {0}, Ones32},
      {"bfind.u32", {0x00800000}, 23},
      {"bfind.s32", {Ones32}, Ones32},
      {"bfind.s32", {0xfffffff7}, 3},
      {"bfind.shiftamt.u64", {1}, 63},
      {"fns.b32", {0xaaaaaaaa, 3, 1}, 3},
      {"fns.b32", {0xaaaaaaaa, 3, uint32_t(-1)}, 3},
      {"fns.b32", {0xaaaaaaaa, 4, uint32_t(-2)}, 1},
      {"fns.b32", {0xaaaaaaaa, 3, 2}, 5},
      {"fns.b32", {0xaaaaaaaa, 4, 0}, Ones32},
      {"fns.b32", {1, 0, 2}, Ones32},
      {"bfe.u32", {0x12345678, 8, 12}, 0x456},
      {"bfe.s32", {0x00000f00, 8, 4}, Ones32},
      {"bfe.s32", {Min32, 28, 8}, 0xfffffff8},
      {"bfe.u32", {Ones32, 32, 4}, 0},
      {"bfe.s32", {Min32, 40, 4}, Ones32},
      {"bfe.u32", {Ones32, 0, 255}, Ones32},
      {"bfe.s64", {Min64, 63, 1}, Ones64},
      {"bfe.u32", {Ones32, 3, 0}, 0},
      {"bfi.b32", {0xab, 0x11111111, 8, 8}, 0x1111ab11},
      {"bfi.b32", {0xff, 0, 28, 8}, 0xf0000000},
      {"bfi.b32", {0xff, 7, 32, 8}, 7},
      {"bfi.b64", {Ones64, 0, 0, 64}, Ones64},
      {"bmsk.clamp.b32", {4, 8}, 0xff0},
      {"bmsk.clamp.b32", {32, 8}, 0},
      {"bmsk.clamp.b32", {28, 40}, 0xf0000000},
      {"bmsk.wrap.b32", {33, 33}, 2},
      {"szext.clamp.s32", {0x80, 8}, 0xffffff80},
      {"szext.clamp.u32", {Ones32, 40}, Ones32},
      {"szext.wrap.s32", {0x1, 33}, Ones32},
      {"szext.wrap.s32", {Ones32, 0}, 0},
  });
}

TEST(LaneBitsTest, PermutationsFollowTheISAsTable) {
  // Bytes 0 to 7 hold their own numbers.
  uint64_t A = 0x03020100, B = 0x07060504;
  check(ArrayRef<Case>{
      {"prmt.b32", {A, B, 0x7531}, 0x07050301},
      {"prmt.b32", {0x80, B, 0x0008}, 0x808080ff},
      {"prmt.b32.f4e", {A, B, 1}, 0x04030201},
      {"prmt.b32.b4e", {A, B, 1}, 0x06070001},
      {"prmt.b32.rc8", {A, B, 2}, 0x02020202},
      {"prmt.b32.ecl", {A, B, 2}, 0x03020202},
      {"prmt.b32.ecr", {A, B, 1}, 0x01010100},
      {"prmt.b32.rc16", {A, B, 1}, 0x03020302},
      {"llvm.nvvm.prmt", {A, B, 0x3210}, A},
      {"llvm.nvvm.prmt.ecl", {A, 2}, 0x03020202},
      {"llvm.nvvm.prmt.rc16", {A, 1}, 0x03020302},
  });
}

TEST(LaneBitsTest, DotProductsAndVideo) {
  check(ArrayRef<Case>{
      {"dp4a.s32.s32", {0xffffffff, 0x01020304, 100}, 90},
      {"dp4a.u32.u32", {0xffffffff, 0x01010101, 0}, 1020},
      {"dp4a.u32.s32", {0x02020202, 0xffffffff, 0}, uint32_t(-8)},
      {"dp2a.lo.s32.s32", {0xffff0002, 0x03040506, 0}, 12 - 5},
      {"dp2a.hi.u32.u32", {0xffff0002, 0x03040506, 0}, 0x2fffd + 8},
      {"llvm.nvvm.idp2a.s.s", {0xffff0002, 0x03040506, 1, 0}, 8 - 3},
      {"vadd4.u32.u32.u32", {0xff010203, 0x01010101, 0}, 0x00020304},
      {"vadd4.u32.u32.u32.sat", {0xff010203, 0x01010101, 0}, 0xff020304},
      {"vsub2.s32.s32.s32.sat", {0x80000005, 0x00010001, 0}, 0x80000004},
      {"vabsdiff4.u32.u32.u32.add", {0x00ff0102, 0xff000101, 1}, 512},
      {"vset2.s32.s32.lt", {0xffff0001, 0x00000001, 0}, 0x00010000},
      {"vavrg2.u32.u32.u32", {0x00030001, 0x00000002, 0}, 0x00020002},
  });
}

TEST(LaneCompareTest, Comparisons) {
  uint64_t NaN = 0x7fc00000, One = bits(1.0f), MinusZero = Min32;
  check(ArrayRef<CaseOfTwo>{
      {"setp.lt.s32", {Ones32, 0}, 1, 0},
      {"setp.lt.u32", {Ones32, 0}, 0, 1},
      {"setp.hs.u16", {0xffff, 1}, 1, 0},
      {"setp.lo.u64", {1, Ones64}, 1, 0},
      {"setp.eq.b16", {0x10001, 1}, 1, 0},
      {"setp.eq.f32", {0, MinusZero}, 1, 0},
      {"setp.lt.f32", {NaN, One}, 0, 1},
      {"setp.ltu.f32", {NaN, One}, 1, 0},
      {"setp.ne.f32", {NaN, One}, 0, 1},
      {"setp.neu.f32", {NaN, NaN}, 1, 0},
      {"setp.num.f32", {One, NaN}, 0, 1},
      {"setp.nan.f64", {bits(1.0), 0x7ff8000000000000}, 1, 0},
      {"setp.gt.f32", {1, 0}, 1, 0},     // A subnormal is greater than 0,
      {"setp.gt.ftz.f32", {1, 0}, 0, 1}, // but not if it is flushed.
      {"setp.lt.f16", {0x3c00, 0x4000}, 1, 0},
      {"setp.ge.bf16", {0x3f80, 0x7fc0}, 0, 1},
      {"setp.lt.f16x2", {0x3c004000, 0x40003c00}, 0, 1}, // low, high
      {"setp.lt.and.s32", {1, 2, 0}, 0, 0},
      {"setp.lt.or.s32", {3, 2, 0}, 0, 1},
      {"setp.lt.xor.f32", {0, One, 1}, 0, 1},
  });
  EXPECT_EQ(find("setp.lo.s32"), nullptr);
  EXPECT_EQ(find("setp.lt.b32"), nullptr);
  EXPECT_EQ(find("setp.equ.s32"), nullptr);
  check(ArrayRef<Case>{
      {"set.lt.u32.s32", {Ones32, 0}, Ones32},
      {"set.lt.f32.f32", {0, One}, One},
      {"set.gtu.ftz.u32.f32", {NaN, One}, Ones32},
      {"set.eq.f16.f16", {0x3c00, 0x3c00}, 0x3c00},
      {"set.eq.f16x2.f16x2", {0x3c000000, 0x3c003c00}, 0x3c000000},
      {"set.ne.u32.f16x2", {0x3c000000, 0x3c003c00}, 0x0000ffff},
      {"set.le.bf16.bf16", {0x3f80, 0x3f80}, 0x3f80},
      {"set.lt.and.u32.f32", {0, One, 0}, 0},
      {"selp.b32", {5, 6, 1}, 5},
      {"selp.f64", {5, 6, 0}, 6},
      {"slct.s32.s32", {5, 6, Ones32}, 6},
      {"slct.f32.f32", {5, 6, MinusZero}, 5},
      {"slct.u64.f32", {5, 6, NaN}, 6},
      {"slct.ftz.b32.f32", {5, 6, 0x80000001}, 5},
      {"slct.b32.f32", {5, 6, 0x80000001}, 6},
      {"testp.normal.f32", {0}, 1},
      {"testp.normal.f32", {1}, 0},
      {"testp.subnormal.f64", {1}, 1},
      {"testp.finite.f32", {NaN}, 0},
      {"testp.infinite.f32", {0xff800000}, 1},
      {"testp.notanumber.f32", {NaN}, 1},
      {"copysign.f32", {Min32, One}, Min32 | One},
      {"llvm.copysign.f32", {One, Min32}, Min32 | One},
  });
}

// LLVM's own intrinsics.

TEST(LaneIntrinsicsTest, Integers) {
  check(ArrayRef<Case>{
      {"llvm.ctpop.i8", {0xff}, 8},
      {"llvm.ctlz.i16", {1, 0}, 15},
      {"llvm.cttz.i64", {0, 0}, 64},
      {"llvm.bswap.i32", {0x01020304}, 0x04030201},
      {"llvm.bitreverse.i8", {1}, 0x80},
      {"llvm.abs.i32", {Min32, 0}, Min32},
      {"llvm.smin.i8", {0x80, 1}, 0x80},
      {"llvm.umax.i8", {0x80, 1}, 0x80},
      {"llvm.sadd.sat.i8", {0x7f, 1}, 0x7f},
      {"llvm.ssub.sat.i32", {Min32, 1}, Min32},
      {"llvm.ssub.sat.i32", {1, Min32}, Max32},
      {"llvm.uadd.sat.i16", {0xffff, 1}, 0xffff},
      {"llvm.usub.sat.i64", {0, 1}, 0},
      {"llvm.sshl.sat.i32", {0xc0000000, 2}, Min32},
      {"llvm.ushl.sat.i8", {0x41, 2}, 0xff},
      {"llvm.scmp.i8.i32", {Ones32, 0}, 0xff},
      {"llvm.ucmp.i2.i32", {Ones32, 0}, 1},
      {"llvm.ucmp.i2.i64", {0, 1}, 3},
      {"llvm.nvvm.mulhi.ull", {Ones64, Ones64}, Ones64 - 1},
      {"llvm.nvvm.sad.ui", {1, 3, 4}, 6},
      {"llvm.nvvm.lohi.i2d", {0, 0x3ff00000}, bits(1.0)},
      {"llvm.nvvm.d2i.hi", {bits(1.0)}, 0x3ff00000},
      {"llvm.nvvm.flo.u.i32", {16, 0}, 4},
      {"llvm.nvvm.flo.s.i64", {Ones64, 1}, Ones32},
  });
  check(ArrayRef<CaseOfTwo>{
      {"llvm.sadd.with.overflow.i32", {Max32, 1}, Min32, 1},
      {"llvm.uadd.with.overflow.i8", {0xff, 1}, 0, 1},
      {"llvm.usub.with.overflow.i64", {0, 1}, Ones64, 1},
      {"llvm.smul.with.overflow.i64", {Min64, Ones64}, Min64, 1},
      {"llvm.umul.with.overflow.i32", {2, 3}, 6, 0},
  });
}

TEST(LaneIntrinsicsTest, IntegersOfOtherWidths) {
  const std::vector<Case> Cases = {
      {"llvm.abs.i4", {0xd, 0}, 3},
      {"llvm.abs.i4", {0x8, 0}, 8}, // -8 wraps
      {"llvm.ctpop.i3", {7}, 3},
      {"llvm.ctlz.i33", {1, 0}, 32},
      {"llvm.cttz.i5", {0, 0}, 5},
      {"llvm.bitreverse.i6", {0b000011}, 0b110000},
      {"llvm.smin.i4", {0xf, 1}, 0xf},
      {"llvm.smax.i4", {0xf, 1}, 1},
      {"llvm.umin.i4", {0xf, 1}, 1},
      {"llvm.umax.i1", {0, 1}, 1},
      {"llvm.fshl.i6", {0b110000, 0b100000, 8}, 0b000010},
      {"llvm.fshr.i6", {0b000001, 0b100000, 7}, 0b110000},
      {"llvm.sadd.sat.i4", {7, 1}, 7},
      {"llvm.uadd.sat.i4", {15, 1}, 15},
      {"llvm.ssub.sat.i4", {8, 1}, 8},
      {"llvm.usub.sat.i4", {1, 2}, 0},
  };
  check(Cases);
  const Answer Signed = ask("llvm.sadd.with.overflow.i4", {7, 1});
  EXPECT_EQ(Signed.First, 8u);
  EXPECT_EQ(Signed.Second, 1u);
  const Answer Unsigned = ask("llvm.umul.with.overflow.i63", {3, 5});
  EXPECT_EQ(Unsigned.First, 15u);
  EXPECT_EQ(Unsigned.Second, 0u);
}

TEST(LaneIntrinsicsTest, Floats) {
  check(ArrayRef<Case>{
      {"llvm.fmuladd.f64", {bits(2.0), bits(3.0), bits(1.0)}, bits(7.0)},
      {"llvm.fabs.bf16", {0xbf80}, 0x3f80},
      {"llvm.floor.f16", {0xb800}, 0xbc00},
      {"llvm.pow.f64", {bits(2.0), bits(10.0)}, bits(1024.0)},
      {"llvm.powi.f32.i32", {bits(2.0f), uint32_t(-2)}, bits(0.25f)},
      {"llvm.ldexp.f32.i32", {bits(1.5f), 3}, bits(12.0f)},
      {"llvm.ldexp.f16.i32", {0x3c00, uint32_t(-24)}, 1},
      {"llvm.is.fpclass.f32", {0x7fc00000, 3}, 1},
      {"llvm.is.fpclass.f32", {0x7f800001, 2}, 0},
      {"llvm.is.fpclass.f64", {bits(-0.0), 0x20}, 1},
      {"llvm.is.fpclass.f16", {1, 0x80}, 1},
      {"llvm.canonicalize.f32", {0x7f800001}, Max32},
      {"llvm.nvvm.fabs.ftz.f32", {0x80000001}, 0},
      {"llvm.nvvm.add.rn.ftz.sat.f", {bits(1.0f), bits(1.0f)}, bits(1.0f)},
      {"llvm.nvvm.fma.rn.relu.bf16x2", {0x3f80bf80, 0x3f803f80, 0}, 0x3f800000},
      {"llvm.nvvm.ex2.approx.f16", {0x3c00}, 0x4000},
      {"llvm.nvvm.d2f.rz", {bits(1 + 0x1p-24 + 0x1p-30)}, bits(1.0f)},
      {"llvm.nvvm.f2h.rn.ftz", {1}, 0},
  });
  check(ArrayRef<CaseOfTwo>{
      {"llvm.frexp.f32.i32", {bits(12.0f)}, bits(0.75f), 4},
      {"llvm.frexp.f64.i32", {bits(0.25)}, bits(0.5), Ones32},
      {"llvm.modf.f32", {bits(-1.5f)}, bits(-0.5f), bits(-1.0f)},
  });
}

TEST(LaneIntrinsicsTest, WhatIsNotHere) {
  for (const char *Name :
       {"ld.global.u32", "bar.sync", "shfl.sync.idx.b32", "add.u8", "add",
        "fma.rn.rz.f32", "cvt.rn.s32.s32", "mov.b8", "", "."})
    EXPECT_EQ(findPTXFunction(Name), nullptr) << Name;
  for (const char *Name :
       {"llvm.fma.v2f16", "llvm.nvvm.barrier0", "llvm.umin.v4i32",
        "llvm.nvvm.read.ptx.sreg.tid.x", "llvm.assume", "llvm.umin.i128",
        "printf", "llvm.", "llvm.nvvm."})
    EXPECT_EQ(findIntrinsicFunction(Name), nullptr) << Name;
}

} // namespace
