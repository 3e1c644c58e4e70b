// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s %remarks > %t.sluice 2> %t.err
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s < %t.err
// CHECK: no-loop.cu:[[@LINE+2]]:17: remark: kernel 'fill' has no loop to throttle [-Rpass-analysis=sluice-throttle]

__global__ void fill(float *A) { A[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
