// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of a device function that a kernel calls twice, in a template: two
// entries, told apart by inlined-at.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o /dev/null
// RUN: FileCheck %s < %t.yaml
// CHECK: name: _Z4bothIfEvPKT_S2_S2_PS0_S3_
// CHECK-NEXT: display: 'both<float>'
// CHECK: - loop: 'inlined-loops.cu:[[LOOP:[0-9]+]]:3'
// CHECK-NEXT: inlined-at: [ 'inlined-loops.cu:[[@LINE+25]]:3' ]
// CHECK: - loop: 'inlined-loops.cu:[[LOOP]]:3'
// CHECK-NEXT: inlined-at: [ 'inlined-loops.cu:[[@LINE+24]]:3' ]
//
// The second alone gets turns.
// RUN: awk '/throttle:/ { n++; sub(/throttle:.*/, "throttle: " (n == 2 ? 8 : 1)) } { print }' %t.yaml > %t.edited.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.edited.yaml %remarks -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s --check-prefix=EDITED --implicit-check-not=bar.sync --implicit-check-not=warning:
// EDITED: not throttled: the given plan says N=1
// EDITED: remark: loop of 'both<float>' ({{.*}} inlined at inlined-loops.cu:[[@LINE+18]]:3) throttled, N=8: the given plan says N=8
// EDITED: bar.sync

constexpr int Rows = 132 * 2048, Columns = 512;

__attribute__((device)) inline void dot(const float *A, const float *x,
                                        float *y, int i) {
  for (int j = 0; j < Columns; ++j)
    y[i] += A[i * Columns + j] * x[j];
}

template <typename T>
__global__ void both(const T *A, const T *B, const T *x, T *y, T *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Rows)
    return;

  dot(A, x, y, i);
  dot(B, x, z, i);
}

void run(const float *A, const float *B, const float *x, float *y, float *z) {
  both<<<Rows / 256, 256>>>(A, B, x, y, z);
}
