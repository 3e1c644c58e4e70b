// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang may unroll a small loop around, but not with iterations of the inner one
// taken together: then a product from before is fused with the sum, or not.
//
// RUN: %loads-cc %s -ffp-contract=fast -fplugin-arg-sluice-loads-in-flight=4 -Rpass=sluice-loads -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s
// RUN: %loads-cc %s -ffp-contract=off -fplugin-arg-sluice-loads-in-flight=4 -Rpass=sluice-loads -Rpass-missed=sluice-loads 2>&1 >/dev/null | FileCheck %s --check-prefix=APART
// APART-COUNT-3: remark: 4 iterations of the loop are taken together: so many were asked for

// CHECK: around.cu:[[@LINE+6]]:5: remark: iterations of the loop are not taken together: a loop around it may be unrolled: a product from before it is added in it
__global__ void small(const float *__restrict__ A, float *y, int n, int m) {
  const int i = threadIdx.x;
  const float product = A[i] * A[i + m];
  float s = 1;
  for (int j = 0; j < m; ++j) {
    for (int k = 0; k < n; ++k)
      s += A[i + 256 * k];
    s += product;
  }
  y[i] = s;
}

// A large one it does not unroll.
// CHECK: around.cu:[[@LINE+6]]:5: remark: 4 iterations of the loop are taken together
__global__ void large(const float *__restrict__ A, float *y, int n, int m) {
  const int i = threadIdx.x;
  const float product = A[i] * A[i + m];
  float s = 1, t = 1;
  for (int j = 0; j < m; ++j) {
    for (int k = 0; k < n; ++k)
      s += A[i + 256 * k];
    s += product;
#pragma unroll
    for (int k = 0; k < 20; ++k)
      t = t / (s + 2) + 1;
  }
  y[i] = s + t;
}

// The product differs in each iteration of the innermost loop, and stays in it,
// however many loops are around that.
// CHECK: around.cu:[[@LINE+6]]:7: remark: 4 iterations of the loop are taken together
__global__ void within(const float *__restrict__ A, const float *__restrict__ B, float *y, int n, int m) {
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = t; j < m; ++j)
      for (int k = 0; k < n; ++k)
        s += A[j] * B[k];
    y[t + 256 * i] = s;
  }
}
