// Arithmetic at the edges: zeros, denormals, infinities and NaNs of all kinds, in
// every pair. The hashes are those that an H100 gave.
//
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s

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
