// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void meet(int *out) {
  __shared__ long barrier;
  __nvvm_mbarrier_init(&barrier, 2);
  long state = __nvvm_mbarrier_arrive(&barrier);
#ifdef FIXED
  __nvvm_mbarrier_arrive(&barrier);
#else
  __nvvm_mbarrier_arrive_noComplete(&barrier, 1);
  __nvvm_mbarrier_arrive_noComplete(&barrier, 2);
  __nvvm_mbarrier_init(&barrier, 0);
  state = 0;
  __nvvm_mbarrier_init((long *)out, 2);
#endif
  while (!__nvvm_mbarrier_test_wait(&barrier, state))
    ;
  __nvvm_mbarrier_inval(&barrier);
#ifndef FIXED
  __nvvm_mbarrier_arrive(&barrier);
#endif
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  meet<<<1, 1>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: misused mbarrier
// CHECK: at {{.*}}.cu:11 in kernel meet
// CHECK: arrives with .noComplete and ends the phase
// CHECK: at {{.*}}.cu:12 in kernel meet
// CHECK: arrives 2 times where the phase waits for 1 arrivals
// CHECK: at {{.*}}.cu:13 in kernel meet
// CHECK: a count of 0; 1 to 1048575 are possible
// CHECK: error: mbarrier outside shared memory
// CHECK: at {{.*}}.cu:15 in kernel meet
// CHECK: at {{.*}}.cu:17 in kernel meet
// CHECK: waits for a state that no arrive gave
// CHECK: at {{.*}}.cu:21 in kernel meet
// CHECK: no mbarrier is here: mbarrier.init makes one
// FIXED-NOT: error:
