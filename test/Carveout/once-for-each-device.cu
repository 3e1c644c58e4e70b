// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute belongs to a device: it is set once on each of the first 64,
// where the kernel is launched.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 25\n' > %t.yaml
// RUN: %host-run | FileCheck %s --implicit-check-not=device
// CHECK: device 0: attribute 9 is 25
// CHECK-NEXT: launch
// CHECK-NEXT: launch
// CHECK-NEXT: device 1: attribute 9 is 25
// CHECK-NEXT: launch
// CHECK-NEXT: device 63: attribute 9 is 25
// CHECK-NEXT: launch
// CHECK-NEXT: launch
// CHECK-NEXT: launch

#include "Inputs/runtime.h"

__global__ void fill(float *p) { *p = 1; }

int main() {
  const int devices[] = {0, 0, 1, 63, 1, 0};
  for (int device : devices) {
    Device = device;
    fill<<<1, 32>>>(nullptr);
  }
}
