// Asynchronous copies, also with a source size: the rest is zeros. By intrinsics
// the same; under a predicate a thread may wait for its copies alone.
//
// RUN: %sluice emulate %s -DBYTES=8 --check=memory,races | FileCheck %s
// RUN: not %sluice emulate %s -DBYTES=12 --check=memory,races 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race on global memory
// RACE-NEXT: in kernel beside
// CHECK: {{^1$}}
// CHECK-NOT: is
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
#define SHARED(P) ((__attribute__((address_space(3))) void *)(P))
#define GLOBAL(P) ((__attribute__((address_space(1))) const void *)(P))
__global__ void intrinsics(const int *in, int *out, int n) {
  __shared__ __align__(16) int data[256];
  int t = threadIdx.x;
  int bytes = max(0, min(16, 4 * (n - 4 * t)));
  __nvvm_cp_async_cg_shared_global_16(SHARED(data + 4 * t), GLOBAL(in + 4 * t), bytes);
  asm volatile("{.reg .pred p; setp.ne.s32 p, %0, 0;\n\t"
               "@p cp.async.wait_all;\n\t"
               "@!p cp.async.wait_group 0;\n\t"
               "@!p cp.async.commit_group;\n\t"
               "@!p cp.async.wait_group 0;}" ::"r"(t % 2) : "memory");
  __syncthreads();
  for (int i = t; i < 128; i += 32)
    out[i] = data[i];
}
// What a copy leaves out of its 16 bytes another block may write.
__global__ void beside(int *data, int bytes) {
  __shared__ __align__(16) int copy[4];
  if (blockIdx.x == 1)
    data[2] = 7;
  else
    __nvvm_cp_async_cg_shared_global_16(SHARED(copy), GLOBAL(data), bytes);
}
int main() {
  int *in, *out, h[128];
  cudaMalloc(&in, sizeof h); cudaMalloc(&out, sizeof h);
  for (int i = 0; i < 128; ++i) h[i] = i;
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 64>>>(in, out, 50);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[5] == 58 && h[64 + 49] == 49 && h[64 + 50] == 0);
  intrinsics<<<1, 32>>>(in, out, 98);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; ++i)
    if (h[i] != (i < 98 ? i : 0))
      std::printf("%d is %d\n", i, h[i]);
  beside<<<2, 1>>>(in, BYTES);
}
