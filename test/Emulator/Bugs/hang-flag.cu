// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void wait(int *flag) {
#ifdef FIXED
  if (blockIdx.x == 1)
    atomicExch(flag, 1);
#endif
  while (*(volatile int *)flag == 0)
    ;
}
int main() {
  int *flag;
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  wait<<<2, 32>>>(flag);
  cudaDeviceSynchronize();
}

// CHECK: error: deadlock
// CHECK: in kernel wait
// CHECK: warp 0: lanes 0xffffffff run at {{.*}}.cu:
// FIXED-NOT: error:
