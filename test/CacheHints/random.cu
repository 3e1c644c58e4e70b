// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random hints, for sluice-fuzz: on the loads that no plan lists, the same for
// the same number, `nc` only where nothing is written, and none at -O0. The
// fault unproven-nc leaves that proof out.
//
// RUN: split-file %s %t
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=1 %t/k.cu -Rpass=sluice-cache-hints 2>%t/one > %t/one.ptx
// RUN: FileCheck %s < %t/one
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=1 %t/k.cu | cmp - %t/one.ptx
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=2 %t/k.cu > %t/two.ptx
// RUN: not cmp -s %t/one.ptx %t/two.ptx
// CHECK-COUNT-16: remark: the load's cache hint is
//
// RUN: FileCheck %s --check-prefix=PTX < %t/one.ptx
// PTX-NOT: ld.global{{[a-z.]*}}.nc
//
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=1 -fplugin-arg-sluice-test-wrong-rewrite=unproven-nc %t/k.cu | FileCheck %s --check-prefix=UNPROVEN
// UNPROVEN: ld.global{{[a-z.]*}}.nc
//
// RUN: %sluice-cc -fplugin-arg-sluice-plan=%t/plan.yaml -fplugin-arg-sluice-test-hints=1 %t/k.cu -Rpass=sluice-cache-hints 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: k.cu:4:10: remark: the load's cache hint is L2::64B [
//
// RUN: %sluice-cc -O0 -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-test-hints=1 %t/k.cu > %t/O0.ptx
// RUN: %plain-cc -O0 %t/k.cu | cmp - %t/O0.ptx
// RUN: %sluice-cc -fplugin-arg-sluice-transforms=off %t/k.cu > %t/none.ptx
// RUN: %plain-cc %t/k.cu | cmp - %t/none.ptx
//
// RUN: not %sluice-cc -fplugin-arg-sluice-test-hints=few %t/k.cu 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not %sluice-cc -fplugin-arg-sluice-test-hints=-1 %t/k.cu 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: sluice: invalid value '{{few|-1}}' for option 'test-hints': expected a number of 64 bits

//--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: _Z1kPi
    loads:
      - { load: k.cu:4:10, hint: L2::64B }

//--- k.cu
__global__ void k(int *a) {
  for (int i = 0; i < 16; ++i)
    a[1024 * threadIdx.x] +=
         a[i * threadIdx.x];
}
