// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=spills --seed=24201, kernel 317): a product
// whose one sum is in another block is fused with it there, and not when it has
// waited in a slot.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O3 -ffp-contract=on -std=c++20 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-spills=10
// SCHEDULE: 743
//! buffers:
//!   - { name: A0, type: f64, elements: 4096, fill: random, low: -4.00, high: 4.00, seed: 510 }
//!   - { name: A1, type: i32, elements: 2048, fill: random, low: -1000.00, high: 1000.00, seed: 104 }
//!   - { name: out0, type: f32, elements: 512, fill: zero }
//! launches:
//!   - { kernel: k317_, grid: [1, 1, 1], block: [32, 1, 1],
//!       shared: 256, arguments: [A0, bytes 20000000, A1, bytes 10000000, out0] }

template <class T> __device__ inline T bound(T v) {
  return v < T(-256) ? T(-256) : v > T(256) ? T(256) : v;
}
template <class T> __device__ bool anyAbove(const T *a, int n, float limit) {
  for (int i = 0; i < n; ++i)
    if (float(a[i]) > limit)
      return true;
  return false;
}

__global__ void __launch_bounds__(64) k317_(const double *A0, int pitch0, const int *A1, int pitch1, float *out0) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 64 + tid;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float v0 = 1;
  for (int j1 = 0; j1 < (tid & 7) + 1; ++j1) {
    for (int j2 = 0, e3 = 2; j2 < e3; ++j2) {
      out0[gid * 4 + 3] += float(A1[row * pitch1 + j2]) * float(A0[row * pitch0 + j2]);
    }
    if (bound(float(A1[j1 * pitch1 + j1])) > bound(float(A1[j1]))) {
      v0 = v0 * 0.5f + float(anyAbove(A0 + gid * pitch0, 4, bound(v0)));
    }
  }
}

void launch317(const double *A0, const int *A1, float *out0) {
  k317_<<<dim3(1, 1, 1), dim3(32, 1, 1), 256>>>(A0, 32, A1, 16, out0);
}
