// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows give a kernel a limit of 64, so that blocks of 1,024 threads stay
// possible. Where arrays in registers need more, and it is launched with small
// blocks, it may have what these leave; where nobody knows the launch it keeps
// to 64.
//
// RUN: %staging-cc %s | FileCheck %s

// CHECK: .entry small
// CHECK: .maxnreg 255
// CHECK: .entry unknown
// CHECK: .maxnreg 64

#define BODY                                                                   \
  const int me = blockIdx.x * blockDim.x + threadIdx.x;                        \
  float kept[64], x = 0;                                                       \
  for (int k = 0; k < 64; ++k)                                                 \
    kept[k] = a[k * n + me];                                                   \
  for (int j = 0; j < m; ++j)                                                  \
    x += rows[me * m + j];                                                     \
  for (int k = 0; k < 64; ++k)                                                 \
    out[k * n + me] = kept[k] * x + kept[63 - k];

extern "C" __global__ void small(const float *__restrict__ a, const float *__restrict__ rows, float *__restrict__ out,
                                 int n, int m) {
  BODY
}
extern "C" __global__ void unknown(const float *__restrict__ a, const float *__restrict__ rows,
                                   float *__restrict__ out, int n, int m) {
  BODY
}

void launch(const float *a, float *out, int n, int block) {
  small<<<1056, 64>>>(a, a, out, n, 512);
  unknown<<<1056, block>>>(a, a, out, n, 512);
}
