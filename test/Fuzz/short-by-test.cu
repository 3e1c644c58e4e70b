// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the test before both loops clang knows that the second has six
// iterations at most, and takes one at a time: a product from before it is
// fused with its sum. Where the first ends in several places, it does not know
// any more, and would take four together. (Found by sluice-fuzz,
// --transform=loads-in-flight --reduce=98005:2 --per-file=10.)
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=on -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=4
// SCHEDULE: 703
//! buffers:
//!   - { name: A0, type: f32, elements: 1056, fill: random, low: -2.00, high: 2.00, seed: 409 }
//!   - { name: io, type: f32, elements: 1848, fill: random, low: -2.00, high: 2.00, seed: 914 }
//! launches:
//!   - { kernel: k2_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A0, bytes 20000000, io] }

__device__ inline float bound(float v) {
  return v < -256 ? -256 : v > 256 ? 256 : v;
}

__global__ void k2_(const float *__restrict__ A0, int pitch, float *io) {
  const int tid = threadIdx.x;
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= 7)
    return;
  float v0 = 3;
  for (int j = 0; j < (tid & 7) + 1; ++j)
    v0 += A0[gid * pitch + j] * A0[gid * pitch + j];
  float *const w = io + gid * 56;
  for (int j = 0; j < (tid & 31); ++j)
    w[j] = bound(w[j + 1]) * 0.5f + v0 * 0.1f;
}

void launch2(const float *__restrict__ A0, float *io) {
  k2_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A0, 32, io);
}
