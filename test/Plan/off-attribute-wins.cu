// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// annotate("sluice:off") on the kernel holds against a plan and against
// throttle=N.
//
// RUN: %plain-cc %s > %t.plain
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z3offPKfPf\n    loops:\n      - loop: off-attribute-wins.cu:19:3\n        throttle: 4\n' > %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml %remarks > %t.sluice 2> %t.err
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s < %t.err
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks > %t.sluice 2> %t.err
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s < %t.err
// CHECK: off-attribute-wins.cu:[[@LINE+5]]:3: remark: loop of 'off' not throttled: {{.*}}switche{{[sd]}} {{.*}}off

__attribute__((annotate("sluice:off"))) __global__ void off(const float *A,
                                                            float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}

void run(const float *A, float *y) { off<<<1056, 256>>>(A, y); }
