// Arithmetic at the edges: zeros, denormals, infinities and NaNs of all kinds, in
// every pair; shifts beyond the width. The hashes are those that an H100 and an
// H200 gave (driver 580.159.04, clang 22.1.8, sm_90).
//
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
//
// CHECK: hash add 17755329b77da231
// CHECK-NEXT: hash add.rz 949f48a7074a76fd
// CHECK-NEXT: hash add.ru c36f539260a6a854
// CHECK-NEXT: hash add.rd 7a0c394280836378
// CHECK-NEXT: hash mul bb2d3266b47b4a13
// CHECK-NEXT: hash mul.rz 799b7263ec05de76
// CHECK-NEXT: hash fma 06b550e80cb14f93
// CHECK-NEXT: hash fma.ru 170f35c4d7dd1266
// CHECK-NEXT: hash div 621772a78a9c6dea
// CHECK-NEXT: hash div.rd fd05f8778f42e33b
// CHECK-NEXT: hash sqrt a24442ae4589f233
// CHECK-NEXT: hash rcp 84e3b4d4757394b3
// CHECK-NEXT: hash min 7ada9ac0c2526610
// CHECK-NEXT: hash max 93dddeb6ef9692b8
// CHECK-NEXT: hash neg d7dff8132a74e9f3
// CHECK-NEXT: hash abs 664d992084ee70f3
// CHECK-NEXT: hash copysign 9e4d8390c07d7c93
// CHECK-NEXT: hash select d15a4cdf6a74b998
// CHECK-NEXT: hash trunc 4f6d52dacc963a23
// CHECK-NEXT: hash rint 014a9f597c233ae3
// CHECK-NEXT: hash floor fc8e951a401be8e3
// CHECK-NEXT: hash add.ftz.f32 4f71d1af4ddc69f5
// CHECK-NEXT: hash sub.ftz.f32 007d04b533e703df
// CHECK-NEXT: hash mul.ftz.f32 e108667ddc1a8b03
// CHECK-NEXT: hash mul.sat.f32 a152e2a2c1eceb23
// CHECK-NEXT: hash min.ftz.f32 29e7db2f18d61f58
// CHECK-NEXT: hash min.NaN.f32 4395f886d34f8e88
// CHECK-NEXT: hash max.NaN.f32 b641040c5da0e750
// CHECK-NEXT: hash div.rn.ftz.f32 48341275b02b0266
// CHECK-NEXT: hash compare 9553d0b6ca8cdcc0
// CHECK-NEXT: hash to int dcdeffc8cb65b9b3
// CHECK-NEXT: hash to int rn f0f761a1a5911df3
// CHECK-NEXT: hash to unsigned 8d7096c8911d5af3
// CHECK-NEXT: hash to long 8eb8c35908db74b3
// CHECK-NEXT: hash to double 73c9a1c47b4b90f3
// CHECK-NEXT: hash to half 00c15be54253da43
// CHECK-NEXT: hash to half rz fd8d76fd2112ae13
// CHECK-NEXT: hash to bfloat 63df81527f964643
// CHECK-NEXT: hash dadd ba5d03b1e2509f85
// CHECK-NEXT: hash dmul 70fbc66c4cdd97a3
// CHECK-NEXT: hash dfma a5618dc19c34ef1b
// CHECK-NEXT: hash dfma, a and c 5351441db697290b
// CHECK-NEXT: hash dfma, b and c 5351441db697290b
// CHECK-NEXT: hash dsub 27778edcfbb643ab
// CHECK-NEXT: hash dmul.rz bec65105a82ba020
// CHECK-NEXT: hash ddiv be2939f2dd82f4f4
// CHECK-NEXT: hash dsqrt 53432333b3fb6603
// CHECK-NEXT: hash dmin 01d4a674e5246e4e
// CHECK-NEXT: hash dmax d19de9776de7e472
// CHECK-NEXT: hash dneg 7102d4b0e0dead23
// CHECK-NEXT: hash dabs b2388cfb1d139723
// CHECK-NEXT: hash dtrunc 15ebc6626313c763
// CHECK-NEXT: hash double to float 04ad16559041eb73
// CHECK-NEXT: hash double to int 603cbef05421ca83
// CHECK-NEXT: hash double to unsigned long ddf9a33b76238443
// CHECK-NEXT: hash double to half e04dc4f5902ac9d3
// CHECK-NEXT: hash shl b0b01b0b16c05a93
// CHECK-NEXT: hash shr 9d68f1f7c2f049a9
// CHECK-NEXT: hash sar a2289861c3e07885
// CHECK-NEXT: hash shl 64 5a4195c59ad5d3cd
// CHECK-NEXT: hash sar 64 b5a65b0fa8f25bc4
// CHECK-NEXT: hash hadd 0486e360577e7058
// CHECK-NEXT: hash hsub a95afa9c16d11e3b
// CHECK-NEXT: hash hmul f4d462453db6b74d
// CHECK-NEXT: hash hfma ac4543637e8ca7cf
// CHECK-NEXT: hash hfma.relu 5daf364593a6d04e
// CHECK-NEXT: hash hfma.sat 091fd7b3b2bbd27f
// CHECK-NEXT: hash hmin e6ad90d8644971fa
// CHECK-NEXT: hash hmax.nan c7d30d41c0cff7f2
// CHECK-NEXT: hash hneg 33e5d5e2c037d9b3
// CHECK-NEXT: hash habs 86528ae549bd9db3
// CHECK-NEXT: hash half to float 6a3534389fda99a3
// CHECK-NEXT: hash half to int 502522c324754bb3
// CHECK-NEXT: hash badd 0d674bab1e2ad2b6
// CHECK-NEXT: hash bmul e4f4b4d32cb5b536
// CHECK-NEXT: hash bfma 39d1150fe415565e
// CHECK-NEXT: hash bmin 90a65053462a3c2b
// CHECK-NEXT: hash bmax.nan 10852213ae6935fb
// CHECK-NEXT: hash bneg f5029da24fa2c163
// CHECK-NEXT: hash babs 42e9085af9787863
// CHECK-NEXT: PASS

#include "Inputs/check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int N = 24;
__constant__ uint32_t singles[N] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3fc00000, 0xc0490fdb,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
    0x7fffffff, 0x7f812345, 0x4b800001, 0xcf000000, 0x5f000000, 0x33800000};
__constant__ uint64_t doubles[N] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
    0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff8000000000000,
    0xc00921fb54442d18, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8000000000000, 0x7fffffffffffffff, 0x7ff0000000012345,
    0x4340000000000001, 0xc1e0000000000000, 0x43e0000000000000,
    0x3e70000000000000, 0x36a0000000000000, 0x47efffffffffffff};
__constant__ uint16_t halves[N] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
    0x3c00, 0xbc00, 0x3e00, 0xc248, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
    0x7e00, 0xfe00, 0x7fff, 0x7d23, 0x6801, 0x1400, 0x0200, 0x5555};

template <class T, class F> __global__ void evaluate(T *out, F f) {
  int i = blockIdx.x, j = threadIdx.x;
  out[i * N + j] = f(i, j);
}

template <class T, class F> void run(const char *name, F f) {
  Buffer<T> out(N * N);
  evaluate<<<N, N>>>(out.device, f);
  out.fetch();
  out.hash(name);
}

__device__ float single(int i) { return __uint_as_float(singles[i]); }
__device__ double wide(int i) {
  return __longlong_as_double((long long)doubles[i]);
}
__device__ __half half16(int i) { return __ushort_as_half(halves[i]); }
__device__ __nv_bfloat16 brain(int i) {
  return __ushort_as_bfloat16((unsigned short)(singles[i] >> 16));
}

#define SINGLE(NAME, ...)                                                      \
  run<uint32_t>(NAME, [] __device__(int i, int j) {                            \
    float a = single(i), b = single(j);                                        \
    (void)b;                                                                   \
    return uint32_t(__VA_ARGS__);                                              \
  })
#define FLOAT(NAME, ...) SINGLE(NAME, __float_as_uint(__VA_ARGS__))
#define PTX(NAME)                                                              \
  run<uint32_t>(NAME, [] __device__(int i, int j) {                            \
    float r, a = single(i), b = single(j);                                     \
    asm(NAME " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));                       \
    return __float_as_uint(r);                                                 \
  })
#define DOUBLE(NAME, ...)                                                      \
  run<uint64_t>(NAME, [] __device__(int i, int j) {                            \
    double a = wide(i), b = wide(j);                                           \
    (void)b;                                                                   \
    return uint64_t(__VA_ARGS__);                                              \
  })
#define HALF(NAME, ...)                                                        \
  run<uint16_t>(NAME, [] __device__(int i, int j) {                            \
    __half a = half16(i), b = half16(j);                                       \
    (void)b;                                                                   \
    return __half_as_ushort(__VA_ARGS__);                                      \
  })
#define BRAIN(NAME, ...)                                                       \
  run<uint16_t>(NAME, [] __device__(int i, int j) {                            \
    __nv_bfloat16 a = brain(i), b = brain(j);                                  \
    (void)b;                                                                   \
    return __bfloat16_as_ushort(__VA_ARGS__);                                  \
  })

int main() {
  FLOAT("add", __fadd_rn(a, b));
  FLOAT("add.rz", __fadd_rz(a, b));
  FLOAT("add.ru", __fadd_ru(a, b));
  FLOAT("add.rd", __fadd_rd(a, b));
  FLOAT("mul", __fmul_rn(a, b));
  FLOAT("mul.rz", __fmul_rz(a, b));
  FLOAT("fma", __fmaf_rn(a, b, 1.25f));
  FLOAT("fma.ru", __fmaf_ru(a, b, -0.0f));
  FLOAT("div", __fdiv_rn(a, b));
  FLOAT("div.rd", __fdiv_rd(a, b));
  FLOAT("sqrt", __fsqrt_rn(a));
  FLOAT("rcp", __frcp_rn(a));
  FLOAT("min", fminf(a, b));
  FLOAT("max", fmaxf(a, b));
  FLOAT("neg", -a);
  FLOAT("abs", fabsf(a));
  FLOAT("copysign", copysignf(a, b));
  FLOAT("select", a < b ? a : b);
  FLOAT("trunc", truncf(a));
  FLOAT("rint", rintf(a));
  FLOAT("floor", floorf(a));
  PTX("add.ftz.f32");
  PTX("sub.ftz.f32");
  PTX("mul.ftz.f32");
  PTX("mul.sat.f32");
  PTX("min.ftz.f32");
  PTX("min.NaN.f32");
  PTX("max.NaN.f32");
  PTX("div.rn.ftz.f32");
  SINGLE("compare", (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 |
                        !(a < b) << 4 | !(a >= b) << 5);
  SINGLE("to int", __float2int_rz(a));
  SINGLE("to int rn", __float2int_rn(a));
  SINGLE("to unsigned", __float2uint_rz(a));
  run<uint64_t>("to long", [] __device__(int i, int) {
    return uint64_t(__float2ll_rz(single(i)));
  });
  run<uint64_t>("to double", [] __device__(int i, int) {
    return uint64_t(__double_as_longlong(double(single(i))));
  });
  SINGLE("to half", __half_as_ushort(__float2half_rn(a)));
  SINGLE("to half rz", __half_as_ushort(__float2half_rz(a)));
  SINGLE("to bfloat", __bfloat16_as_ushort(__float2bfloat16_rn(a)));
  DOUBLE("dadd", __double_as_longlong(__dadd_rn(a, b)));
  DOUBLE("dmul", __double_as_longlong(__dmul_rn(a, b)));
  DOUBLE("dfma", __double_as_longlong(__fma_rn(a, b, 1.25)));
  DOUBLE("dfma, a and c", __double_as_longlong(__fma_rn(a, 1.5, b)));
  DOUBLE("dfma, b and c", __double_as_longlong(__fma_rn(1.5, a, b)));
  DOUBLE("dsub", __double_as_longlong(a - b));
  DOUBLE("dmul.rz", __double_as_longlong(__dmul_rz(a, b)));
  DOUBLE("ddiv", __double_as_longlong(__ddiv_rn(a, b)));
  DOUBLE("dsqrt", __double_as_longlong(__dsqrt_rn(a)));
  DOUBLE("dmin", __double_as_longlong(fmin(a, b)));
  DOUBLE("dmax", __double_as_longlong(fmax(a, b)));
  DOUBLE("dneg", __double_as_longlong(-a));
  DOUBLE("dabs", __double_as_longlong(fabs(a)));
  DOUBLE("dtrunc", __double_as_longlong(trunc(a)));
  DOUBLE("double to float", __float_as_uint(__double2float_rn(a)));
  DOUBLE("double to int", __double2int_rz(a));
  DOUBLE("double to unsigned long", __double2ull_rz(a));
  DOUBLE("double to half", __half_as_ushort(__double2half(a)));
  // Shifts up to and beyond the width.
  run<uint32_t>("shl", [] __device__(int i, int j) {
    return singles[i] << (3 * j);
  });
  run<uint32_t>("shr", [] __device__(int i, int j) {
    return singles[i] >> (3 * j);
  });
  run<uint32_t>("sar", [] __device__(int i, int j) {
    return uint32_t(int(singles[i]) >> (3 * j));
  });
  run<uint64_t>("shl 64", [] __device__(int i, int j) {
    return doubles[i] << (4 * j);
  });
  run<uint64_t>("sar 64", [] __device__(int i, int j) {
    return uint64_t((long long)(doubles[i]) >> (4 * j));
  });
  HALF("hadd", __hadd(a, b));
  HALF("hsub", __hsub(a, b));
  HALF("hmul", __hmul(a, b));
  HALF("hfma", __hfma(a, b, __ushort_as_half(0x3d00)));
  HALF("hfma.relu", __hfma_relu(a, b, __ushort_as_half(0xbd00)));
  HALF("hfma.sat", __hfma_sat(a, b, __ushort_as_half(0x3500)));
  HALF("hmin", __hmin(a, b));
  HALF("hmax.nan", __hmax_nan(a, b));
  HALF("hneg", __hneg(a));
  HALF("habs", __habs(a));
  run<uint32_t>("half to float", [] __device__(int i, int) {
    return __float_as_uint(__half2float(half16(i)));
  });
  run<uint32_t>("half to int", [] __device__(int i, int) {
    return uint32_t(__half2int_rn(half16(i)));
  });
  BRAIN("badd", __hadd(a, b));
  BRAIN("bmul", __hmul(a, b));
  BRAIN("bfma", __hfma(a, b, __ushort_as_bfloat16(0x3fa0)));
  BRAIN("bmin", __hmin(a, b));
  BRAIN("bmax.nan", __hmax_nan(a, b));
  BRAIN("bneg", __hneg(a));
  BRAIN("babs", __habs(a));
  return finish();
}
