// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=loads-in-flight --seed=24102, kernel 762):
// since LLVM 22 a product that is used once is fused with a sum in another
// block (nvptx-ir-peephole), which the emulator did not do.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -Os -ffp-contract=off -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=4
// SCHEDULE: 344
//! buffers:
//!   - { name: A1, type: f32, elements: 6144, fill: random, low: -2.00, high: 2.00, seed: 965 }
//!   - { name: A2, type: f64, elements: 10240, fill: random, low: -4.00, high: 4.00, seed: 630 }
//!   - { name: out0, type: f64, elements: 256, fill: zero }
//! launches:
//!   - { kernel: k762_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A1, A2, out0, bytes 14000000] }

__global__ void k762_(const float *A1, const double *A2, double *out0, int n0) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 128 + tid;
  float v0 = 1;
  switch (n0 & 3) {
    case 0: {
      for (int j9 = 0; j9 < 10; j9 += 2)
        v0 += float(A2[gid * 40 + j9]) * float(A1[j9]);
    } break;
  }
  out0[gid] += v0;
}

void launch762(const float *A1, const double *A2, double *out0) {
  k762_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A1, A2, out0, 20);
}
