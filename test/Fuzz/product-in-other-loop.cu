// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that the last loop computes anew, whose sum stays in memory in the
// loop before. Only what is in that loop may move, or the product leaves its
// block, and is not fused there. (Found by sluice-fuzz,
// --transform=loads-in-flight --reduce=90016:24 --per-file=10.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=fast -std=c++20
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-promote=on
// SCHEDULE: 0
//! buffers:
//!   - { name: A0, type: f32, elements: 6144, fill: random, low: -2.00, high: 2.00, seed: 977 }
//!   - { name: A1, type: i32, elements: 6144, fill: random, low: 0.00, high: 4000.00, seed: 102 }
//!   - { name: out1, type: f64, elements: 512, fill: zero }
//!   - { name: io, type: f64, elements: 14336, fill: random, low: -2.00, high: 2.00, seed: 620 }
//! launches:
//!   - { kernel: k24_, grid: [2, 2, 1], block: [64, 1, 1],
//!       arguments: [A0, A1, out1, bytes 10000000, io, io, bytes 18000000] }

__device__ inline float bound(float v) {
  return v < -256 ? -256 : v > 256 ? 256 : v;
}

__global__ void k24_(const float *__restrict__ A0, const unsigned *__restrict__ A1, double *out1, int a, double *io, const double *in, int width) {
  const int tid = threadIdx.x;
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  float v0 = 1, v2 = 2;
  for (int j = width - 1; j >= 0; --j) {
    io[gid * 56 + 11] -= double(A0[j]) * 0.7 + in[gid * 56 + 48 - j] * 0.1;
    v0 += float(in[gid * 56 + j]);
  }
  const bool c = a != int(blockIdx.x);
  for (int j = 0; j < 6; ++j) {
    v0 += bound(A0[j]);
    if (c) {
      out1[gid * 2 + (tid & 1)] += bound(A0[gid * 24 + j]) * bound(A0[j]);
      v2 = bound(v2) + bound(A0[j]) * bound(A0[gid + j]) + bound(float(A1[gid + 1])) * bound(A0[gid * 24 + 2]);
      continue;
    } else {
      v2 += bound(A0[gid * 24 + j]);
    }
    v2 += bound(float(A1[gid + 1])) * bound(A0[gid * 24 + 2]);
  }
  out1[gid * 2] += v0;
  out1[gid * 2] += v2;
}

void launch24(const float *__restrict__ A0, const unsigned *__restrict__ A1, double *out1, double *io, const double *in) {
  k24_<<<dim3(2, 2, 1), dim3(64, 1, 1)>>>(A0, A1, out1, 16, io, in, 24);
}
