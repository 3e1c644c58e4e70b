// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel from a precompiled header and one from the file, and a header made
// with and without the plugin.
//
// RUN: %sluice-cc %S/Inputs/gesummv.h -Xclang -emit-pch -o %t.pch
// RUN: %sluice-cc -Xclang -include-pch -Xclang %t.pch %s %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %S/Inputs/gesummv.h -Xclang -emit-pch -o %t.pch
// RUN: %sluice-cc -Xclang -include-pch -Xclang %t.pch %s %remarks 2>&1 | FileCheck %s
// CHECK-DAG: gesummv.h:13:3: remark: loop of 'gesummv' throttled
// CHECK-DAG: pch.cu:[[@LINE+6]]:3: remark: loop of 'second' throttled

__global__ void second(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j] * B[i * Columns + j];
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
  second<<<Rows / 256, 256>>>(A, B, y);
}
