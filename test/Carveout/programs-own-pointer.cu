// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program sets the carveout of a kernel that it holds a pointer to. Which
// one is not known, so all whose address is kept are left alone. One that is only
// launched is not.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n' > %t.yaml
// RUN: printf '  - {name: %%s, carveout: 50}\n' in_variable in_table as_argument launched >> %t.yaml
// RUN: %host-ir %s -fplugin-arg-sluice-plan=%t.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:

#include "Inputs/attributes.h"

extern "C" {
__global__ void in_variable(float *p) { *p = 1; }
__global__ void in_table(float *p) { *p = 2; }
__global__ void as_argument(float *p) { *p = 3; }
__global__ void launched(float *p) { *p = 4; }
}

using Kernel = void (*)(float *);
Kernel Table[] = {in_table};

void configure(Kernel kernel) {
  // CHECK-DAG: programs-own-pointer.cu:[[@LINE+3]]:3: remark: carveout of 'in_variable' left alone: the program may set it itself, through a pointer to the kernel [-Rpass-missed=sluice-carveout]
  // CHECK-DAG: remark: carveout of 'in_table' left alone: the program may set it itself
  // CHECK-DAG: remark: carveout of 'as_argument' left alone: the program may set it itself
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       75);
}

void run(float *p) {
  auto *kernel = in_variable;
  configure(kernel);
  kernel<<<1, 32>>>(p);
  configure(Table[0]);
  configure(as_argument);
  // CHECK-DAG: remark: carveout of 'launched' set
  launched<<<1, 32>>>(p);
}
