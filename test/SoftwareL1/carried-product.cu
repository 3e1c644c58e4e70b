// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that the next iteration adds to something: where clang unrolls the
// loop, the two become one fused operation. It did so without staging, and with
// staging not. A product that is multiplied on is staged.
//
// RUN: %sluice-fuzz --check %s
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -Rpass=sluice-software -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s
//
// CHECK: carried-product.cu:[[#@LINE+17]]:5: remark: rows of its threads are not staged: it carries a product over
// CHECK: carried-product.cu:[[#@LINE+24]]:3: remark: 1 stream of the loop is staged
//
// FLAGS: -O3 -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-test-chunk=16
// SCHEDULE: 462
//! buffers:
//!   - { name: A, type: f32, elements: 1024, fill: random, low: -2.00, high: 2.00, seed: 869 }
//!   - { name: y, type: f32, elements: 32, fill: zero }
//! launches:
//!   - { kernel: carried, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, bytes 20000000, y] }

__global__ void carried(const float *__restrict__ A, int pitch, float *y) {
  float v = 1;
  for (int k = 0; k <= threadIdx.x % 8; ++k) {
    y[threadIdx.x] += v;
    for (int j = 0; j < 12 - int(blockIdx.x); ++j)
      v = A[threadIdx.x * pitch + j] * (v + 1);
  }
}

__global__ void product(const float *__restrict__ A, int pitch, float *y,
                        int n) {
  float v = 1;
  for (int j = 0; j < n; ++j)
    v *= A[threadIdx.x * pitch + j];
  y[threadIdx.x] = v;
}
