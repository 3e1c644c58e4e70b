// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that came in on standard input is compiled twice, and read once.
//
// RUN: %sluice-cc - %remarks < %s 2>&1 | FileCheck %s
// CHECK: <stdin>:[[@LINE+9]]:3: remark: loop of 'gesummv' throttled
// CHECK: bar.sync

constexpr int Rows = 132 * 2048, Columns = 512;

__global__ void gesummv(const float *A, const float *B, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  for (int j = 0; j < Columns; ++j) {
    y[i] += A[i * Columns + j];
    z[i] += B[i * Columns + j];
  }
}

void run(const float *A, const float *B, float *y, float *z) {
  gesummv<<<Rows / 256, 256>>>(A, B, y, z);
}
