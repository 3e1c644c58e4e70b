// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop around reads the same row again. Clang unrolls the inner loop whole,
// finds its first product the same each time, takes it out of the loop around,
// and then cannot fuse it with the sum. A staged loop would fuse it. Where the
// product changes with the loop around it stays where it is.
//
// RUN: %sluice-fuzz --check %s
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=STAGED
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=registers -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=REGISTERS
//
// CHECK: product-taken-out.cu:{{[0-9]+}}:5: remark: rows of its threads are not staged: a product in it may be the same each time, and be taken out of a loop around it
// STAGED: product-taken-out.cu:{{[0-9]+}}:5: remark: 2 streams of the loop are staged
// REGISTERS: product-taken-out.cu:{{[0-9]+}}:5: remark: {{.*}} stays as it was: its rows are not kept in registers: a product in it may be the same each time, and be taken out of a loop around it
//
// FLAGS: -O3 -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-test-chunk=16
// SCHEDULE: 0
//! buffers:
//!   - { name: A, type: f32, elements: 2048, fill: random, low: -2.00, high: 2.00, seed: 665 }
//!   - { name: y, type: f32, elements: 128, fill: zero }
//! launches:
//!   - { kernel: squares, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, y, bytes 07000000] }

__global__ void squares(const float *__restrict__ A, float *y, int times) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int t = 0;
  do {
    for (int j = 0; j < (threadIdx.x & 7) + 1; ++j)
      s += A[me * 16 + j] * A[me * 16 + j];
  } while (++t < times);
  y[me] += s;
}

__global__ void apart(const float *__restrict__ A, const float *__restrict__ B,
                      float *y, int n, int times) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int t = 0; t < times; ++t)
    for (int j = 0; j < n; ++j)
      s += A[me * 512 + j] * B[(me + t) * 512 + j];
  y[me] = s;
}
