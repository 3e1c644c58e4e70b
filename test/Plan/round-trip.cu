// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emit the plan, change N, hand it back: the PTX has the new N.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.ptx
// RUN: sed 's/throttle: .*/throttle: 8/' %t.yaml > %t.8.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.8.yaml -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: round-trip.cu:[[@LINE+14]]:3: remark: loop of 'gesummv' throttled, N=8: the given plan says N=8
// CHECK: bar.sync
// CHECK: setp.ne.b32 {{.*}}, 8;
//
// Handed back as it is, the code is the same.
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml | diff - %t.ptx

constexpr int Rows = 132 * 2048, Columns = 512;

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
