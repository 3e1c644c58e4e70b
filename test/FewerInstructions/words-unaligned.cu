// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that begin at any multiple of their elements: the accesses are as
// written then. A word at another place would be an error.
//
// RUN: %sluice emulate %s -O3 --check=memory,races --compare -Rpass=sluice-fewer 2>&1 | FileCheck %s

// CHECK-COUNT-2: accessed in wider words where the arrays are aligned
// CHECK: sum 19712 19840 19968 20096 20224
#include <cstdio>

__global__ void corners(double *__restrict__ a, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    a[8 * me + i] = me + n * i;
}

__global__ void rows(const double *__restrict__ d, float *__restrict__ out,
                     int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  double s = n;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    s += d[8 * me + i];
  out[me] = float(s);
}

int main() {
  double *a;
  float *out, host[64];
  cudaMalloc(&a, 600 * sizeof(double));
  cudaMalloc(&out, sizeof(host));
  std::printf("sum");
  for (int shift = 0; shift < 5; ++shift) {
    corners<<<2, 32>>>(a + shift, 2);
    rows<<<2, 32>>>(a + shift, out, 2 * shift);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : host)
      sum += x;
    std::printf(" %g", sum);
  }
  std::printf("\n");
}
