// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products are fused with sums, or not, as they are without lines. Where that
// would be decided by what LLVM moves later, the loop is left alone: a product
// that is the same in all iterations leaves the loop, and one before a loop comes
// to its sums where the loop is unrolled whole.
//
// DEFINE: %{flags} = -ffp-contract=fast -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=shared -fplugin-arg-sluice-test-count=1
// RUN: %staging-cc %s %{flags} -Rpass=sluice-software -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %same-staged %s %t %{flags} int=100
//
// CHECK-COUNT-2: threads keep lines
// CHECK-NOT: threads keep lines
// CHECK: a product in it may be the same every few iterations
// CHECK: a product from before it is added in it, and fused with the sum where there is one copy of the loop

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void fused(const float *A, const float *B, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 128 + j] * B[ME * 100 + j];
  y[ME] = s;
}

__global__ void carried(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.3f + A[ME * 128 + j];
  y[ME] = s;
}

__global__ void hoisted(const float *__restrict__ A,
                        const float *__restrict__ B, float *__restrict__ y,
                        int *__restrict__ z) {
  for (int j = 0; j < 18; ++j) {
    atomicAdd(&z[j & 3], 1);
    for (int k = 0; k < 5; ++k)
      y[ME] += A[k * 128 + ME] * B[k * 128 + ME];
  }
}

__global__ void before(const float *A, float *y, float x) {
  float p = A[ME] * x;
  for (int j = 0; j < 6; ++j)
    y[ME * 6 + j] = p + A[ME * 128 + j];
}
