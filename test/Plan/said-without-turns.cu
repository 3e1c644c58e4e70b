// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the planner warns of and remarks is said also where no turns are taken:
// by sluice plan, with throttle=off, and at -O0.
//
// RUN: %sluice plan %s --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -include %inputs/cuda.h --sluice-launch=nosuch:1:32 -Rpass-analysis=sluice 2>&1 >/dev/null | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-launch=nosuch:1:32 -Rpass-analysis=sluice -fsave-optimization-record -foptimization-record-file=%t.record -o %t.ptx 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-launch=nosuch:1:32 -Rpass-analysis=sluice-cache-hints -o %t.ptx 2>&1 | FileCheck %s
// CHECK-DAG: warning: sluice: launch=nosuch:...: no kernel of that name in this file
// CHECK-DAG: said-without-turns.cu:[[@LINE+10]]:17: remark: 2 loads that no thread reads twice bypass the L1 for the sake of indirect loads [-Rpass-analysis=sluice-cache-hints]
// CHECK-NOT: throttled
//
// RUN: FileCheck %s --check-prefix=RECORD < %t.record
// RECORD: Pass: sluice-cache-hints
// RECORD-NEXT: Name: Hints
// RECORD-NEXT: DebugLoc: { File: '{{.*}}said-without-turns.cu', Line: [[@LINE+4]]
//
// RUN: %sluice-cc %s -O0 -fplugin-arg-sluice-emit-plan=%t.O0 -fplugin-arg-sluice-launch=nosuch:1:32 -o /dev/null 2>&1 | FileCheck %s --check-prefix=O0
// O0: warning: sluice: launch=nosuch:...: no kernel of that name in this file
__global__ void ellpack(const float *data, const int *indices, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += data[k * n + i] * x[indices[k * n + i] & 1023];
  y[i] = sum;
}
