// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that the plan does not list is not throttled; a plan needs no more than
// names, places and factors.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z3twoPKfS0_PfS1_\n    loops:\n      - loop: some-loops.cu:20:3\n        throttle: 4\n' > %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml %remarks -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s --implicit-check-not=bar.sync
// CHECK: some-loops.cu:18:3: remark: loop of 'two' not throttled: the given plan does not list this loop
// CHECK: some-loops.cu:20:3: remark: loop of 'two' throttled, N=4: the given plan says N=4
// CHECK: bar.sync

constexpr int Rows = 132 * 2048, Columns = 512;

__global__ void two(const float *A, const float *B, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j];
  for (int j = 0; j < Columns; ++j)
    z[i] += B[i * Columns + j];
}

void run(const float *A, const float *B, float *y, float *z) {
  two<<<Rows / 256, 256>>>(A, B, y, z);
}
