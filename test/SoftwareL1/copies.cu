// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that is there several times, as the loop around it is unrolled, is
// staged each time, with the same buffers: its rows are read again, but all
// threads' rows are more than the L1 holds.
//
// RUN: %staging-cc %s -Rpass=sluice-software 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.plan -o %t.s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.plan
// RUN: %same-staged %s %t block=256 grid=2 kib=2048
// RUN: not %same-staged %s %t block=256 grid=2 kib=2048 -fplugin-arg-sluice-test-wrong-rewrite=stale-chunk
//
// CHECK-COUNT-1: .shared .align 128 .b8 __sluice_staged
// CHECK-NOT: .shared .align 128
// CHECK-COUNT-3: atom.{{.*}}shared.add.u32
// CHECK-NOT: atom.
// REMARK-COUNT-3: of the loop {{(is|are)}} staged in shared memory
// REMARK-NOT: {{(is|are)}} staged
// PLAN: staged:
// PLAN: staged-from: 32

__global__ void nearest(const float *__restrict__ A,
                        const float *__restrict__ centre, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float least = 1e30f;
  for (int c = 0; c < 3; ++c) {
    float distance = 0;
    for (int j = 0; j < 128; ++j) {
      float d = A[i * 128 + j] - centre[c * 128 + j];
      distance += d * d;
    }
    if (distance < least)
      least = distance;
  }
  y[i] = least;
}

void run(const float *A, float *y) { nearest<<<1056, 256>>>(A, A, y); }
