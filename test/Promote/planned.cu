// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says which loops keep their sums in registers, and can keep a loop from
// it: then the code is that of promote=off. A plan that says nothing of it, as
// before version 6, leaves it to what can be proven.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.on.ptx
// RUN: FileCheck %s --check-prefix=PLAN < %t.yaml
// RUN: sed 's/promote: *true/promote: false/' %t.yaml > %t.kept.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.kept.yaml -Rpass-missed=sluice-promote -o %t.kept.ptx 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %sluice-cc %s -fplugin-arg-sluice-promote=off -fplugin-arg-sluice-throttle=off -o - | diff - %t.kept.ptx
// RUN: sed -e '/promote/d' -e 's/sluice-plan: *6/sluice-plan: 1/' %t.yaml > %t.before.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.before.yaml -o - | diff - %t.on.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml -fplugin-arg-sluice-emit-plan=- -o %t.given.ptx | FileCheck %s --check-prefix=GIVEN
// RUN: diff %t.on.ptx %t.given.ptx
// RUN: sed 's/promote: *true/promote: often/' %t.yaml > %t.wrong.yaml
// RUN: not %sluice-cc %s -fplugin-arg-sluice-plan=%t.wrong.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
//
// PLAN: sluice-plan: 6
// PLAN: name: _Z4sums
// PLAN: promote: true
// PLAN-NEXT: promote-why: {{.*}}what it adds up in memory can stay in registers, after a test that it overlaps nothing else
// PLAN: name: _Z4none
// PLAN-NOT: promote
// GIVEN: promote: true
// GIVEN-NEXT: promote-why: {{.*}}the given plan says so
// WRONG: error: {{.*}}invalid boolean
__global__ void sums(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // KEPT: planned.cu:[[@LINE+1]]:3: remark: what the loop adds up in memory stays there: the given plan says so
  for (int j = 0; j < n; ++j)
    y[i] += A[j * 1024 + i];
}

__global__ void none(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += A[j * 1024 + i];
  y[i] = sum;
}

void run(const float *A, float *y, int n) {
  sums<<<4, 256>>>(A, y, n);
  none<<<4, 256>>>(A, y, n);
}
