// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the emulator: launches that claim shared memory give the same results, with
// static, dynamic and no shared memory of their own.
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n  - {name: _Z5plainPi, resident-blocks: 2}\n  - {name: _Z6stagedPi, resident-blocks: 2}\n  - {name: _Z7dynamicPi, resident-blocks: 3}\n' > %t.yaml
// RUN: %sluicexx --sluice-emulate -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: %sluicexx --sluice-emulate -O2 %s --sluice-plan=%t.yaml %remarks -o %t.exe 2> %t.err
// RUN: FileCheck %s --check-prefix=REMARK < %t.err
// RUN: %t.exe > %t.out
// RUN: FileCheck %s < %t.out
// RUN: sed 's/carveout .*/carveout -1/' %t.out | diff - %t.plain.out
//
// REMARK-DAG: remark: launches of 'plain(int*)' claim 2432 bytes
// REMARK-DAG: remark: launches of 'staged(int*)' claim {{[0-9]+}} bytes
// REMARK-DAG: remark: launches of 'dynamic(int*)' claim {{[0-9]+}} bytes

#include <cstdio>

__global__ void plain(int *p) { p[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; }

__global__ void staged(int *p) {
  __shared__ int tile[64];
  tile[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  p[blockIdx.x * 64 + threadIdx.x] = 2 * tile[63 - threadIdx.x];
}

__global__ void dynamic(int *p) {
  extern __shared__ int space[];
  space[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  p[blockIdx.x * 64 + threadIdx.x] += space[threadIdx.x ^ 5];
}

template <typename K> void report(const char *name, K kernel) {
  cudaFuncAttributes facts;
  cudaFuncGetAttributes(&facts, kernel);
  std::printf("%s: carveout %d\n", name, facts.preferredShmemCarveout);
}

int main() {
  int *device, host[4096], sum = 0;
  cudaMalloc(&device, sizeof host);
  plain<<<64, 64>>>(device);
  staged<<<64, 64>>>(device);
  dynamic<<<64, 64, 256>>>(device);
  // CHECK: plain: carveout 1
  report("plain", plain);
  // CHECK: staged: carveout {{[0-9]+$}}
  report("staged", staged);
  // CHECK: dynamic: carveout {{[0-9]+$}}
  report("dynamic", dynamic);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 4096; ++i)
    sum += host[i] * (i % 7);
  std::printf("sum %d, last error %d\n", sum, cudaGetLastError());
  cudaFree(device);
}
