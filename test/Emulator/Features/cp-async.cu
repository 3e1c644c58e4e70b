// Asynchronous copies, also with a source size: the rest is zeros.
//
// RUN: %sluice emulate %s | FileCheck %s
// CHECK: {{^1$}}
#include <cuda_pipeline.h>
#include <cstdio>
__global__ void k(const int *in, int *out, int n) {
  __shared__ __align__(16) int data[64];
  __pipeline_memcpy_async(data + threadIdx.x, in + threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = data[63 - threadIdx.x];
  __syncthreads();
  unsigned to = unsigned(__cvta_generic_to_shared(data + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + threadIdx.x), "r"(threadIdx.x < n ? 4 : 0) : "memory");
  asm volatile("cp.async.commit_group;\ncp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[64 + threadIdx.x] = data[threadIdx.x];
}
int main() {
  int *in, *out, h[128];
  cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h);
  for (int i = 0; i < 128; ++i) h[i] = i;
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(in, out, 50);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[5] == 58 && h[64 + 49] == 49 && h[64 + 50] == 0);
}
