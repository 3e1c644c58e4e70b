// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A remark at the kernel, also in the optimisation record; and without -Rpass
// nothing is printed.
//
// RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - name: _Z4fillPf\n    carveout: 50\n' > %t.yaml
// RUN: %sluice-cc --cuda-host-only %s -fplugin-arg-sluice-plan=%t.yaml %remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// CHECK: remark.cu:[[@LINE+13]]:32: remark: carveout of 'fill(float*)' set to 50 per cent before its launches [-Rpass=sluice-carveout]
//
// RUN: %sluice-cc --cuda-host-only %s -fplugin-arg-sluice-plan=%t.yaml -o /dev/null -fsave-optimization-record -foptimization-record-file=%t.record 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=RECORD < %t.record
// RECORD: --- !Passed
// RECORD-NEXT: Pass: sluice-carveout
// RECORD-NEXT: Name: Set
// RECORD: Function: _Z19__device_stub__fillPf
// RECORD: Percent: '50'
//
// RUN: %sluice-cc --cuda-host-only -g %s -fplugin-arg-sluice-plan=%t.yaml -Rpass=sluice -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEBUG
// DEBUG: remark.cu:[[@LINE+2]]:32: remark: carveout of 'fill(float*)' set

__global__ void fill(float *p) { *p = 1; }

void run(float *p) { fill<<<1, 32>>>(p); }
