// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What adds the same integer in each iteration is known before the loop, once it
// is in a register: no loop is left of it. Not of floating-point numbers, whose
// sums are rounded each, and not where the kernel has products that could come
// to be in one block with a sum.
//
// RUN: %sluice emulate %s -O3 --sluice-promote=off -- > %t.plain
// RUN: %sluice emulate %s -O3 --sluice-promote=on -- > %t.promoted
// RUN: diff %t.plain %t.promoted && grep -c sum %t.plain | FileCheck %s --check-prefix=LINES
// RUN: %sluicexx -x cuda %s -O3 -S -o - --cuda-device-only --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version --cuda-path=%cuda | FileCheck %s
// LINES: {{^}}30{{$}}

#include <cstdio>

// The loop as it was, for places that overlap, and its rest; no other one.
// CHECK-LABEL: .entry _Z8integersPKiPii
// CHECK-COUNT-2: Loop Header
// CHECK-NOT: Loop Header
// CHECK: mad.lo.s32
__global__ void integers(const int *A, int *y, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i + 1];
}

// CHECK-LABEL: .entry _Z6floatsPKfPfi
// CHECK-COUNT-3: Loop Header
__global__ void floats(const float *A, float *y, int n) {
  const int i = threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i + 1];
}

// CHECK-LABEL: .entry _Z8productsPKiPiPfi
// CHECK-COUNT-3: Loop Header
__global__ void products(const int *A, int *y, float *z, int n) {
  const int i = threadIdx.x;
  const float product = z[i] * z[i + 1];
  for (int j = 0; j < n; ++j)
    y[i] += A[i + 1];
  z[i + 2] = product + z[i + 3];
  z[i + 4] = product;
}

int main() {
  int *Data;
  float *Reals;
  cudaMallocManaged(&Data, 256 * sizeof(int));
  cudaMallocManaged(&Reals, 256 * sizeof(float));
  // One thread, so that nothing races: y apart from A, and the same element.
  for (int To : {100, 33})
    for (int N : {0, 1, 7, 100, 1000000}) {
      for (int I = 0; I < 256; ++I)
        Data[I] = I * 70001, Reals[I] = I * 0.37f;
      integers<<<1, 1>>>(Data + 32, Data + To, N);
      floats<<<1, 1>>>(Reals + 32, Reals + To, N % 1000);
      cudaDeviceSynchronize();
      std::printf("sum %d\nsum %a\n", Data[To], Reals[To]);
      products<<<1, 1>>>(Data + 32, Data + To, Reals, N);
      cudaDeviceSynchronize();
      std::printf("sum %d %a\n", Data[To], Reals[2]);
    }
}
