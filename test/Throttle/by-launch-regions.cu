// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that take turns together share a table: for each launch the larger N. So
// they do where a plan gives one a table and the other a number.
//
// RUN: rm -f %t.plan.yaml
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.ptx 2>&1 | FileCheck %s
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.plan.yaml | diff - %t.ptx
// RUN: grep -c bar.sync %t.ptx | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: {{^}}1{{$}}
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off grid=8 block=256 -fplugin-arg-sluice-sms=2
//
// RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n  - name: _Z4bothPKfS0_PfPKi\n    loops:\n      - loop: by-launch-regions.cu:22:5\n        throttle: 2\n      - loop: by-launch-regions.cu:24:5\n        throttle: by-launch\n        by-launch:\n          - {block: [256], blocks-min: 7, throttle: 8}\n' > %t.hand.yaml
// RUN: %throttle-cc %s -fplugin-arg-sluice-plan=%t.hand.yaml | FileCheck %s --check-prefix=HAND
// HAND: selp.b32 {{.*}}, {{2, 8|8, 2}}, %p

__global__ void both(const float *A, const float *B, float *y, const int *on) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (on[i]) {
    // CHECK: :22:5: remark: loop of 'both' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks): {{.*}}
    // CHECK: :24:5: remark: loop of 'both' throttled, N by launch (256 threads: N=2 from 397 blocks, N=4 from 793 blocks): {{.*}}; throttled together with the loop at by-launch-regions.cu:22:5
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * 64 + j] * B[i * 64 + j];
    for (int j = 0; j < 64; ++j)
      y[i] += A[i * 64 + j];
  }
}

void run(const float *A, const float *B, float *y, const int *on, int size) {
  both<<<size, 256>>>(A, B, y, on);
}
