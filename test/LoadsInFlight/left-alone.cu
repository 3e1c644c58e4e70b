// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that are not unrolled for their loads, though that is asked for: they
// write, their data end them, each load waits for the one before, the source
// says how to unroll or switches Sluice off, or what is fused would change.
//
// RUN: %plain-cc %s > %t.plain
// RUN: %loads-cc %s -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=4 -Rpass=sluice-loads 2>%t.remarks | diff %t.plain -
// RUN: count 0 < %t.remarks
// RUN: %loads-cc %s -fplugin-arg-sluice-loads-in-flight=4 -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s
//
// CHECK: iterations of the loop are not taken together: it carries a product over into its next iteration

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void writes(const float *A, float *y, int n) {
  for (int j = 0; j < n; ++j)
    y[j * 8192 + ME] = A[j * 8192 + ME];
}

__global__ void ends(const float *A, float *y) {
  float s = 0;
  for (int j = 0; A[j * 8192 + ME] > 0; ++j)
    s += A[j * 8192 + ME];
  y[ME] = s;
}

__global__ void chases(const int *A, int *y, int n) {
  int at = ME;
  for (int j = 0; j < n; ++j)
    at = A[at];
  y[ME] = at;
}

__global__ void pragma(const float *A, float *y, int n) {
  float s = 0;
#pragma unroll 3
  for (int j = 0; j < n; ++j)
    s += A[j * 8192 + ME];
  y[ME] = s;
}

__global__ void off(const float *A, float *y, int n) {
  float s = 0;
#pragma sluice off
  for (int j = 0; j < n; ++j)
    s += A[j * 8192 + ME];
  y[ME] = s;
}

__global__ void product(const float *A, float *y, int n) {
  float s = 0, p = 1;
  for (int j = 0; j < n; ++j) {
    s += p;
    p = A[j * 8192 + ME] * s;
  }
  y[ME] = s;
}
