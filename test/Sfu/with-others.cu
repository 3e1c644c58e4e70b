// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two versions of a kernel beside what else is done to it: turns and sums in
// registers are in both, by the same plan; what warps of a block share is in
// neither. With versions that compute the same, nothing changes.
//
// RUN: %same-staged %s %t block=128 grid=3 -fplugin-arg-sluice-sfu=2 -fplugin-arg-sluice-test-sfu=exact -fplugin-arg-sluice-throttle=4
// RUN: %same-staged %s %t block=128 grid=3 -fplugin-arg-sluice-sfu=3 -fplugin-arg-sluice-test-sfu=exact -ffp-contract=fast
// RUN: %same-staged %s %t block=128 grid=3 -fplugin-arg-sluice-sfu=2 expect=different
// RUN: %same-staged %s %t block=128 grid=3 -fplugin-arg-sluice-sfu=2 -fplugin-arg-sluice-test-sfu=exact -fplugin-arg-sluice-test-wrong-rewrite=lost-version expect=different
//
// RUN: %sluice-cc -fplugin-arg-sluice-sfu=2 -Rpass=sluice-promote %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BOTH
// BOTH-COUNT-2: remark: what the loop adds up in memory stays in registers
//
// The plan says nothing of shared memory; one that does is not obeyed.
// RUN: %staging-cc -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-emit-plan=%t.staged.yaml %s >/dev/null
// RUN: grep -q 'staged:' %t.staged.yaml
// RUN: %staging-cc -fplugin-arg-sluice-software-l1=staged -fplugin-arg-sluice-sfu=2 -fplugin-arg-sluice-emit-plan=%t.sfu.yaml %s >/dev/null
// RUN: not grep 'staged:' %t.sfu.yaml
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.sfu.yaml
// RUN: sed -e 's/sluice-plan: .*/sluice-plan: 14/' -e 's/^\( *\)display: .*rows.*/&\n\1sfu-warps: 2/' %t.staged.yaml > %t.both.yaml
// RUN: %staging-cc -fplugin-arg-sluice-plan=%t.both.yaml -Rpass=sluice-sfu -Rpass-missed=sluice-software-l1 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=DROPPED
// PLAN: sluice-plan: 14
// PLAN: sfu-warps: 2
// PLAN-NEXT: sfu-why: asked for
// DROPPED-DAG: remark: 1 function computed approximately by the first 2 warps of a block: division 1
// DROPPED-DAG: remark: nothing is kept in shared memory: warps of a block run two versions of the kernel (sfu)

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void rows(const float *a, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += a[ME * n + j];
  y[ME] = s / (s * s + 1.5f);
}

__global__ void sums(const float *a, float *y, int n) {
  __shared__ float t[128];
  t[threadIdx.x] = a[ME];
  __syncthreads();
  for (int j = 0; j < n; ++j)
    y[ME] += a[j * 1024 + ME] * t[(threadIdx.x + j) % 128];
  // Of double precision an approximate division differs on the emulator too.
  y[ME] = double(y[ME]) / (t[127 - threadIdx.x] * t[127 - threadIdx.x] + 1.5);
}
