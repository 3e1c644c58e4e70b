// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where one block is on an SM and two would be, a word may be spilled, however
// many warps a block has; not more.
//
// REQUIRES: ptxas-13
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=auto -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
//
// REMARK: one-block.cu:[[@LINE+26]]:{{.*}} remark: a thread has at most 32 registers: with 32 in place of 40 an SM holds 2 blocks and not 1, and little is spilled
//
// CHECK: .entry word
// CHECK: .maxnreg 32
// CHECK: .entry words
// CHECK-NOT: .maxnreg

template <int Count>
__device__ void hold(const float *a, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x[Count];
#pragma unroll
  for (int k = 0; k < Count; ++k)
    x[k] = a[i + k * n];
#pragma nounroll
  for (int j = 0; j < n; ++j) {
    const float y = a[(int)a[(int)a[(int)a[j * n + i]]]];
#pragma unroll
    for (int k = 0; k < Count; ++k)
      x[k] = x[k] * y + x[(k + 7) % Count];
  }
#pragma unroll
  for (int k = 0; k < Count; ++k)
    out[i * Count + k] = x[k];
}

extern "C" __global__ void word(const float *a, float *out, int n) {
  hold<25>(a, out, n);
}
extern "C" __global__ void words(const float *a, float *out, int n) {
  hold<26>(a, out, n);
}

void launch(const float *a, float *out, int n) {
  word<<<1024, 1024>>>(a, out, n);
  words<<<1024, 1024>>>(a, out, n);
}
