// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=loads-in-flight --seed=24301, kernel 2473):
// where the first iteration stands alone, zero plus a square is the square, which
// is then fused with the sum that follows.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=8
// SCHEDULE: 0
//! buffers:
//!   - { name: A1, type: f32, elements: 3360, fill: random, low: -2.00, high: 2.00, seed: 242 }
//!   - { name: out1, type: f32, elements: 840, fill: zero }
//! launches:
//!   - { kernel: k2473_, grid: [1, 1, 1], block: [10, 7, 1],
//!       arguments: [A1, out1] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}

__global__ void k2473_(const float *A1, float *out1) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 70 + tid;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float v0 = 0;
  switch (9 & 3) {
    case 1: {
      for (int j4 = 0; j4 < (tid & 7) + 1; ++j4) {
        v0 += float(A1[row * 16 + j4]) * float(A1[row * 16 + j4]);
        float a5[4] = {};
        for (int i = 0; i < 4; ++i)
          a5[i] = (bound(v0) + A1[(2 & 127) * 16 + i]);
        v0 += a5[0u & 3];
      }
    } break;
  }
  out1[2 * 210 + gid] += v0;
}

void launch2473(const float *A1, float *out1) {
  k2473_<<<dim3(1, 1, 1), dim3(10, 7, 1)>>>(A1, out1);
}
