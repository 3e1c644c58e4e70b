// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sorted lists are merged without branches, with the same bytes.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-fewer %s %t block=64 grid=1 int=40 fill=ints=9
// RUN: %same-fewer %s %t block=64 grid=1 int=40 fill=ints=9 -ffp-contract=off
// RUN: %same-fewer %s %t block=64 grid=1 int=40 fill=ints=9 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-choice

// REMARK: choices.cu:[[@LINE+7]]:{{[0-9]+}}: remark: 1 choice of a loop has no branches: lanes of a warp would go several ways [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark: {{.*}} choice

__global__ void common(const int *a, const int *b, float *out, int n) {
  int i = 0, j = 0;
  float sum = 0;
  while (i < n && j < n) {
    if (a[i] == b[j + threadIdx.x]) {
      sum += 1.0f;
      ++i;
      ++j;
    } else if (a[i] < b[j + threadIdx.x]) {
      ++i;
    } else {
      ++j;
    }
  }
  out[threadIdx.x] = sum + i - 3 * j;
}
// CHECK-LABEL: .entry _Z6common
// CHECK: ld.global
// CHECK-COUNT-4: selp
// CHECK: ret;

__attribute__((annotate("sluice:off")))
__global__ void off(const int *a, float *out, int n) {
  int i = 0, steps = 0;
  float sum = 0;
  while (i < n && ++steps < 1000) {
    int v = a[threadIdx.x + i];
    if (v == n)
      sum += 1.0f, i += 2;
    else if (v < 5)
      i += 1;
    else
      sum -= 2.0f, i += 3;
  }
  out[threadIdx.x] = sum + i;
}
// CHECK-LABEL: .entry _Z3off
// CHECK-COUNT-3: bra
// CHECK: ret;
