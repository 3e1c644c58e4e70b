// The barriers of cooperative groups.
//
// RUN: %sluicexx %s --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o %t.sluice --sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plainxx -isystem %cuda/include/cccl %s --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o %t.plain
// RUN: diff %t.plain %t.sluice

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void grid(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: cooperative-groups.cu:[[@LINE+1]]:3: remark: loop of 'grid' not throttled: N=4 is wanted (N=4 was asked for), but the region at cooperative-groups.cu:[[@LINE+1]]:3 contains
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    cg::this_grid().sync();
  }
}

__global__ void block(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: cooperative-groups.cu:[[@LINE+1]]:3: remark: loop of 'block' not throttled: N=4 is wanted (N=4 was asked for), but the region at cooperative-groups.cu:[[@LINE+1]]:3 contains a block barrier
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    cg::this_thread_block().sync();
  }
}

__global__ void count(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: cooperative-groups.cu:[[@LINE+1]]:3: remark: loop of 'count' not throttled: N=4 is wanted (N=4 was asked for), but the region at cooperative-groups.cu:[[@LINE+1]]:3 contains a block barrier (in '__syncthreads_count(int)')
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    y[i] += __syncthreads_count(j == i);
  }
}
