// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __launch_bounds__ have the last word against an option, and not against a
// plan that names the kernel. The block that they let in must still fit.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=32 -fplugin-arg-sluice-emit-plan=%t.yaml -Rpass-missed=sluice-register 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: sed -E 's/registers-why:.*/max-registers: 40/' %t.yaml > %t.40.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.40.yaml | FileCheck %s --check-prefix=PLAN
// RUN: sed -E 's/registers-why:.*/max-registers: 80/' %t.yaml > %t.80.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.80.yaml -Rpass-missed=sluice-register 2>&1 | FileCheck %s --check-prefix=TOO-MANY
//
// OPTION: remark: registers are not limited: its __launch_bounds__ limit them
// OPTION-NOT: .maxnreg
// PLAN: .entry _Z5boundPf(
// PLAN-DAG: .maxntid 256
// PLAN-DAG: .minnctapersm 2
// PLAN-DAG: .maxnreg 40
// PLAN: {
// PLAN: .entry _Z5largePf(
// PLAN: .maxnreg 40
// TOO-MANY: remark: registers are not limited: its blocks of 1024 threads can have 16 to 64 registers a thread
// TOO-MANY: .entry _Z5boundPf(
// TOO-MANY: .maxnreg 80
// TOO-MANY: .entry _Z5largePf(
// TOO-MANY-NOT: .maxnreg

__global__ void __launch_bounds__(256, 2) bound(float *x) {
  x[threadIdx.x] *= 2;
}

__global__ void __launch_bounds__(1024) large(float *x) {
  x[threadIdx.x] *= 2;
}
