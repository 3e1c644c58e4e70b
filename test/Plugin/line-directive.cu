// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that a #line directive gives another place: generated code. The remark
// stands where clang's own diagnostics would.
//
// RUN: %sluice-cc %s %remarks 2>&1 | FileCheck %s
// CHECK: generated.dsl:106:3: remark: loop of 'gesummv' throttled
// CHECK: bar.sync

constexpr int Rows = 132 * 2048, Columns = 512;

#line 100 "generated.dsl"
__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;

  for (int j = 0; j < Columns; ++j) {
    tmp[i] += A[i * Columns + j] * x[j];
    y[i] += B[i * Columns + j] * x[j];
  }
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
}
