// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=contraction --seed=24201, kernel 126): of two
// products in a sum nvptx-ir-peephole takes the one that is used once. Sums in
// registers took the other, when a sum before had taken one of its two uses.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-promote=on
// SCHEDULE: 963
//! buffers:
//!   - { name: A1, type: i32, elements: 3072, fill: random, low: 0.00, high: 4000.00, seed: 576 }
//!   - { name: io, type: f32, elements: 10752, fill: random, low: -2.00, high: 2.00, seed: 443 }
//! launches:
//!   - { kernel: k126_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A1, io, io, bytes 2f000000] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

template <int Q>
__global__ void k126_(const unsigned *__restrict__ A1, float *io, const float *in, int shift) {
  const int gid = blockIdx.x * blockDim.x + threadIdx.x;
  struct Fields16 { float s0; float s1; float s2; float s3; float s4; float s5; float s6; float s7; float s8; float s9; float s10; float s11; };
  Fields16 *sums17 = (Fields16 *)(io + gid * 56 + 12 * (shift % 4));
  for (int j19 = 40 - 1; j19 >= 0; --j19) {
    sums17->s1 += float(A1[j19]) * 0.3f;
    sums17->s11 += float(A1[j19]) * 0.3f + bound(in[gid * 56 + 35]) * bound(A1[gid]);
  }
}

void launch126(const unsigned *__restrict__ A1, float *io, const float *in) {
  k126_<7><<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A1, io, in, 47);
}
