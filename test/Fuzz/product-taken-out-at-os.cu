// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=contraction --seed=25001, kernel 1395): at
// -Os clang makes no copies of a loop, so that the product before it is fused
// with the sum in it, unless the loop gets a second version.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -Os -ffp-contract=off -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-promote=on
// SCHEDULE: 887
//! buffers:
//!   - { name: A2, type: i32, elements: 1024, fill: random, low: 0.00, high: 4000.00, seed: 138 }
//!   - { name: A3, type: f64, elements: 512, fill: random, low: -4.00, high: 4.00, seed: 917 }
//!   - { name: out0, type: f32, elements: 256, fill: zero }
//!   - { name: out1, type: f32, elements: 512, fill: zero }
//! launches:
//!   - { kernel: k1395_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A2, A3, out0, out1, bytes 15000000] }

__global__ void k1395_(const unsigned *A2, const double *A3, float *out0, float *out1, int n1) {
  const int tid = threadIdx.x;
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  int j2 = -1;
  while (++j2 < n1) {
    int j3 = 0;
    out0[(gid & 3) * 64 + gid] += float(A3[gid * 8 + j3]) * float(A2[j3]);
    out1[gid * 8 + (tid & 7)] += 1.0f;
  }
}

void launch1395(const unsigned *A2, const double *A3, float *out0, float *out1) {
  k1395_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A2, A3, out0, out1, 21);
}
