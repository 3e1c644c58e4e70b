// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s --check=memory,races; test $? = 86
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__device__ __attribute__((noinline)) int depth(int n, volatile int *stop) {
  int frame[64];
  for (int i = 0; i < 64; ++i)
    frame[i] = n + i;
  if (n <= *stop)
    return frame[n & 63];
  return depth(n - 1, stop) + frame[n & 63];
}
__global__ void start(int *out, int n, int *stop) { *out = depth(n, stop); }
int main() {
  int *out, *stop;
  cudaMalloc(&out, 4);
  cudaMalloc(&stop, 4);
  cudaMemset(stop, 0, 4);
#ifdef FIXED
  start<<<1, 1>>>(out, 100, stop);
#else
  start<<<1, 1>>>(out, 1000000, stop);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: stack overflow
// CHECK: in kernel start
// FIXED-NOT: error:
