// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// registers=crat: where fewer blocks are enough, a thread may have more registers. Where the source says how many, where
// it switches Sluice off, and where no launch is known, nothing is done.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -Rpass=sluice-register -Rpass-missed=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=off | FileCheck %s --check-prefix=OFF
// OFF-NOT: .maxnreg
// Likewise for the architecture's own features.
// RUN: %sluice-cc --no-cuda-gpu-arch=sm_90 --cuda-gpu-arch=sm_90a %s -fplugin-arg-sluice-registers=crat | FileCheck %s
//
// The choice depends on the code as it is then: a plan that is written has none.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-emit-plan=%t.plan.yaml | FileCheck %s
// RUN: not grep max-registers %t.plan.yaml
//
// A plan that is given has the last word, as beside registers=N.
// RUN: not %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-plan=%t.plan.yaml 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: options 'plan' and 'registers' are both given; the plan has its own max-registers
//
// CHECK: .entry busy
// CHECK: .maxnreg [[#]]
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// CHECK: .entry off
// CHECK-NOT: .maxnreg
// CHECK: .entry unknown
// CHECK-NOT: .maxnreg
// REMARK-DAG: remark: registers are not limited: its __launch_bounds__ limit them
// REMARK-DAG: remark: registers are not limited: the source switches Sluice off for this kernel
// REMARK-DAG: remark: a thread has at most [[#]] registers: CRAT takes [[#]] blocks on an SM, of [[#]] that are of use, in place of [[#]]

#include "Inputs/bodies.h"

extern "C" __global__ void busy(float4 *p, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256) bounded(float4 *p, int n) { BODY }
extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(float4 *p, int n) { BODY }
extern "C" __global__ void unknown(float4 *p, int n) { BODY }

void launch(float4 *p, int n) {
  busy<<<1056, 256>>>(p, n);
  bounded<<<1056, 256>>>(p, n);
  off<<<1056, 256>>>(p, n);
}
