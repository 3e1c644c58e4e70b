// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Found by sluice-fuzz (--transform=software-l1-registers --seed=25001, kernel
// 8573): the last 16 bytes that hold a member of a struct ended behind the
// array.
//
// RUN: %sluice-fuzz --check %s
//
// FLAGS: -O2 -ffp-contract=on -std=c++20
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=registers -fplugin-arg-sluice-throttle=4,27
// SCHEDULE: 0
//! buffers:
//!   - { name: A1, type: f32, elements: 2240, fill: random, low: -2.00, high: 2.00, seed: 613 }
//!   - { name: to, type: f32, elements: 30195, fill: random, low: -2.00, high: 2.00, seed: 697 }
//!   - { name: from, type: f32, elements: 30195, fill: random, low: -2.00, high: 2.00, seed: 993 }
//! launches:
//!   - { kernel: k8573_, grid: [2, 2, 1], block: [70, 1, 1],
//!       arguments: [A1, bytes 0c000000, bytes 09000000, bytes 09000000, to, from] }

struct Point {
  float x, y, z;
};

__global__ void k8573_(const float *A1, int most, int first, int second, Point *__restrict__ to, const Point *__restrict__ from) {
  const int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int gid = (blockIdx.x + gridDim.x * blockIdx.y) * 70 + tid;
  Point *to4 = to + gid * 36 + first;
  const Point *from5 = from + gid * 36 + second;
  for (int j3 = 0; j3 < most; ++j3) {
    to4[j3].x = from5[j3].y * 0.5f + int(A1[gid + j3]);
  }
}

void launch8573(const float *A1, Point *__restrict__ to, const Point *__restrict__ from) {
  k8573_<<<dim3(2, 2, 1), dim3(70, 1, 1)>>>(A1, 12, 9, 9, to, from);
}
