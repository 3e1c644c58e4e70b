// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan cannot ask for turns around a barrier.
//
// RUN: %plain-cc %s > %t.plain
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z7barrierPKfPf\n    loops:\n      - loop: unsafe-stays-refused.cu:14:3\n        throttle: 4\n' > %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml %remarks > %t.sluice 2> %t.err
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s < %t.err
// CHECK: unsafe-stays-refused.cu:[[@LINE+4]]:3: remark: loop of 'barrier' not throttled: N=4 is planned, but the region at {{.*}} contains a {{.*}}barrier

__global__ void barrier(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    __syncthreads();
  }
}

void run(const float *A, float *y) { barrier<<<1056, 256>>>(A, y); }
