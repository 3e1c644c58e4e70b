// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another attribute, or a carveout of another kernel, is no setting of this
// kernel's carveout.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: fill, carveout: 50}\n  - {name: kept, carveout: 50}\n' > %t.yaml
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// CHECK: remark: carveout of 'fill' set
// CHECK: remark: carveout of 'kept' set

#include "Inputs/attributes.h"

extern "C" __global__ void fill(float *p) { *p = 1; }
extern "C" __global__ void kept(float *p) { *p = 2; }
extern "C" __global__ void other(float *p) { *p = 3; }

void run(float *p) {
  cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       65536);
  cudaFuncSetAttribute((const void *)fill,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  cudaFuncSetAttribute(other, cudaFuncAttributePreferredSharedMemoryCarveout,
                       75);
  auto *kernel = kept;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       65536);
  kernel<<<1, 32>>>(p);
}
