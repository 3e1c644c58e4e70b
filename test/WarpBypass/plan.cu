// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says it for one kernel; what it says wrongly is an error with the
// place.
//
// RUN: split-file %s %t
// RUN: %sluice-cc %t/k.cu -fplugin-arg-sluice-plan=%t/plan.yaml | FileCheck %s
// RUN: %sluice-cc %t/k.cu -fplugin-arg-sluice-bypass=2 -fplugin-arg-sluice-emit-plan=- -o /dev/null | FileCheck %s --check-prefix=PLAN
// RUN: sed s/2/33/ %t/plan.yaml > %t/many.yaml
// RUN: not %sluice-cc %t/k.cu -fplugin-arg-sluice-plan=%t/many.yaml 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: sed 's/cached-warps: 2/cached-warps: sampled/' %t/plan.yaml > %t/sampled.yaml
// RUN: not %sluice-cc %t/k.cu -fplugin-arg-sluice-plan=%t/sampled.yaml 2>&1 | FileCheck %s --check-prefix=SAMPLED
// RUN: not %sluice-cc %t/k.cu -fplugin-arg-sluice-plan=%t/plan.yaml -fplugin-arg-sluice-bypass=4 2>&1 | FileCheck %s --check-prefix=BOTH
// CHECK: .entry _Z3onePKfPf(
// CHECK: selp.b64
// CHECK: .entry _Z3twoPKfPf(
// CHECK-NOT: selp
// PLAN: sluice-plan: 15
// PLAN: cached-warps: 2
// PLAN-NEXT: bypass-why: it was asked for
// MANY: cached-warps must be sampled or a number from 0 to 32
// SAMPLED: cached-warps are sampled for the L1 alone, and bypass-of is l2
// BOTH: error: {{.*}}cached-warps

//--- plan.yaml
sluice-plan: 15
gpu: sm_90
kernels:
  - name: _Z3onePKfPf
    cached-warps: 2
    bypass-of: l2

//--- k.cu
__global__ void one(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x];
}
__global__ void two(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x];
}
