// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files of one program that instantiate the same kernel: one helper, one
// note of where it was set, so the attribute is set once.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillIfEvPT_\n    carveout: 25\n' > %t.yaml
// RUN: %sluice-cc --cuda-host-only %s -fplugin-arg-sluice-plan=%t.yaml -o %t.s
// RUN: %sluice-cc --cuda-host-only -DOTHER %s -fplugin-arg-sluice-plan=%t.yaml -o %t.other.s
// RUN: clang++ -c %t.s -o %t.o && clang++ -c %t.other.s -o %t.other.o
// RUN: llvm-nm %t.other.o | FileCheck %s --check-prefix=SYMBOL
// RUN: clang++ %t.o %t.other.o -o %t.exe && %t.exe | FileCheck %s
// SYMBOL: W __sluice_set_carveout
// CHECK: device 0: attribute 9 is 25
// CHECK-NEXT: launch
// CHECK-NOT: attribute
// CHECK: launch

template <typename T> __global__ void fill(T *p) { *p = 1; }

static void launchIt(void (*kernel)(float *)) { kernel<<<1, 32>>>(nullptr); }
void other();

#ifdef OTHER
void other() { launchIt(fill<float>); }
#else
#include "Inputs/runtime.h"
int main() {
  launchIt(fill<float>);
  other();
}
#endif
