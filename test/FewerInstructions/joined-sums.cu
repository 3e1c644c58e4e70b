// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places that the full and the last block of a kernel compute alike, and that
// are used behind both: they are computed where they are used.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer -o /dev/null 2>&1 | FileCheck %s
// RUN: for n in 0 40 512 600; do %same-fewer %s %t int=$n block=32 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=600 block=32 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

// CHECK: joined-sums.cu:{{.*}}: remark: {{[0-9]+}} sums are computed where they are used: registers would hold them from where two ways meet
extern "C" __global__ void twice(const int *a, const int *b, int *out, int n) {
  const int first = blockIdx.x * 288;
  const int valid = n - first;
  __shared__ int tile[288];
  if (valid >= 288) {
#pragma unroll
    for (int u = 0; u < 9; ++u) {
      const int at = threadIdx.x + u * 32;
      tile[at] = a[at & 31];
      out[first + at] = tile[at] + at;
    }
  } else {
#pragma unroll
    for (int u = 0; u < 9; ++u) {
      const int at = threadIdx.x + u * 32;
      tile[at] = at;
      if (at < valid)
        out[first + at] = a[at & 31] - at;
    }
  }
  __syncthreads();
  int keys[9];
#pragma unroll
  for (int u = 0; u < 9; ++u)
    keys[u] = tile[threadIdx.x + u * 32];
  __syncthreads();
#pragma unroll
  for (int u = 0; u < 9; ++u) {
    const int at = threadIdx.x + u * 32;
    if (at < valid)
      out[first + at] += b[keys[u] & 31] * at;
  }
}
