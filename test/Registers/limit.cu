// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit of registers as the user asks for it: in PTX, in the plan, from a
// plan, and not where the source itself says something of registers.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=48 -Rpass=sluice-register -Rpass-missed=sluice-register 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=48 -fplugin-arg-sluice-transforms=off | FileCheck %s
// RUN: %plain-cc %s > %t.clang
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=off -fplugin-arg-sluice-transforms=off | diff %t.clang -
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=48 -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.s
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: sed -i 's/max-registers:   48/max-registers: 32/' %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.yaml | FileCheck %s --check-prefix=GIVEN
// RUN: sed 's/max-registers: 32/max-registers: 8/' %t.yaml > %t.bad.yaml
// RUN: not %sluice-cc %s -fplugin-arg-sluice-plan=%t.bad.yaml 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not %sluice-cc %s -fplugin-arg-sluice-plan=%t.bad.yaml -fplugin-arg-sluice-registers=48 2>&1 | FileCheck %s --check-prefix=BOTH
//
// CHECK: .entry _Z4freePf(
// CHECK: .maxnreg 48
// CHECK: .entry _Z5boundPf(
// CHECK-NOT: .maxnreg
// CHECK: .entry _Z3offPf(
// CHECK-NOT: .maxnreg
// REMARK: limit.cu:[[#FREE:]]:{{.*}}a thread has at most 48 registers: 48 were asked for
// PLAN: sluice-plan: 7
// PLAN: - name: _Z4freePf
// PLAN: max-registers: 48
// PLAN: - name: _Z5boundPf
// PLAN-NOT: max-registers
// PLAN: registers-why: {{.*}}__launch_bounds__
// PLAN: - name: _Z3offPf
// PLAN-NOT: max-registers
// GIVEN: .maxnreg 32
// ERROR: max-registers must be a number from 16 to 255
// BOTH: options 'plan' and 'registers' are both given; the plan has its own max-registers

__global__ void free(float *x) { x[threadIdx.x] *= 2; }

__global__ void __launch_bounds__(256) bound(float *x) { x[threadIdx.x] *= 2; }

__attribute__((annotate("sluice:off"))) __global__ void off(float *x) {
  x[threadIdx.x] *= 2;
}

void start(float *x) {
  free<<<1, 256>>>(x);
  bound<<<1, 256>>>(x);
  off<<<1, 256>>>(x);
}
