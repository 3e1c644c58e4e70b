// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of one macro stand at one place; ordinals tell them apart.
//
// RUN: rm -f %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o /dev/null
// RUN: FileCheck %s < %t.yaml
// CHECK: - loop: 'macro-loops.cu:[[@LINE+20]]:3'
// CHECK-NOT: ordinal
// CHECK: throttle:
// CHECK: - loop: 'macro-loops.cu:[[@LINE+17]]:3'
// CHECK-NEXT: ordinal: 1
// RUN: awk '/throttle:/ { n++; sub(/throttle:.*/, "throttle: " (n == 2 ? 8 : 1)) } { print }' %t.yaml > %t.edited.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.edited.yaml %remarks -fplugin-arg-sluice-remarks=all 2>&1 | FileCheck %s --check-prefix=EDITED --implicit-check-not=bar.sync --implicit-check-not=warning:
// EDITED: not throttled: the given plan says N=1
// EDITED: throttled, N=8: the given plan says N=8
// EDITED: bar.sync

#define ROW_SUMS(A, y)                                                         \
  for (int j = 0; j < 512; ++j)                                                \
    y[i] += A[i * 512 + j];                                                    \
  for (int j = 0; j < 512; ++j)                                                \
    y[i] *= A[i * 512 + j];

__global__ void sums(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  ROW_SUMS(A, y)
}

void run(const float *A, float *y) { sums<<<1056, 256>>>(A, y); }
