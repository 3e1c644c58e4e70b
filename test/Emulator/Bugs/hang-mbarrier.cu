// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hang at an mbarrier is told with what it waits for.
//
// RUN: not %sluice emulate %s 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races,order 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void wait(int *out) {
  __shared__ unsigned long long barrier;
  unsigned at = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
#ifndef FIXED
  if (threadIdx.x % 32 != 7)
#endif
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
  unsigned is;
  do
    asm volatile("{ .reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n\tselp.b32 %0, 1, 0, p; }"
                 : "=r"(is) : "r"(at) : "memory");
  while (!is);
  out[threadIdx.x] = is;
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  wait<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: deadlock
// CHECK: warp 0: lanes 0xffffffff run at {{.*}}.cu:
// CHECK-NEXT: it looks at shared memory at 0x{{[0-9a-f]+}}, at {{.*}}.cu:
// CHECK-NEXT: the mbarrier there waits for 2 of 64 arrivals, in a phase of parity 0
// FIXED-NOT: error:
