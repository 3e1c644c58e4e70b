// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All launches of a kernel go through its stub, those of a template's parameter
// and of a function pointer too: the kernel is set once.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 25\n' > %t.yaml
// RUN: %host-run | FileCheck %s --implicit-check-not=attribute
// CHECK: device 0: attribute 9 is 25
// CHECK-NEXT: launch
// CHECK-NEXT: launch
// CHECK-NEXT: launch
// CHECK-NEXT: launch

#include "Inputs/runtime.h"

__global__ void fill(float *p) { *p = 1; }

template <typename K> void launch(K kernel) { kernel<<<1, 32>>>(nullptr); }

int main() {
  for (int i = 0; i < 2; ++i)
    fill<<<1, 32>>>(nullptr);
  launch(fill);
  void (*volatile pointer)(float *) = fill;
  launch(pointer);
}
