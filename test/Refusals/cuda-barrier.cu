// cuda::barrier and cuda::atomic_ref, which are inline assembly.
//
// RUN: %sluicexx %s --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o %t.sluice --sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plainxx -isystem %cuda/include/cccl %s --cuda-gpu-arch=sm_90 --cuda-device-only -O3 -S -o %t.plain
// RUN: diff %t.plain %t.sluice

#include <cuda/atomic>
#include <cuda/barrier>

__global__ void meet(const float *A, float *y) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  Barrier &barrier = *reinterpret_cast<Barrier *>(storage);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: cuda-barrier.cu:[[@LINE+1]]:3: remark: loop of 'meet' not throttled: N=4 is wanted (N=4 was asked for), but the region at cuda-barrier.cu:[[@LINE+1]]:3 {{contains|is part of}}
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    barrier.arrive_and_wait();
  }
}

__global__ void spin(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int> ready(*flag);
  // CHECK-DAG: cuda-barrier.cu:[[@LINE+1]]:3: remark: loop of 'spin' not throttled: N=4 is wanted (N=4 was asked for), but the region at cuda-barrier.cu:[[@LINE+1]]:3 contains
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    while (ready.load() == 0)
      ;
  }
}
