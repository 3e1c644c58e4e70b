// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program has the last word: a kernel whose carveout, cache preference or
// dynamic shared memory it sets itself, or that it launches so that all blocks
// must be resident, is launched as it was, also through a kept pointer.
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n' > %t.yaml
// RUN: printf '  - {name: %%s, carveout: 7, claimed-shared-bytes: 7168}\n' carveout cache limit cooperative kept plain >> %t.yaml
// RUN: %device 2>&1
// RUN: %host %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

#include "../Carveout/Inputs/attributes.h"

extern "C" {
__global__ void carveout(float *p) { *p = 1; }
__global__ void cache(float *p) { *p = 2; }
__global__ void limit(float *p) { *p = 3; }
__global__ void cooperative(float *p) { *p = 4; }
__global__ void kept(float *p) { *p = 6; }
__global__ void plain(float *p) { *p = 7; }
}

void configure(float *p, void (*kernel)(float *)) {
  // CHECK-DAG: remark: thread blocks and carveout of 'carveout' left alone: the program sets it itself [-Rpass-missed=sluice-carveout]
  cudaFuncSetAttribute(carveout, cudaFuncAttributePreferredSharedMemoryCarveout,
                       75);
  // CHECK-DAG: remark: thread blocks and carveout of 'cache' left alone: the program sets it itself
  cudaFuncSetCacheConfig(cache, cudaFuncCachePreferL1);
  // CHECK-DAG: refused-host.cu:[[@LINE+1]]:3: remark: thread blocks and carveout of 'limit' left alone: the program limits its dynamic shared memory itself
  cudaFuncSetAttribute(limit, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       1024);
  // CHECK-DAG: remark: thread blocks and carveout of 'cooperative' left alone: the program launches it cooperatively or with attributes
  cudaLaunchCooperativeKernel((const void *)cooperative, 132, 256, nullptr, 0,
                              nullptr);
  // CHECK-DAG: remark: thread blocks and carveout of 'kept' left alone: the program limits its dynamic shared memory itself
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       1024);
}

void run(float *p) {
  auto *kernel = kept;
  configure(p, kernel);
  kernel<<<1, 32>>>(p);
  // CHECK-DAG: remark: carveout of 'plain' set
  // CHECK-DAG: remark: launches of 'plain' claim 7168 bytes
  plain<<<1, 32>>>(p);
}
