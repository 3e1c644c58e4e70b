// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each function becomes, as clang has it in the code: a call of libdevice,
// a division, a builtin, or a wrapper that is inlined. What is approximate
// already, or asks for its rounding, stays.
//
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=32 %s | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=32 --no-offload-arch=sm_90 --offload-arch=sm_70 %s | FileCheck %s --check-prefixes=CHECK,SM70
// RUN: %plain-cc -DSTAYS %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=32 -DSTAYS %s | diff %t.plain -
// RUN: %plain-cc -DSTAYS -DFLUSHED -fgpu-flush-denormals-to-zero %s > %t.flushed
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=32 -DSTAYS -DFLUSHED -fgpu-flush-denormals-to-zero %s | diff %t.flushed -
// RUN: %plain-cc -DFAST -ffast-math %s > %t.fast
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=32 -DFAST -ffast-math %s | diff %t.fast -

#define F(NAME) extern "C" __device__ float __nv_##NAME(float);
#define D(NAME) extern "C" __device__ double __nv_##NAME(double);
F(sinf) F(cosf) F(tanf) F(tanhf) F(expf) F(exp2f) F(exp10f) F(logf) F(log2f)
F(log10f) F(sqrtf) F(rsqrtf) F(fsqrt_rn) F(frcp_rn) F(fast_sinf) F(erff)
D(sqrt) D(rsqrt) D(sin)
extern "C" __device__ float __nv_powf(float, float);
extern "C" __device__ void __nv_sincosf(float, float *, float *);
__device__ inline float wrapped(float x) { return __nv_sqrtf(x); }

#define KERNEL(NAME, TYPE, VALUE)                                              \
  extern "C" __global__ void NAME(const TYPE *a, TYPE *b, int n) {             \
    const TYPE x = a[threadIdx.x], y = a[n];                                   \
    b[threadIdx.x] = VALUE;                                                    \
  }

#ifdef STAYS
KERNEL(rounded, float, __nv_fsqrt_rn(x) + __nv_frcp_rn(y))
KERNEL(already, float, __nv_fast_sinf(x))
KERNEL(byPowerOfTwo, float, x / 8)
KERNEL(another, float, __nv_erff(x))
KERNEL(doubles, double, __nv_sin(x))
KERNEL(half, _Float16, x / y)
#ifdef FLUSHED
KERNEL(flushed, float, __nv_exp2f(x) + __nv_rsqrtf(y) + __nv_sqrtf(y))
#endif
#elif defined FAST
KERNEL(fast, float, x / y + __builtin_sqrtf(x))
#else

// CHECK-LABEL: .entry divide(
// CHECK: div.approx.ftz.f32
KERNEL(divide, float, x / y)
// CHECK-LABEL: .entry byThree(
// CHECK: div.approx.ftz.f32
KERNEL(byThree, float, x / 3)
// CHECK-LABEL: .entry reciprocal(
// CHECK: rcp.approx.ftz.f32
KERNEL(reciprocal, float, 1 / x)
// CHECK-LABEL: .entry root(
// CHECK: sqrt.approx.ftz.f32
KERNEL(root, float, __nv_sqrtf(x))
// CHECK-LABEL: .entry rootBuiltin(
// CHECK: sqrt.approx.ftz.f32
KERNEL(rootBuiltin, float, __builtin_sqrtf(x))
// CHECK-LABEL: .entry reciprocalRoot(
// CHECK: rsqrt.approx.ftz.f32
KERNEL(reciprocalRoot, float, __nv_rsqrtf(x))
// CHECK-LABEL: .entry overRoot(
// CHECK-NOT: {{rcp|div|sqrt.rn|.sqrt}}
// CHECK: rsqrt.approx.ftz.f32
// CHECK-NOT: {{rcp|div|sqrt}}
KERNEL(overRoot, float, 1 / wrapped(x))
// CHECK-LABEL: .entry rootAndOver(
// CHECK-DAG: sqrt.approx.ftz.f32
// CHECK-DAG: rsqrt.approx.ftz.f32
KERNEL(rootAndOver, float, wrapped(x) + 1 / wrapped(x))
// CHECK-LABEL: .entry power(
// CHECK: lg2.approx.ftz.f32 [[L:%r[0-9]+]],
// CHECK: mul.rn.ftz.f32 [[P:%r[0-9]+]], [[L]],
// CHECK: ex2.approx.ftz.f32 {{.*}}, [[P]];
KERNEL(power, float, __nv_powf(x, y))
// CHECK-LABEL: .entry exponential(
// CHECK: mov.b32 [[F:%r[0-9]+]], 0f3FB8AA3B;
// CHECK: mul.rn.ftz.f32 [[P:%r[0-9]+]], {{.*}}, [[F]];
// CHECK: ex2.approx.ftz.f32 {{.*}}, [[P]];
KERNEL(exponential, float, __nv_expf(x))
// CHECK-LABEL: .entry exponential2(
// CHECK-NOT: mul.rn
// CHECK: ex2.approx.ftz.f32
KERNEL(exponential2, float, __nv_exp2f(x))
// CHECK-LABEL: .entry exponential10(
// CHECK: mov.b32 [[F:%r[0-9]+]], 0f40549A78;
// CHECK: mul.rn.ftz.f32 [[P:%r[0-9]+]], {{.*}}, [[F]];
// CHECK: ex2.approx.ftz.f32 {{.*}}, [[P]];
KERNEL(exponential10, float, __nv_exp10f(x))
// CHECK-LABEL: .entry logarithm(
// CHECK: lg2.approx.ftz.f32 [[L:%r[0-9]+]],
// CHECK: mov.b32 [[F:%r[0-9]+]], 0f3F317218;
// CHECK: mul.rn.ftz.f32 {{.*}}, [[L]], [[F]];
KERNEL(logarithm, float, __nv_logf(x))
// CHECK-LABEL: .entry logarithm2(
// CHECK-NOT: mul.rn
// CHECK: lg2.approx.ftz.f32
// CHECK-NOT: mul.rn
KERNEL(logarithm2, float, __nv_log2f(x))
// CHECK-LABEL: .entry logarithm10(
// CHECK: lg2.approx.ftz.f32 [[L:%r[0-9]+]],
// CHECK: mov.b32 [[F:%r[0-9]+]], 0f3E9A209B;
// CHECK: mul.rn.ftz.f32 {{.*}}, [[L]], [[F]];
KERNEL(logarithm10, float, __nv_log10f(x))
// CHECK-LABEL: .entry sine(
// CHECK: sin.approx.ftz.f32
KERNEL(sine, float, __nv_sinf(x))
// CHECK-LABEL: .entry cosine(
// CHECK: cos.approx.ftz.f32
KERNEL(cosine, float, __nv_cosf(x))
// CHECK-LABEL: .entry tangent(
// CHECK-DAG: sin.approx.ftz.f32 [[S:%r[0-9]+]],
// CHECK-DAG: cos.approx.ftz.f32 [[C:%r[0-9]+]],
// CHECK: div.approx.ftz.f32 {{.*}}, [[S]], [[C]];
KERNEL(tangent, float, __nv_tanf(x))
// CHECK-LABEL: .entry hyperbolicTangent(
// SM75: tanh.approx.f32
// SM70-NOT: approx
KERNEL(hyperbolicTangent, float, __nv_tanhf(x))

__device__ inline float both(float x) {
  float s, c;
  __nv_sincosf(x, &s, &c);
  return s - c;
}
// CHECK-LABEL: .entry sineAndCosine(
// CHECK-NOT: .local
// CHECK-DAG: sin.approx.ftz.f32
// CHECK-DAG: cos.approx.ftz.f32
KERNEL(sineAndCosine, float, both(x))

// CHECK-LABEL: .entry divideDouble(
// CHECK: rcp.approx.ftz.f64 [[R:%rd[0-9]+]],
// CHECK: mul{{(.rn)?}}.f64 {{.*}}[[R]]
KERNEL(divideDouble, double, x / y)
// CHECK-LABEL: .entry reciprocalDouble(
// CHECK: rcp.approx.ftz.f64
KERNEL(reciprocalDouble, double, 1 / x)
// CHECK-LABEL: .entry rootDouble(
// CHECK: rsqrt.approx.ftz.f64 [[R:%rd[0-9]+]],
// CHECK: rcp.approx.ftz.f64 {{.*}}, [[R]];
KERNEL(rootDouble, double, __nv_sqrt(x))
// CHECK-LABEL: .entry rootBuiltinDouble(
// CHECK: rsqrt.approx.ftz.f64 [[R:%rd[0-9]+]],
// CHECK: rcp.approx.ftz.f64 {{.*}}, [[R]];
KERNEL(rootBuiltinDouble, double, __builtin_sqrt(x))
// CHECK-LABEL: .entry reciprocalRootDouble(
// CHECK: rsqrt.approx.ftz.f64
KERNEL(reciprocalRootDouble, double, __nv_rsqrt(x))
// CHECK-LABEL: .entry overRootDouble(
// CHECK-NOT: rcp
// CHECK: rsqrt.approx.ftz.f64
// CHECK-NOT: rcp
KERNEL(overRootDouble, double, 1 / __nv_sqrt(x))
// CHECK-LABEL: .entry last(
KERNEL(last, float, x)
#endif
