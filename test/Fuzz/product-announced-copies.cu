// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=contraction --seed=25001, kernel 5863): the
// unroller announces copies of the loop that it then cannot make, as how often
// the loop runs takes too much to compute. A sum that promotion brings into
// registers was fused with its product all the same.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O2 -ffp-contract=on -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-promote=on
// SCHEDULE: 357
//! buffers:
//!   - { name: A0, type: f64, elements: 8192, fill: random, low: -4.00, high: 4.00, seed: 135 }
//!   - { name: A1, type: f64, elements: 8192, fill: random, low: -4.00, high: 4.00, seed: 898 }
//!   - { name: out0, type: f32, elements: 2048, fill: zero }
//!   - { name: out1, type: f32, elements: 256, fill: zero }
//! launches:
//!   - { kernel: k5863_, grid: [1, 1, 1], block: [4, 4, 4],
//!       shared: 256, arguments: [A0, A1, out0, out1, bytes 18000000] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

__global__ void k5863_(const double *A0, const double *A1, float *out0, float *out1, int n0) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int j3 = 0; j3 < n0; j3 += 2) {
    out0[gid * 8 + (j3 & 7)] = 1.0f;
    out1[gid] += bound(float(A0[j3 * 32 + j3]));
    for (int j4 = 0; j4 < 3; j4 += 2)
      out1[gid] += float(A1[row * 32 + j4]) * float(A1[j4]);
  }
}

void launch5863(const double *A0, const double *A1, float *out0, float *out1) {
  k5863_<<<dim3(1, 1, 1), dim3(4, 4, 4), 256>>>(A0, A1, out0, out1, 24);
}
