// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product from before the loop is fused with a sum in it, as clang takes one
// iteration at a time: at -O2 it has half of -O3's threshold, by which it would
// take two. Several together would use the product several times, and it would
// be rounded alone. (Found by sluice-fuzz,
// --transform=loads-in-flight --reduce=98006:304 --per-file=10.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O2 -ffp-contract=off -std=c++20 -g -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=3 -fplugin-arg-sluice-promote=on -fplugin-arg-sluice-early-loads=auto
// SCHEDULE: 0
//! buffers:
//!   - { name: A1, type: f64, elements: 2048, fill: random, low: -4.00, high: 4.00, seed: 286 }
//!   - { name: out0, type: f32, elements: 1024, fill: zero }
//! launches:
//!   - { kernel: k304_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A1, out0, bytes 17000000] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

__global__ void k304_(const double *A1, float *out0, int n) {
  const int gid = blockIdx.x * 32 + threadIdx.x;
  float v0 = 0;
  for (int j = 0; j < n; ++j) {
    v0 += bound(float(A1[1])) * bound(float(A1[gid * 8 + 2]));
    v0 = bound(float(A1[gid * 8 + (j & 7)])) > 0.2f
             ? bound(v0)
             : bound(float(A1[gid * 8 + (j & 7)]));
  }
  out0[3 * 256 + gid] += v0;
}

void launch304(const double *A1, float *out0) {
  k304_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A1, out0, 23);
}
