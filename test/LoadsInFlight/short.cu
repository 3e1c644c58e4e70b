// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of loops with eight iterations at most, how many is not known, clang takes one at a time. Here it is four. Not where
// there are three at most, or where all are short and are taken in pieces, nor where memory is written.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:
// RUN: for n in 0 1 37 64 128 129 255 256 257 511 512; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: short.cu:[[#@LINE+7]]:3: remark: 4 iterations of the loop are taken together: it has few, how many is not known, and clang takes one at a time [-Rpass=sluice-loads-in-flight]

#define LONG(V) (((V) * (V) + 1.5f) / ((V) + 2) + ((V) + 3) / ((V) * (V) + 4) + ((V) + 5) / ((V) * (V) + 6))
#define FROM(THREADS) int i = threadIdx.x; i < min(n, 8 * THREADS); i += THREADS

extern "C" __global__ void sum(const float *a, float *out, int n) {
  float s = 0;
  for (FROM(64))
    s = s / 3 + LONG(a[i]);
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

extern "C" __global__ void tile(const float *a, float *out, int n) {
  __shared__ float t[512];
  for (int i = threadIdx.x; i < 512; i += 64)
    t[i] = 0;
  __syncthreads();
  for (FROM(64))
    t[i] = LONG(a[i]);
  __syncthreads();
  out[threadIdx.x + blockIdx.x * blockDim.x] = t[(threadIdx.x * 7 + n) & 511];
}

extern "C" __global__ void three(const float *a, float *out, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < min(n, 3 * 64); i += 64)
    s = s / 3 + LONG(a[i]);
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

// CHECK: short.cu:[[#@LINE+3]]:3: remark: the rest of the loop, fewer than 8 iterations, is not taken one by one
extern "C" __global__ void small(const float *a, float *out, int n) {
  float s = 0;
  for (FROM(64))
    s = s / 3 + a[i];
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

extern "C" __global__ void writes(const float *__restrict__ a, float *out, int n) {
  for (FROM(64))
    out[i] = LONG(a[i]);
}
