// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan keeps a kernel's loads where they are; both ways compute the same.
//
// RUN: %sluice plan --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -include %S/../Inputs/cuda.h %s > %t.yaml
// RUN: sed 's/^    display: .*/&\n    loads-first: false/; s/^sluice-plan:.*/sluice-plan: 18/' %t.yaml > %t.kept.yaml
// RUN: %early-cc %s -fplugin-arg-sluice-plan=%t.kept.yaml | FileCheck %s --check-prefix=KEPT
// RUN: %early-cc %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s
//
// KEPT: st.global
// KEPT: ld.global
// CHECK: .entry
// CHECK-COUNT-6: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;

__global__ void addScaled(float *__restrict__ c, float *__restrict__ a, float b) {
  int i = 2 * threadIdx.x;
  c[i] += a[i] * b;
  c[i + 1] += a[i + 1] * b;
  c[i + 2] += a[i + 2] * b;
  a[i] = 0;
}
