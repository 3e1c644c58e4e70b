// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads behind stores of arrays that do not overlap, in the PTX that a user
// gets; what the source and the option keep as it is.
//
// RUN: %early-cc %s -Rpass=sluice-early-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=OFF
// RUN: %same-early %s %t int=4096 block=64 grid=1 fill=ints=4
// RUN: %same-early %s %t int=4096 block=64 grid=1 fill=ints=4 expect=different -fplugin-arg-sluice-test-wrong-rewrite=passed-alias

// REMARK: fires.cu:[[@LINE+7]]:{{[0-9]+}}: remark: 6 loads go before stores that they do not depend on [-Rpass=sluice-early-loads]
// REMARK-NOT: remark

__global__ void addScaled(float *__restrict__ c, float *__restrict__ a, float b, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    c[i] += a[i] * b;
    c[i + 1] += a[i + 1] * b;
    c[i + 2] += a[i + 2] * b;
    c[i + 3] += a[i + 3] * b;
    a[i] = 0;
  }
}
// CHECK-LABEL: .entry _Z9addScaled
// CHECK-COUNT-8: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-5: st.global
// CHECK: ret;

// OFF-LABEL: .entry _Z9addScaled
// OFF: ld.global
// OFF: ld.global
// OFF: st.global
// OFF: ld.global
// OFF: st.global
// OFF: ld.global
// OFF: st.global
// OFF: ld.global
// OFF: st.global
// OFF: ret;

// They may overlap.
__global__ void overlapping(float *c, float *a, float b) {
  int i = 2 * threadIdx.x;
  c[i] += a[i] * b;
  c[i + 1] += a[i + 1] * b;
}
// CHECK-LABEL: .entry _Z11overlapping
// CHECK: ld.global
// CHECK: ld.global
// CHECK: st.global
// CHECK: ld.global
// CHECK: ld.global
// CHECK: st.global
// CHECK: ret;

__attribute__((annotate("sluice:off")))
__global__ void off(float *__restrict__ c, float *__restrict__ a, float b) {
  int i = 2 * threadIdx.x;
  c[i] += a[i] * b;
  c[i + 1] += a[i + 1] * b;
  a[i] = 0;
}
// CHECK-LABEL: .entry _Z3off
// CHECK: st.global
// CHECK: ld.global
// CHECK: st.global

// What is read may be what was written, or not.
__global__ void chosen(int *c, const int *choice, int *out) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  c[4 * i + (choice[i] & 3)] = i;
  c[4 * i + (choice[i + 1] & 3)] = 2 * i;
  out[i] = c[4 * i + 1];
}
// CHECK-LABEL: .entry _Z6chosen
// CHECK: st.global
// CHECK: st.global
// CHECK: ld.global
// CHECK: st.global
