// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product is the same in every eighth iteration. Where clang takes eight
// together it computes each once, before the loop, away from its sum; with
// three it does not. So the loop stays as it was.
//
// RUN: %sluice-fuzz --check %s
// RUN: %loads-cc %s -ffp-contract=fast -fplugin-arg-sluice-loads-in-flight=3 -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s
// RUN: %loads-cc %s -ffp-contract=fast -fplugin-arg-sluice-loads-in-flight=3 -DOTHER -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=OTHER
//
// CHECK: iterations of the loop are not taken together: a product in it may be the same every few iterations
// OTHER: remark: 3 iterations of the loop are taken together
//
// A product from before the loop is fused with its sum where clang leaves the
// loop as it is, and not where it takes two iterations together. So it is fused
// before the loop is unrolled.
// RUN: %loads-cc %s -ffp-contract=fast -DBEFORE=0 -Rpass=sluice-loads 2>/dev/null | FileCheck %s --check-prefix=FUSED
// FUSED-COUNT-4: fma.rn.f32 {{.*}}, [[X:%[a-z0-9]+]], [[Y:%[a-z0-9]+]],
// Not where another one may be fused with the sum.
// RUN: %loads-cc %s -ffp-contract=fast -DBEFORE=0 -DALSO="* A[j]" -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE
// BEFORE: iterations of the loop are not taken together: a product from before it is added in it, and fused with the sum where there is one copy of the loop
// RUN: %loads-cc %s -ffp-contract=fast -DBEFORE=1 -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=SHORT
// RUN: %loads-cc %s -ffp-contract=off -DBEFORE=0 -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=SHORT
// SHORT: iterations of the loop are taken together
//
// FLAGS: -O3 -std=c++17 -ffp-contract=fast
// TRANSFORM: -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-loads-in-flight=3
// SCHEDULE: 0
//! buffers:
//!   - { name: A, type: f32, elements: 8192, fill: random, low: -2.00, high: 2.00, seed: 130 }
//!   - { name: y, type: f32, elements: 256, fill: zero }
//! launches:
//!   - { kernel: periodic, grid: [1, 1, 1], block: [256, 1, 1], arguments: [A, y, bytes 1f000000] }

#ifdef OTHER
#define AT j
#else
#define AT j % 8
#endif

__global__ void periodic(const float *__restrict__ A, float *y, unsigned n) {
  float s = 0;
  for (unsigned j = 0; j < n; ++j)
    s += A[threadIdx.x * 32 + AT] * A[threadIdx.x * 32 + AT];
  y[threadIdx.x] = s;
}

#ifdef BEFORE
#ifndef ALSO
#define ALSO
#endif
__global__ void before(const float *__restrict__ A, float *y, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const float product = A[i] * A[i + n];
  float s = 0, t = 1;
  for (int j = 0; j < n; ++j) {
    float a = A[j * 977 + i];
#pragma unroll
    for (int k = 0; k < (BEFORE ? 2 : 20); ++k) {
      s = s / (a + 3);
      t = t / (s + 2) + a;
    }
    s = s ALSO + product;
  }
  y[i] = s + t;
}
void launch(float *A) { before<<<2112, 256>>>(A, A, 100); }
#endif
