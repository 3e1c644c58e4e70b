// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// registers=step: a thread may have as many registers as leave all blocks on an SM. Not a kernel that is at the end of its
// step, nor one of which a launch is not known, nor where the source says how many.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=step -Rpass=sluice-register -Rpass-missed=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s < %t.ptx
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=DEFAULT
// DEFAULT-NOT: .maxnreg
//
// CHECK: .entry few
// CHECK: .maxnreg 48
// CHECK: .entry all
// CHECK-NOT: .maxnreg
// CHECK: .entry partly
// CHECK-NOT: .maxnreg
// CHECK: .entry unknown
// CHECK-NOT: .maxnreg
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// CHECK: .entry off
// CHECK-NOT: .maxnreg
// REMARK-DAG: remark: a thread has at most 48 registers: with [[#]] in place of [[#]] an SM holds as many blocks
// REMARK-DAG: remark: registers are not limited: its __launch_bounds__ limit them
// REMARK-DAG: remark: registers are not limited: the source switches Sluice off for this kernel
//
// As many as another file's launch may have, of any block.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=step -DSHARED=100 | FileCheck %s --check-prefix=LARGE
// LARGE: .entry few
// LARGE: .maxnreg 64
//
// A plan that is given has the last word.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=step -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.ptx
// RUN: not %sluice-cc %s -fplugin-arg-sluice-registers=step -fplugin-arg-sluice-plan=%t.plan.yaml 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: options 'plan' and 'registers' are both given; the plan has its own max-registers

#include "Inputs/bodies.h"

#ifndef SHARED
#define SHARED 36
#endif

extern "C" __global__ void few(float4 *p, int n) { BODY }
extern "C" __global__ void all(float4 *p, int n) { BODY }
extern "C" __global__ void partly(float4 *p, int n) { BODY }
extern "C" __global__ void unknown(float4 *p, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256) bounded(float4 *p, int n) { BODY }
extern "C" __global__ __attribute__((annotate("sluice:off"))) void off(float4 *p, int n) { BODY }

// Shared memory leaves five blocks, or two, on an SM of sm_90.
void launch(float4 *p, int n, int block) {
  few<<<1056, 256, SHARED * 1024>>>(p, n);
  all<<<1056, 256>>>(p, n);
  partly<<<1056, 256, SHARED * 1024>>>(p, n);
  partly<<<1056, block, SHARED * 1024>>>(p, n);
  bounded<<<1056, 256, SHARED * 1024>>>(p, n);
  off<<<1056, 256, SHARED * 1024>>>(p, n);
}
