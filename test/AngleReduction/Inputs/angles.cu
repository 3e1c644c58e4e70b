// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all-floats.py compares.

extern "C" {
__device__ float __nv_sinf(float);
__device__ float __nv_cosf(float);
__device__ float __nv_tanf(float);
__device__ void __nv_sincosf(float, float *, float *);
__device__ double __nv_sin(double);
__device__ double __nv_cos(double);

__device__ void sine(float x, float *out) { out[0] = __nv_sinf(x); }
__device__ void cosine(float x, float *out) { out[0] = __nv_cosf(x); }
__device__ void tangent(float x, float *out) { out[0] = __nv_tanf(x); }
__device__ void together(float x, float *out) { __nv_sincosf(x, out, out + 1); }
__device__ void both(float x, float *out) {
  out[0] = __nv_sinf(x);
  out[1] = __nv_cosf(x);
}
__device__ void wide(double x, double *out) {
  out[0] = __nv_cos(x);
  out[1] = __nv_sin(x);
}
}
