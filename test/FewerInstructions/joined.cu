// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions are asked together, so that no load waits for one; with the same bytes.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-fewer %s %t block=32 grid=1 int=40 fill=ints=60
// RUN: %same-fewer %s %t block=32 grid=1 int=40 fill=ints=60 expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-condition

// REMARK: remark: 1 condition is asked with the one before it: a load would wait for
// REMARK-NOT: a load would wait for

__global__ void scatter(const int *from, const int *to, const float *x,
                        float *y, int n, int m, int width) {
  const int k = threadIdx.x;
  const int i = from[k], j = to[k];
  if (i < 0 || i >= n || j < 0 || j >= m)
    return;
  y[j * width + k] += x[i * width + k];
}
// CHECK-LABEL: .entry _Z7scatter
// CHECK: ld.global
// CHECK: ld.global
// CHECK-COUNT-1: bra
// CHECK-NOT: bra
// CHECK: ret;

__attribute__((annotate("sluice:off"))) __global__ void
off(const int *from, const int *to, const float *x, float *y, int n, int m,
    int width) {
  const int k = threadIdx.x;
  const int i = from[k], j = to[k];
  if (i < 0 || i >= n || j < 0 || j >= m)
    return;
  y[j * width + k] += x[i * width + k];
}
// CHECK-LABEL: .entry _Z3off
// CHECK-COUNT-2: bra
// CHECK: ret;
