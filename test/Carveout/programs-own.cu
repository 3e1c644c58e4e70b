// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program has the last word: a kernel whose carveout or whose preference for
// L1 or shared memory it sets itself is left alone, and the remark shows where.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n' > %t.yaml
// RUN: printf '  - {name: %%s, carveout: 50}\n' c_form template_form cache cache_template any >> %t.yaml
// RUN: %plain-ir %s > %t.plain
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml > %t.sluice
// RUN: diff %t.plain %t.sluice
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

#include "Inputs/attributes.h"

extern "C" {
__global__ void c_form(float *p) { *p = 1; }
__global__ void template_form(float *p) { *p = 2; }
__global__ void cache(float *p) { *p = 3; }
__global__ void cache_template(float *p) { *p = 4; }
__global__ void any(float *p) { *p = 5; }
}

void configure(cudaFuncAttribute attribute) {
  // CHECK-DAG: programs-own.cu:[[@LINE+1]]:3: remark: carveout of 'c_form' left alone: the program sets it itself [-Rpass-missed=sluice-carveout]
  cudaFuncSetAttribute((const void *)c_form,
                       cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  // CHECK-DAG: programs-own.cu:[[@LINE+1]]:3: remark: carveout of 'template_form' left alone: the program sets it itself
  cudaFuncSetAttribute(template_form,
                       cudaFuncAttributePreferredSharedMemoryCarveout, 75);
  // CHECK-DAG: programs-own.cu:[[@LINE+1]]:3: remark: carveout of 'cache' left alone: the program sets it itself
  cudaFuncSetCacheConfig((const void *)cache, cudaFuncCachePreferL1);
  // CHECK-DAG: programs-own.cu:[[@LINE+1]]:3: remark: carveout of 'cache_template' left alone: the program sets it itself
  cudaFuncSetCacheConfig(cache_template, cudaFuncCachePreferL1);
  // CHECK-DAG: programs-own.cu:[[@LINE+1]]:3: remark: carveout of 'any' left alone: the program sets it itself
  cudaFuncSetAttribute(any, attribute, 1);
}
