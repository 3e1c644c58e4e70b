// Three of four neighbours are read: LLVM loads them as a vector with a gap.
//
// RUN: %sluice emulate %s | FileCheck %s
// CHECK: {{^1$}}
#include <cstdio>
__global__ void k(const float4 *p, float *o) {
  float4 v = p[threadIdx.x];
  o[threadIdx.x] = v.x + v.y + v.z;
}
int main() {
  float4 in[32], *p;
  float *o, out[32];
  for (int i = 0; i < 32; ++i) in[i] = float4{1.f * i, 2, 3, 4};
  cudaMalloc(&p, sizeof in); cudaMalloc(&o, sizeof out);
  cudaMemcpy(p, in, sizeof in, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(p, o);
  cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost);
  std::printf("%d\n", out[7] == 12);
}
