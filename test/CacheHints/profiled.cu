// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that cost a gathered vector its hits bypass the L1, by a profile.
// The profile has its lines, so the kernel stands first.

__global__ void gather(const float *A, const int *index, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += A[j * 4096 + i] * x[index[j * 4096 + i]];
#ifdef NO_STREAM
  sum = A[0];
#endif
  y[i] = sum;
}

// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -Rpass=sluice-cache-hints -Rpass-analysis=sluice-cache-hints -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not=":30: remark"
// CHECK: profiled.cu:6:17: remark: 2 of 3 loads bypass the L1, which by the profile saves 33.3 % of what comes from the L2 [-Rpass-analysis=sluice-cache-hints]
// CHECK-DAG: profiled.cu:10:12: remark: the load's cache hint is L1::no_allocate
// CHECK-DAG: profiled.cu:10:32: remark: the load's cache hint is L1::no_allocate
//
// The stream, the index, and the vector, which stays as it was.
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX: ld.global.L1::no_allocate.b32
// PTX: ld.global.L1::no_allocate.b32
// PTX: ld.global.b32
//
// Throttling has no part in it.
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=off -o %t.off.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.off.ptx
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -fplugin-arg-sluice-hints=profile -o - | diff - %t.ptx
//
// Not without a profile, not where hints are off, not at -O0, not for another GPU.
// RUN: %plain-cc %s > %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=off -o - | diff - %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-hints=off -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=off -o - | diff - %t.plain
// RUN: sed s/sm_90/sm_80/ %S/Inputs/gather.yaml > %t.yaml
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%t.yaml -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=off -o - | diff - %t.plain
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off -O0 %s -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -o - | FileCheck %s --check-prefix=NONE
// NONE-NOT: no_allocate
//
// A plan has the last word, and can hold what was chosen.
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -fplugin-arg-sluice-emit-plan=%t.plan -o /dev/null
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// PLAN: load: 'profiled.cu:10:12'
// PLAN-NEXT: hint: L1::no_allocate
// PLAN-NEXT: why: by the profile it has no hits and costs other loads 512 KiB of theirs
// RUN: sed s/no_allocate/evict_first/ %t.plan > %t.other
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-plan=%t.other -o - | FileCheck %s --check-prefix=PLANNED
// PLANNED-NOT: no_allocate
// PLANNED: L1::evict_first
//
// A load that these options leave out is nobody's mistake.
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -DNO_STREAM -fplugin-arg-sluice-profile=%S/Inputs/gather.yaml -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning
//
// What the profile does not tell.
// RUN: grep -v alone %S/Inputs/gather.yaml | sed '/pairs/,/second: 2/d' > %t.alone
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-profile=%t.alone -Rpass-analysis=sluice-cache-hints -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: remark: no load bypasses the L1: the profile does not say what the load at profiled.cu:10:12 hits when it alone is cached: profile the program with pairs of loads
