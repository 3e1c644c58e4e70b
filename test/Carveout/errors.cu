// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program sees the errors that it would see without Sluice. None appears
// when the attribute cannot be set, and it is not tried again; one that was there
// is still there, and then the attribute waits for a launch without.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: _Z4failPf, carveout: 25}\n  - {name: _Z4waitPf, carveout: 50}\n  - {name: _Z4lostPf, carveout: 75}\n' > %t.yaml
// RUN: %host-run | FileCheck %s
// CHECK: the call fails
// CHECK-NEXT: device 0: attribute 9 is 25
// CHECK-NEXT: launch, last error 0
// CHECK-NEXT: launch, last error 0
// CHECK-NEXT: an error before
// CHECK-NEXT: launch, last error 2
// CHECK-NEXT: the program looks at its error: 2
// CHECK-NEXT: device 0: attribute 9 is 50
// CHECK-NEXT: launch, last error 0
// CHECK-NEXT: no device
// CHECK-NEXT: launch, last error 0
// CHECK-NEXT: device 0: attribute 9 is 75
// CHECK-NEXT: launch, last error 0

#include "Inputs/runtime.h"

__global__ void fail(float *p) { *p = 1; }
__global__ void wait(float *p) { *p = 2; }
__global__ void lost(float *p) { *p = 3; }

int main() {
  printf("the call fails\n");
  AttributeError = 98;
  fail<<<1, 32>>>(nullptr);
  fail<<<1, 32>>>(nullptr);

  printf("an error before\n");
  LastError = 2;
  wait<<<1, 32>>>(nullptr);
  printf("the program looks at its error: %d\n", cudaGetLastError());
  AttributeError = 0;
  wait<<<1, 32>>>(nullptr);

  printf("no device\n");
  DeviceError = 3;
  lost<<<1, 32>>>(nullptr);
  DeviceError = 0;
  lost<<<1, 32>>>(nullptr);
}
