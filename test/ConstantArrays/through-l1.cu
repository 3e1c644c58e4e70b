// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read through the L1: an array in a loop that has warps go different
// ways, by accesses as wide as its elements allow; and whatever lanes read each
// at a place of their own. What stays: arrays in loops in which all warps keep
// step, short ones, single elements, and where somebody says so.
//
// RUN: split-file %s %t
// RUN: %constants-cc %t/k.cu -Rpass=sluice-constant 2> %t.remarks > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %constants-cc -fplugin-arg-sluice-fewer-instructions=off %t/k.cu -fplugin-arg-sluice-constant-arrays=off > %t.off.ptx
// RUN: %plain-cc %t/k.cu | cmp - %t.off.ptx
// RUN: %constants-cc %t/k.cu -fplugin-arg-sluice-plan=%t/plan.yaml | FileCheck %s --check-prefix=PLAN
//
// CHECK: .entry _Z5wholePKfPf(
// CHECK-NOT: ld.const
// CHECK: ld.v4.b32
// CHECK: .entry _Z4stepPKfPfi(
// CHECK-NOT: ld.b32
// CHECK: ld.const.b32
// CHECK: .entry _Z4partPKfPfi(
// CHECK-NOT: ld.b32
// CHECK: ld.const.b32
// CHECK: .entry _Z6besidePKfPfi(
// CHECK-NOT: ld.const
// CHECK: ld.b32
// CHECK: .entry _Z5alonePKfPfi(
// CHECK-NOT: ld.b32
// CHECK: ld.const.b32
// CHECK: .entry _Z5lanesPKiPi(
// CHECK: ld.b32 [[ONE:%r[0-9]+]],
// CHECK: ld.const.b32 [[TWO:%r[0-9]+]], [table+12];
// CHECK: .entry _Z3offPKiPi(
// CHECK-NOT: ld.b32
// CHECK: .entry _Z5underPKiPi(
// CHECK: ld.const.b32
//
// REMARK: k.cu:{{[0-9]+}}:{{[0-9]+}}: remark: 'ck' in constant memory is read through the L1: the caches for constants do not hold it [-Rpass=sluice-constant-arrays]
// REMARK: remark: 'table' in constant memory is read through the L1: the lanes of a warp read different elements
// REMARK-NOT: 'few'
//
// PLAN: .entry _Z5wholePKfPf(
// PLAN: ld.v4.b32
// PLAN: .entry _Z5lanesPKiPi(
// PLAN-NOT: ld.b32

//--- plan.yaml
sluice-plan: 17
gpu: sm_90
kernels:
  - name: _Z5lanesPKiPi
    constants-through-l1: false

//--- k.cu
struct Element {
  float x, y, z, w;
};
__constant__ Element ck[32];
__constant__ float steps[2048], few[127], longer[4096];
__constant__ int table[256];

__global__ void whole(const float *a, float *o) {
  float s = a[threadIdx.x], sum = 0;
  for (int k = 0; k < 32; ++k)
    if (a[threadIdx.x + k] > sum) // warps go different ways
      sum += (ck[k].x * s + ck[k].y) * ck[k].z + __builtin_sqrtf(ck[k].w);
  o[threadIdx.x] = sum;
}

__global__ void step(const float *a, float *o, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += steps[k] * a[threadIdx.x + k];
  o[threadIdx.x] = sum;
}

__global__ void part(const float *a, float *o, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    if (a[threadIdx.x + k] > sum)
      sum = sum * few[k] + __builtin_sqrtf(sum + few[k]);
  o[threadIdx.x] = sum;
}

// Warps that wait for other loads are at different places of a long array.
__global__ void beside(const float *a, float *o, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += longer[k] * a[threadIdx.x + k];
  o[threadIdx.x] = sum;
}

__global__ void alone(const float *a, float *o, int n) {
  float sum = a[threadIdx.x];
  for (int k = 0; k < n; ++k)
    sum = sum * longer[k] + 2;
  o[threadIdx.x] = sum;
}

__global__ void lanes(const int *a, int *o) {
  o[threadIdx.x] = table[a[threadIdx.x] & 255] + table[3];
}

__attribute__((annotate("sluice:off"))) __global__ void off(const int *a,
                                                            int *o) {
  o[threadIdx.x] = table[a[threadIdx.x] & 255];
}

__global__ void under(const int *a, int *o) {
#pragma sluice off
  {
    o[threadIdx.x] = table[a[threadIdx.x] & 255];
  }
}
