// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of few iterations that clang unrolls whole: counters become constants
// and products with them too, several blocks become one, and conditions vanish.
// A product is then rounded before it is added, or no longer: with rows in
// shared memory the loop stays a loop. Rows of these loops are left alone; with
// more iterations they are not.
//
// RUN: %sluice-fuzz --check %s
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-test-chunk=16 -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %staging-cc %s -DLONG -fplugin-arg-sluice-software-l1=staged -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=LONG
//
// CHECK: not staged: a product in it may be a constant
// CHECK: not staged: whether a product is fused with a sum depends on how it is unrolled
// CHECK: not staged: a product in it may be a constant
// CHECK: not staged: whether a product is fused with a sum depends on how it is unrolled
// LONG-COUNT-3: of the loop {{(is|are)}} staged
// LONG-NOT: {{(is|are)}} staged
//
// FLAGS: -O3 -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-test-chunk=16
// SCHEDULE: 0
//! buffers:
//!   - { name: A, type: f32, elements: 2048, fill: random, low: -2.00, high: 2.00, seed: 665 }
//!   - { name: y0, type: f32, elements: 32, fill: random, low: -2.00, high: 2.00, seed: 5 }
//!   - { name: y1, type: f32, elements: 32, fill: random, low: -2.00, high: 2.00, seed: 5 }
//!   - { name: y2, type: f32, elements: 32, fill: random, low: -2.00, high: 2.00, seed: 5 }
//!   - { name: y3, type: f32, elements: 32, fill: random, low: -2.00, high: 2.00, seed: 5 }
//! launches:
//!   - { kernel: constant, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, y0, bytes 6666a63f, bytes 07000000] }
//!   - { kernel: before, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, y1, bytes 6666a63f, bytes 07000000] }
//!   - { kernel: power, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, y2, bytes 6666a63f, bytes 07000000] }
//!   - { kernel: odd, grid: [1, 1, 1], block: [32, 1, 1],
//!       arguments: [A, y3, bytes 6666a63f, bytes 07000000] }

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#ifdef LONG
#define PITCH 512
#define TRIPS n
#else
#define PITCH 16
#define TRIPS (threadIdx.x & 1) + 7
#endif

__global__ void constant(const float *__restrict__ A, float *y, float a,
                         int n) {
  float s = 0;
  for (int j = 0; j < TRIPS; ++j)
    s += A[ME * PITCH + j] + j * 0.3f;
  y[ME] = s;
}
__global__ void before(const float *__restrict__ A, float *y, float a,
                         int n) {
  float s = y[ME] * a;
  for (int j = 0; j < TRIPS; ++j)
    s = A[ME * PITCH + j] + s;
  y[ME] = s;
}
__global__ void power(const float *__restrict__ A, float *y, float a,
                         int n) {
  float s = 1.1f;
  for (int j = 0; j < TRIPS; ++j)
    s = A[ME * PITCH + j] + s * 1.3f;
  y[ME] = s;
}
__global__ void odd(const float *__restrict__ A, float *y, float a,
                         int n) {
  float s = 0;
  for (int j = 0; j < TRIPS; ++j) {
    float p = A[ME * PITCH + j] * a;
    s += j & 1 ? p : a;
  }
  y[ME] = s;
}
