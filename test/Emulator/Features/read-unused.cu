// What was read and is then dropped is a warning, not an error.
//
// RUN: %sluice emulate %s 2>&1 | FileCheck %s
// CHECK: warning: uninitialised read of 4 bytes at {{.*}}read-unused.cu:{{[0-9]+}} in kernel k, in shared memory, offset 128; the value may be unused
// CHECK: {{^1$}}
#include <cstdio>
__global__ void k(int *out) {
  __shared__ int x[33];
  x[threadIdx.x] = threadIdx.x;
  __syncwarp();
  int sum = 0;
  for (int i = threadIdx.x; i < threadIdx.x + 2; ++i) {
    int next = x[i]; // loaded before it is known whether it counts
    sum += i < 32 ? next : 0;
  }
  out[threadIdx.x] = sum;
}
int main() {
  int *o, h[32];
  cudaMalloc(&o, sizeof h);
  k<<<1, 32>>>(o);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[30] == 61 && h[31] == 31);
}
