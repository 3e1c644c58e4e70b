// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
#ifdef FIXED
constexpr unsigned each = 1;
#else
constexpr unsigned each = 2;
#endif

__global__ void meet(int *out) {
  __shared__ unsigned long long barrier;
  long *b = (long *)&barrier;
  if (threadIdx.x == 0) {
    __nvvm_mbarrier_init(b, each * blockDim.x);
#ifndef FIXED
    __nvvm_mbarrier_inval(b);
    __nvvm_mbarrier_arrive(b);
    __nvvm_mbarrier_init(b, 1);
    __nvvm_mbarrier_arrive_noComplete(b, 1);
    __nvvm_mbarrier_test_wait(b, 0);
    __nvvm_mbarrier_init((long *)out, 1);
#endif
  }
  __syncthreads();
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state) : "r"((unsigned)__cvta_generic_to_shared(b)), "r"(each) : "memory");
  while (!__nvvm_mbarrier_test_wait(b, state))
    ;
  out[threadIdx.x] = 1;
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  meet<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}
