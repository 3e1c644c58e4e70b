// Padding of structs was never written, and copying it is no error.
//
// RUN: %sluice emulate %s 2>&1 | FileCheck %s
// CHECK-NOT: sluice emulate
// CHECK: {{^1$}}
// CHECK-NOT: sluice emulate
#include <cstdio>
struct Pair { int key; double value; };
__global__ void fill(Pair *p) { p[threadIdx.x].key = threadIdx.x; p[threadIdx.x].value = 2.5; }
__global__ void move(const Pair *p, Pair *q) { q[threadIdx.x] = p[63 - threadIdx.x]; }
int main() {
  Pair *p, *q, host[64];
  cudaMalloc(&p, sizeof host); cudaMalloc(&q, sizeof host);
  fill<<<1, 64>>>(p);
  move<<<1, 64>>>(p, q);
  cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[3].key == 60);
}
