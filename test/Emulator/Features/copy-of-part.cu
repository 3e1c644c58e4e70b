// A kernel writes the inner part of an array, and the host copies all of it.
//
// RUN: %sluice emulate %s 2>&1 | FileCheck %s
// CHECK: warning: uninitialised read: cudaMemcpy of 256 bytes from the allocation of 256 bytes made at copy-of-part.cu:{{[0-9]+}}, of which 8 were never written
// CHECK: {{^1$}}
#include <cstdio>
__global__ void inner(float *o, int n) { int i = threadIdx.x; if (i > 0 && i < n - 1) o[i] = i; }
int main() {
  float *o, h[64];
  cudaMalloc(&o, sizeof h);
  inner<<<1, 64>>>(o, 64);
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[5] == 5);
}
