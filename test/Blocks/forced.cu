// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// throttle=N,M: M blocks, whatever the model says, in what way the planner would
// do it; with N=1 there are no turns.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=1,2 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4,2 %remarks 2>&1 | FileCheck %s --check-prefixes=CHECK,TURNS
// RUN: not %sluice-cc %s -fplugin-arg-sluice-throttle=4,0 2>&1 | FileCheck %s --check-prefix=ZERO
//
// CHECK: remark: thread blocks of 'rows' limited to M=2 of 8: claim of 2432 B with a carveout of 1 %: M=2 was asked for
// TURNS: remark: loop of 'rows' throttled, N=4: N=4 was asked for
// CHECK: remark: thread blocks of 'unknown' not limited: its dynamic shared memory is not known at compile time
// CHECK: .visible .global .align 1 .u8 __sluice_host$1$c1$s2432$d46720$15$_Z4rowsPKfS0_Pf;
// CHECK-NOT: __sluice_host
// ZERO: error: sluice: invalid value '4,0' for option 'throttle': expected auto, off, N (a power of two up to 32), or N,M (M up to 32)

__global__ void rows(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void unknown(const float *A, float *y) {
  extern __shared__ float space[];
  space[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = space[255 - threadIdx.x];
}

void run(const float *A, const float *B, float *y, int bytes) {
  rows<<<8 * 132, 256>>>(A, B, y);
  unknown<<<1, 256, bytes>>>(A, y);
}
