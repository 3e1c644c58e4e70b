// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hints with which the simulated kernel was fastest, where the kernel runs as it was
// simulated. The profile has its lines, so the kernel stands first.

__global__ void gather(const float *A, const int *index, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += A[j * 4096 + i] * x[index[j * 4096 + i]];
  y[i] = sum;
}

// RUN: sed -e 's/profiled/simulated/' -e 's/^    time:/    hints: [ { nanoseconds: 1000000 }, { nanoseconds: 500000, loads: [ { access: 0, hint: L1::evict_first }, { access: 2, hint: cg } ] } ]\n    time:/' %S/Inputs/gather.yaml > %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-profile=%t.yaml -Rpass-analysis=sluice-cache-hints -o %t.ptx 2>&1 | FileCheck %s
// CHECK: simulated.cu:6:17: remark: with hints on 2 of its loads the kernel is predicted to take 0.500 ms, without 1.000 [-Rpass-analysis=sluice-cache-hints]
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX-DAG: ld.global.L1::evict_first.b32
// PTX-DAG: ld.global.cg.b32
// PTX: ld.global.b32
//
// Fewer blocks on an SM are not what was simulated.
// RUN: %sluice-cc %s -fplugin-arg-sluice-profile=%t.yaml -fplugin-arg-sluice-throttle=1,4 -fplugin-arg-sluice-launch=gather:1056:256 -Rpass-analysis=sluice-cache-hints -o - 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: remark: 2 of 3 loads bypass the L1, which by the profile saves
// FEWER-NOT: evict_first
