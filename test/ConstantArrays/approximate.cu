// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a kernel with approximate warps no loop keeps all warps in step: both
// versions read the array through the L1.
//
// RUN: %constants-libdevice-cc %s | FileCheck %s --check-prefix=EXACT
// RUN: %constants-libdevice-cc %s -fplugin-arg-sluice-sfu=0 | FileCheck %s --check-prefix=EXACT
// RUN: %constants-libdevice-cc %s -fplugin-arg-sluice-sfu=4 | FileCheck %s
// RUN: %constants-libdevice-cc %s -fplugin-arg-sluice-sfu=32 | FileCheck %s
//
// EXACT: .entry _Z4stepPKfPfi(
// EXACT: ld.const.b32
// CHECK: .entry _Z4stepPKfPfi(
// CHECK-NOT: ld.const
// CHECK: .entry _Z5otherPKfPfi(
// CHECK: ld.const.b32

extern "C" __device__ float __nv_expf(float);
__constant__ float steps[4096];

__global__ void step(const float *a, float *o, int n) {
  float s = a[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += __nv_expf(steps[k] * s);
  o[threadIdx.x] = sum;
}

__global__ void other(const float *a, float *o, int n) {
  float s = a[threadIdx.x], sum = 0;
  for (int k = 0; k < n; ++k)
    sum += steps[k] * s;
  o[threadIdx.x] = sum;
}
