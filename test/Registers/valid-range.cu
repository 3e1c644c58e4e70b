// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit is leave to take so many registers, also more than the assembler
// would. So none is set with which a block would not fit an SM: the launch would
// fail. The warning names what is valid.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=128 -fplugin-arg-sluice-emit-plan=%t.yaml -Rpass-missed=sluice-register 2> %t.said | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID --input-file %t.said
// RUN: FileCheck %s --check-prefix=PLAN --input-file %t.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=64 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %sluice-cc %s -fplugin-arg-sluice-registers=128 -fplugin-arg-sluice-launch=unknown:1:512 2>&1 | FileCheck %s --check-prefix=LAUNCH
//
// A plan is the user's word, and says nothing that cannot be either.
// RUN: sed -E '/registers-why:/d; s/( *)max-registers:.*//; s/^( *)display: .*/&\n\1max-registers: 96/' %t.yaml > %t.given.yaml
// RUN: %sluice-cc %s -fplugin-arg-sluice-plan=%t.given.yaml -Rpass-missed=sluice-register 2>&1 | FileCheck %s --check-prefix=GIVEN
//
// CHECK: .entry _Z5smallPf(
// CHECK: .maxnreg 128
// CHECK: .entry _Z5largePf(
// CHECK-NOT: .maxnreg
// CHECK: .entry _Z7unknownPf(
// CHECK-NOT: .maxnreg
// SAID-DAG: warning: sluice: registers=128: kernel 'large' has blocks of 1024 threads, each of which can have 16 to 64 registers; it is not limited
// SAID-DAG: warning: sluice: registers=128: kernel 'unknown' may have blocks of 1024 threads, each of which can have 16 to 64 registers; it is not limited (say launch=KERNEL:GRID:BLOCK)
// SAID-DAG: remark: registers are not limited: its blocks of 1024 threads can have 16 to 64 registers a thread
// SAID-DAG: remark: registers are not limited: blocks of 1024 threads, which are not ruled out, can have 16 to 64 registers a thread
// SAID-NOT: 'small'
// PLAN: name: _Z5largePf
// PLAN-NOT: max-registers
// PLAN: registers-why: {{.*}}16 to 64
// ALL-NOT: warning
// ALL-COUNT-3: .maxnreg 64
// LAUNCH-NOT: 'unknown'
// LAUNCH: .entry _Z7unknownPf(
// LAUNCH: .maxnreg 128
// GIVEN-COUNT-2: remark: registers are not limited: {{.*}}blocks of 1024 threads{{.*}} can have 16 to 64 registers a thread
// GIVEN: .entry _Z5smallPf(
// GIVEN: .maxnreg 96
// GIVEN-NOT: .maxnreg

__global__ void small(float *x) { x[threadIdx.x] *= 2; }

__global__ void large(float *x) { x[threadIdx.x] *= 2; }

__global__ void unknown(float *x) { x[threadIdx.x] *= 2; }

void start(float *x, int n) {
  small<<<1, 256>>>(x);
  small<<<1, 512>>>(x);
  large<<<1, 32>>>(x);
  large<<<1, dim3(32, 32)>>>(x);
  unknown<<<1, n>>>(x);
}
