// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that an mbarrier is told of are there when somebody has waited for
// their phase: not before, though all have arrived, and not after a wait for the
// phase before.
//
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>

#ifdef FIXED
#define IF_FIXED(X) X
#else
#define IF_FIXED(X)
#endif

__device__ void copy(int *to, const int *from, long *barrier) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
  __nvvm_cp_async_mbarrier_arrive_noinc(barrier);
}

__device__ void wait(long *barrier, int parity) {
  for (unsigned over = 0; !over;)
    asm volatile("{.reg .pred p;\n\t"
                 "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(unsigned(__cvta_generic_to_shared(barrier))), "r"(parity) : "memory");
}

__global__ void noWait(const int *in, int *out) {
  __shared__ long barrier;
  __shared__ int data[64];
  int t = threadIdx.x;
  if (t == 0)
    __nvvm_mbarrier_init(&barrier, 64);
  __syncthreads();
  copy(&data[t], &in[t], &barrier);
  __syncthreads();
  IF_FIXED(wait(&barrier, 0));
  out[t] = data[63 - t];
}

__global__ void oldPhase(const int *in, int *out) {
  __shared__ long barrier;
  __shared__ int data[32];
  int t = threadIdx.x;
  if (t == 0) {
    __nvvm_mbarrier_init(&barrier, 33);
    __nvvm_mbarrier_arrive(&barrier);
  }
  __syncwarp();
  copy(&data[t], &in[t], &barrier);
  wait(&barrier, 0);
  int first = data[31 - t];
  __syncwarp();
  copy(&data[t], &in[32 + t], &barrier);
  IF_FIXED(if (t == 0) __nvvm_mbarrier_arrive(&barrier));
  wait(&barrier, IF_FIXED(1 +) 0);
  out[t] = 100 * data[31 - t] + first;
}

int main() {
  int *in, *out, h[64];
  for (int i = 0; i < 64; ++i)
    h[i] = i + 1;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  noWait<<<1, 64>>>(in, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[63]);
  oldPhase<<<1, 32>>>(in, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[0]);
}

// CHECK: error: read of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}.cu:39 in kernel noWait
// CHECK-NEXT: block (0,0,0), thread (0,0,0)
// CHECK-NEXT: copied at {{.*}}.cu:18 by thread (63,0,0)
// CHECK: {{^0$}}
// CHECK: error: read of 4 bytes where an asynchronous copy is under way
// CHECK-NEXT: at {{.*}}.cu:58 in kernel oldPhase
// CHECK: {{^32$}}

// FIXED-NOT: error
// FIXED: {{^1$}}
// FIXED: {{^6432$}}
// FIXED-NOT: error
