// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory that an asynchronous copy has not yet written: read without a
// wait, read by another lane than the one that waited, written meanwhile, read
// while the wait leaves the copy's group under way.
//
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: not %sluice emulate %s --check=none 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>
#include <cuda_pipeline.h>

#ifdef FIXED
#define IF_FIXED(X) X
#else
#define IF_FIXED(X)
#endif
#define SHARED(P) ((__attribute__((address_space(3))) void *)(P))
#define GLOBAL(P) ((__attribute__((address_space(1))) const void *)(P))

__global__ void noWait(const int4 *in, int *out) {
  __shared__ int4 data[32];
  int t = threadIdx.x;
  __nvvm_cp_async_cg_shared_global_16(SHARED(&data[t]), GLOBAL(&in[t]));
  __nvvm_cp_async_commit_group();
  IF_FIXED(__nvvm_cp_async_wait_group(0));
  out[t] = data[t].x;
}

__global__ void otherLane(const int *in, int *out) {
  __shared__ int data[32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&data[t], &in[t], 4);
  __pipeline_commit();
  __syncwarp(); // orders what came before the wait alone
  __pipeline_wait_prior(0);
  IF_FIXED(__syncwarp());
  out[t] = data[31 - t];
}

__global__ void overwritten(const int2 *in, int2 *out) {
  __shared__ int2 data[32];
  int t = threadIdx.x;
  unsigned to = unsigned(__cvta_generic_to_shared(&data[t]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(&in[t]) : "memory");
  IF_FIXED(asm volatile("cp.async.wait_all;" ::: "memory"));
  data[t].y = 3;
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = data[t];
}

// A copy before what is read there has been read by all.
__global__ void tooSoon(const int *in, int *out) {
  __shared__ int data[32];
  int t = threadIdx.x;
  data[t] = t;
  __syncwarp();
  out[t] = data[31 - t];
  IF_FIXED(__syncwarp());
  __pipeline_memcpy_async(&data[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] += data[t];
}

__global__ void stages(const int *in, int *out, int rounds) {
  __shared__ int data[2][32];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&data[0][t], &in[t], 4);
  __pipeline_commit();
  for (int r = 0; r < rounds; ++r) {
    if (r + 1 < rounds)
      __pipeline_memcpy_async(&data[(r + 1) % 2][t], &in[(r + 1) * 32 + t], 4);
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(1);
#else
    __pipeline_wait_prior(2);
#endif
    __syncwarp();
    sum = sum * 3 + data[r % 2][31 - t];
    __syncwarp();
  }
  out[t] = sum;
}

int main() {
  int *in, *out, h[1024];
  for (int i = 0; i < 1024; ++i)
    h[i] = i + 1;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemset(out, 0, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  noWait<<<1, 32>>>((const int4 *)in, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[5]);
  otherLane<<<1, 32>>>(in, out);
  overwritten<<<1, 32>>>((const int2 *)in, (int2 *)out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", h[10], h[11]);
  tooSoon<<<1, 32>>>(in, out);
  stages<<<1, 32>>>(in, out, 8);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int r = 0; r < 8; ++r)
    sum = sum * 3 + r * 32 + 26 + 1;
  std::printf("%d\n", h[5] == sum);
}

// What was not waited for is not there.
// CHECK: error: read of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}async-copy.cu:27 in kernel noWait
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: copied at {{.*}}async-copy.cu:24 by thread (0,0,0) of block (0,0,0), and not waited for
// CHECK-NEXT: in shared memory, offset 0
// CHECK-NEXT: launched at {{.*}}async-copy.cu:95
// CHECK: {{^0$}}
// CHECK: error: race on shared memory
// CHECK-NEXT: at {{.*}}async-copy.cu:38 in kernel otherLane
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: with a write by thread (31,0,0) of block (0,0,0) at {{.*}}async-copy.cu:33
// CHECK: error: write of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}async-copy.cu:47 in kernel overwritten
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: copied at {{.*}}async-copy.cu:45 by thread (0,0,0)
// CHECK: {{^11 12$}}
// CHECK: error: race on shared memory
// CHECK-NEXT: at {{.*}}async-copy.cu:60 in kernel tooSoon
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: with a read by thread (31,0,0) of block (0,0,0) at {{.*}}async-copy.cu:58
// CHECK: error: read of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}async-copy.cu:81 in kernel stages
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: copied at {{.*}}async-copy.cu:69 by thread (31,0,0)
// CHECK: error: write of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}async-copy.cu:73 in kernel stages
// CHECK: {{^0$}}

// ALWAYS: read of 4 bytes where an asynchronous copy is under way
// ALWAYS-NEXT: in kernel noWait

// FIXED-NOT: error
// FIXED: {{^21$}}
// FIXED-NOT: error
// FIXED: {{^11 3$}}
// FIXED-NOT: error
// FIXED: {{^1$}}
// FIXED-NOT: error
