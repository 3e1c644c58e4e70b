// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice throttle: what it writes. Lines are only added, and clang without the
// plugin makes of them what it makes with the plugin.
//
// RUN: %sluice-text %s -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file %t.cu --match-full-lines --strict-whitespace
// RUN: not diff %s %t.cu > %t.diff
// RUN: not grep '^<' %t.diff
// RUN: %throttle-cc %s -o %t.plugin.ptx
// RUN: %plain-cc %t.cu -o %t.text.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.text.ptx %t.plain.ptx 7gesummv:1 4rows:1 4both:1 8unrolled:1 4fits:same
// RUN: python3 %S/Inputs/barriers.py %t.plugin.ptx %t.plain.ptx 7gesummv:1 4rows:1 4both:1 8unrolled:1 4fits:same

constexpr int Rows = 132 * 2048, Columns = 512;

// SAID: remark: loop of 'gesummv' throttled, N=4: footprint
//      CHECK:__global__ void gesummv(const float *A, const float *B, const float *x,
// CHECK-NEXT:                        float *tmp, float *y) {
// CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  if (i >= Rows)
// CHECK-NEXT:    return;
// CHECK-NEXT:  // sluice: warps take turns, N=4: footprint {{[0-9]+}} B ({{.*}} lines) is beyond the L1 of {{[0-9]+}} B
// CHECK-NEXT:  {
// CHECK-NEXT:    const unsigned sluice_thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
// CHECK-NEXT:    const unsigned sluice_threads = blockDim.x * blockDim.y * blockDim.z;
// CHECK-NEXT:    const unsigned sluice_group = sluice_thread / 32 / ((sluice_threads + 127) / 128);
// CHECK-NEXT:#pragma unroll 1
// CHECK-NEXT:    for (unsigned sluice_turn = 0; sluice_turn < 4; ++sluice_turn) {
// CHECK-NEXT:      if (sluice_group == sluice_turn) {
// CHECK-NEXT:  for (int j = 0; j < Columns; ++j) { // both   matrices
// CHECK-NEXT:    tmp[i]+=A[i * Columns + j] * x[j];
// CHECK-NEXT:    y[i]  +=B[i * Columns + j] * x[j];
// CHECK-NEXT:  } /* row */
// CHECK-NEXT:      }
// CHECK-NEXT:      __syncthreads();
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:}
__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  for (int j = 0; j < Columns; ++j) { // both   matrices
    tmp[i]+=A[i * Columns + j] * x[j];
    y[i]  +=B[i * Columns + j] * x[j];
  } /* row */
}

__device__ void addRow(const float *a, const float *b, float *sum) {
  for (int j = 0; j < Columns; ++j)
    *sum += a[j] * b[j];
}

// The turns are at the call.
// CHECK-LABEL:__global__ void rows(const float *A, const float *B, float *y) {
//  CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
//  CHECK-NEXT:  // sluice: warps take turns, N=4: {{.*}}
//       CHECK:      if (sluice_group == sluice_turn) {
//  CHECK-NEXT:  addRow(A + i * Columns,
//  CHECK-NEXT:         B + i * Columns, &y[i]);
//  CHECK-NEXT:      }
__global__ void rows(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  addRow(A + i * Columns,
         B + i * Columns, &y[i]);
}

// Two loops that only some threads reach: one region, one comment.
// CHECK-LABEL:__global__ void both(const float *A, const float *B, float *y, int n) {
//  CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
//  CHECK-NEXT:  // sluice: warps take turns, N=4: {{.*}}
//       CHECK:      if (sluice_group == sluice_turn) {
//  CHECK-NEXT:  if (i < n) {
//   CHECK-NOT:// sluice
//       CHECK:      y[i] += A[i * Columns + j] * B[i * Columns + j];
//  CHECK-NEXT:  }
//  CHECK-NEXT:      }
//  CHECK-NEXT:      __syncthreads();
__global__ void both(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int j = 0; j < Columns; ++j)
      y[i] += A[i * Columns + j];
    for (int j = 0; j < Columns; ++j)
      y[i] += A[i * Columns + j] * B[i * Columns + j];
  }
}

// The pragma stays with its loop.
// CHECK-LABEL:__global__ void unrolled(const float *A, const float *B, float *y) {
//       CHECK:      if (sluice_group == sluice_turn) {
//  CHECK-NEXT:#pragma unroll 2
//  CHECK-NEXT:  // by two
//  CHECK-NEXT:  for (int j = 0; j < Columns; ++j)
__global__ void unrolled(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 2
  // by two
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j] * B[i * Columns + j];
}

// SAID: remark: loop of 'fits' not throttled: {{.*}} fits the L1
// CHECK-LABEL:__global__ void fits(const float *A, float *y) {
//   CHECK-NOT:// sluice
__global__ void fits(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * 8 + j];
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y,
         int n) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
  rows<<<1056, 256>>>(A, B, y);
  both<<<1056, 256>>>(A, B, y, n);
  unrolled<<<1056, 256>>>(A, B, y);
  fits<<<1056, 256>>>(A, y);
}
