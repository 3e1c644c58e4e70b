// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source switches it off for a kernel, a statement or a function that it
// calls, a plan for a kernel and for functions that are not inlined.
//
// RUN: %sluicexx %s --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-emit-plan=%t.yaml | FileCheck %s --check-prefixes=CHECK,ON
// RUN: not grep relax-atomics %t.yaml
// RUN: sed -e 's/sluice-plan: .*/sluice-plan: 10/' -e '/name: *_Z2on/a\    relax-atomics: false' %t.yaml > %t.kept.yaml
// RUN: %sluicexx %s --cuda-gpu-arch=sm_90 -O3 --cuda-device-only -S -o - --sluice-plan=%t.kept.yaml --sluice-emit-plan=%t.again.yaml | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: grep 'relax-atomics: *false' %t.again.yaml
//
// ON-LABEL: .func {{.*}}_Z6callee
// ON: atom.relaxed.gpu
// KEPT-LABEL: .func {{.*}}_Z6callee
// KEPT: atom.acquire.sys
// CHECK-LABEL: .entry _Z2onPi(
// ON: atom.relaxed.gpu
// KEPT: atom.acquire.sys
// CHECK-LABEL: .entry _Z5otherPi(
// CHECK: atom.relaxed.gpu
// CHECK-LABEL: .entry _Z3offPi(
// CHECK: atom.acquire.sys
// CHECK-LABEL: .entry _Z9statementPi(
// CHECK: atom.acquire.sys
// CHECK: atom.relaxed.gpu
// CHECK-LABEL: .entry _Z7throughPi(
// CHECK: atom.acquire.sys

__device__ __noinline__ int callee(int *i) { return atomicCAS(i, 1, 2); }

__global__ void on(int *i) { i[1] = atomicCAS(i, 1, 2) + callee(i); }

__global__ void other(int *i) { i[1] = atomicCAS(i, 1, 2); }

__attribute__((annotate("sluice:off"))) __global__ void off(int *i) {
  i[1] = atomicCAS(i, 1, 2);
}

__global__ void statement(int *i) {
#pragma sluice off
  for (int j = 0; j < i[9]; ++j)
    i[1] += atomicCAS(i, 1, 2);
  i[2] = atomicCAS(i, 3, 4);
}

__device__ int inlined(int *i) {
  int old = 0;
#pragma sluice off
  for (int j = 0; j < i[9]; ++j)
    old += atomicCAS(i, 1, 2);
  return old;
}
__global__ void through(int *i) { i[1] = inlined(i); }
