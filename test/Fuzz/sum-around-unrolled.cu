// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=loads-in-flight --seed=26002, kernel 1665):
// with an inner loop that is not unrolled clang takes two iterations of the loop
// around it together, whose products are then the same, and not fused.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=off -std=c++20 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=3
// SCHEDULE: 144
//! buffers:
//!   - { name: A0, type: i8, elements: 2112, fill: random, low: -128.00, high: 127.00, seed: 979 }
//!   - { name: A2, type: f64, elements: 2112, fill: random, low: -4.00, high: 4.00, seed: 821 }
//!   - { name: A3, type: f32, elements: 2048, fill: random, low: -2.00, high: 2.00, seed: 458 }
//!   - { name: out1, type: f32, elements: 64, fill: zero }
//!   - { name: out2, type: f32, elements: 512, fill: zero }
//! launches:
//!   - { kernel: k1665_, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A0, A2, A3, out1, out2] }

struct Pair {
  float sum;
  int count;
};
template <class T> __device__ Pair pairOf(const T *a, int n) {
  Pair pair = {0, 0};
  for (int i = 0; i < n; ++i) {
    pair.sum += float(a[i]);
    if (a[i] > T(0))
      ++pair.count;
  }
  return pair;
}

__global__ void __launch_bounds__(64) k1665_(const unsigned char *A0, const double *A2, const float *A3, float *__restrict__ out1, float *__restrict__ out2) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float v0 = 1;
  for (int j3 = 0; j3 < 10; ++j3) {
    out2[gid * 8 + 7] += float(A2[row * 33 + j3]);
    v0 += 1.0f, v0 -= pairOf(A0 + j3 * 33, (tid & 7)).sum;
    int j5 = -1;
    while (++j5 < 9) {
      v0 += float(A3[gid * 32 + j5]) * float(A0[j5]);
    }
  }
  out1[gid] += v0;
}

void launch1665(const unsigned char *A0, const double *A2, const float *A3, float *__restrict__ out1, float *__restrict__ out2) {
  k1665_<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A0, A2, A3, out1, out2);
}
