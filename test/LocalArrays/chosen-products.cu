// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product that data choose, or not, before it is summed is fused with no sum,
// whether loops over arrays are unrolled or not: as where a softmax masks what
// is behind a row's end. Where it is that or zero a sum could leave the zero out.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays -Rpass-missed=sluice-local-arrays 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: for n in 0 7 32 100; do %same-staged %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: .entry masked
// CHECK-NOT: .local
// CHECK: .entry withZero
// CHECK: st.local
// REMARK-COUNT-2: chosen-products.cu:[[#]]:1: remark: the loop is unrolled whole: arrays of 64 bytes
// REMARK: chosen-products.cu:[[#]]:1: remark: an array of 64 bytes is not kept in registers: whether a product is fused with a sum depends on where it is kept

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// Longer than LLVM's threshold for loops that are unrolled whole.
__device__ inline float longWay(float x, float y) {
#define STEP y = (y > x ? y - x : x - y) / (x * x + 1.5f);
  STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
  return y;
}

#define KERNEL(NAME, MASK)                                                     \
  extern "C" __global__ void NAME(const float *A, float *y, int n) {           \
    float v[16];                                                               \
    float score = A[ME] * A[ME + 1];                                           \
    if (threadIdx.x >= n)                                                      \
      score = MASK;                                                            \
    for (int j = 0; j < 16; ++j)                                               \
      v[j] = longWay(A[j * 4096 + ME], 3);                                     \
    for (int j = 0; j < 16; ++j)                                               \
      y[j * 4096 + ME] = longWay(v[15 - j], 2);                                \
    y[ME + 256] = score - v[3];                                                \
  }

KERNEL(masked, -7)
KERNEL(withZero, 0)
