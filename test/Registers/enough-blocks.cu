// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks registers=crat takes where a profile or the user knows how many are enough: here fewer than the static
// model says.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-profile=%S/Inputs/enough-blocks.yaml -fplugin-arg-sluice-emit-plan=%t.plan.yaml -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan.yaml
// REMARK: remark: a thread has at most [[#]] registers: CRAT takes 4 blocks on an SM, of 4 that are of use, in place of 8; predicted from the profile: M=all 10.000 ms, M=6 10.050 ms, M=4 10.100 ms, M=2 20.000 ms
// REMARK-NOT: CRAT
// CHECK: .entry busy
// CHECK: .maxnreg [[#]]
// CHECK: .entry bounded
// CHECK-NOT: .maxnreg
// PLAN: sluice-plan: 22
// PLAN: name: busy
// PLAN: enough-blocks: 4
// PLAN: enough-why: 'predicted from the profile: M=all
//
// A profile of another GPU says nothing of blocks.
// RUN: sed 's/sm_90/sm_80/' %S/Inputs/enough-blocks.yaml > %t.other.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-profile=%t.other.yaml -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: CRAT takes 6 blocks on an SM, of 6 that are of use, in place of 8 [-Rpass
//
// The user before a profile. All that there are is nothing new, and then the static model is asked.
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-profile=%S/Inputs/enough-blocks.yaml -fplugin-arg-sluice-enough-blocks=busy:5 -Rpass=sluice-register -o %t.ptx 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: a thread has at most 48 registers: CRAT takes 5 blocks on an SM, of 5 that are of use, in place of 8; enough-blocks says so
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-enough-blocks=busy:8 -Rpass=sluice-register | FileCheck %s --check-prefix=ALL
// ALL-NOT: .maxnreg
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=crat -fplugin-arg-sluice-enough-blocks=other:5 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: warning: {{.*}}enough-blocks=other:5: no kernel of that name in this file
// RUN: %sluice-cc %s -fplugin-arg-sluice-enough-blocks=busy:5 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: warning: {{.*}}enough-blocks has no effect without registers=crat
//
// The tool has all three beside one another.
// RUN: %sluice registers %s -nocudainc -nocudalib -include %S/../Inputs/cuda.h --cuda-gpu-arch=sm_90 --kernel=busy --profile=%S/Inputs/enough-blocks.yaml | FileCheck %s --check-prefix=TOOL
// RUN: %sluice registers %s -nocudainc -nocudalib -include %S/../Inputs/cuda.h --cuda-gpu-arch=sm_90 --kernel=busy --profile=%S/Inputs/enough-blocks.yaml --json | FileCheck %s --check-prefix=JSON
// RUN: %sluice registers %s -nocudainc -nocudalib -include %S/../Inputs/cuda.h --cuda-gpu-arch=sm_90 --kernel=busy --profile=%S/Inputs/enough-blocks.yaml --block=128 | FileCheck %s --check-prefix=BLOCK
// TOOL: {{[0-9]+ +4 +32 +50%.* CRAT's}}
// TOOL: enough: 6 blocks by the static model's time, [[#]] by the greedy scheduler's first block
// TOOL-NEXT: enough, and taken: 4 of 8 blocks; predicted from the profile: M=all 10.000 ms, M=6 10.050 ms, M=4 10.100 ms, M=2 20.000 ms
// JSON: "greedy-blocks": [[#]],
// JSON-NEXT: "timed-blocks": 6,
// JSON-NEXT: "enough-blocks": 4,
// BLOCK: enough: [[#]] blocks by the static
// BLOCK-NOT: enough, and taken

#include "Inputs/bodies.h"

extern "C" __global__ void busy(float4 *p, int n) { BODY }
extern "C" __global__ void __launch_bounds__(256) bounded(float4 *p, int n) { BODY }

void launch(float4 *p, int n) {
  busy<<<1056, 256>>>(p, n);
  bounded<<<1056, 256>>>(p, n);
}
