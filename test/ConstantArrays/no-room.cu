// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array that would take more than half of the L1 of a launch stays in the
// caches for constants.
//
// RUN: %constants-cc %s -fplugin-arg-sluice-l1-kib=100 | FileCheck %s --check-prefix=ROOM
// RUN: %constants-cc %s -fplugin-arg-sluice-l1-kib=60 -Rpass-missed=sluice-constant 2>&1 | FileCheck %s
// ROOM-NOT: ld.const
// CHECK: remark: the constant array is not read through the L1: its 32768 bytes are more than half of the L1 that a launch leaves
// CHECK: ld.const.b32

__constant__ float big[8192];

__global__ void sum(float *o, int n) {
  float sum = o[threadIdx.x];
  for (int k = 0; k < n; ++k)
    if (o[k + threadIdx.x] > sum) // warps go different ways
      sum = sum * sum + __builtin_sqrtf(big[k]);
  o[threadIdx.x] = sum;
}

void launch(float *o) { sum<<<1024, 256>>>(o, 8192); }
