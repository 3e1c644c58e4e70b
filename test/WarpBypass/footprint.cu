// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many warps as have lines that fit the L1 (bypass=footprint). Where all
// fit, or nothing is known, the code is what it was, and the plan says why.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=footprint -Rpass=sluice-warp -Rpass-missed=sluice-warp 2> %t.remarks > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off | sed -n '/entry.*small/,$p' > %t.plain
// RUN: sed -n '/entry.*small/,$p' %t.ptx | diff %t.plain -
//
// Nobody chooses without being asked.
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=auto > %t.auto
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=off | diff %t.auto -
// RUN: FileCheck %s --check-prefix=AUTO < %t.auto
// AUTO-NOT: ld.global.cg
//
// With turns there is nothing left to do.
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=auto -fplugin-arg-sluice-bypass=footprint -Rpass-missed=sluice-warp 2>&1 >/dev/null | FileCheck %s --check-prefix=TURNS
// TURNS: remark: no warp bypasses a cache: the loop at {{.*}} takes turns
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=footprint -fplugin-arg-sluice-emit-plan=- -o /dev/null | FileCheck %s --check-prefix=PLAN
// PLAN: name: _Z4rowsPKfS0_Pf
// PLAN: cached-warps: 3
// PLAN: bypass-why: {{'?}}the loop at footprint.cu:{{[0-9]+}}:3 has 524288 B of lines (8 blocks of 8 warps) for an L1 of 229376 B, in which those of 3 warps fit
// PLAN: name: _Z5smallPKfPf
// PLAN-NOT: cached-warps
// PLAN: bypass-why: {{.*}}in which those of all warps fit
//
// By a profile only where it has such times.
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=profile -Rpass-missed=sluice-warp 2>&1 >/dev/null | FileCheck %s --check-prefix=PROFILE
// PROFILE: remark: no warp bypasses a cache: no profile of this GPU has the kernel
//
// CHECK: .entry _Z4rowsPKfS0_Pf(
// CHECK: setp.lt.u32 {{.*}}[[FIRST:%p[0-9]+]], thread, 96;
// CHECK: @[[FIRST]] ld.global.b32
// CHECK-NEXT: @![[FIRST]] ld.global.cg.b32
// CHECK: .entry _Z5smallPKfPf(
// CHECK-NOT: ld.global.cg
//
// REMARK-DAG: remark: the first 3 warps of a block use the L1 for {{[0-9]+}} loads, the others go past it: the loop at {{.*}} in which those of 3 warps fit [-Rpass=sluice-warp-bypass]
// REMARK-DAG: remark: no warp bypasses a cache: the loop at {{.*}} in which those of all warps fit [-Rpass-missed=sluice-warp-bypass]
// REMARK-DAG: remark: no warp bypasses a cache: the loop at {{.*}} has an access whose lines are not known, at
// REMARK-DAG: remark: no warp bypasses a cache: no launch of this kernel is in this file
// REMARK-DAG: remark: no warp bypasses a cache: the source switches Sluice off for this kernel

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void rows(const float *A, const float *B, float *y) {
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += A[ME * 512 + j] * B[ME * 512 + j];
  y[ME] = s;
}

__global__ void small(const float *x, float *y) {
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += x[j];
  y[ME] = s;
}

__global__ void indexed(const float *x, const int *at, float *y) {
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += x[at[ME * 512 + j]];
  y[ME] = s;
}

__global__ void unknown(const float *A, float *y) {
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}

__attribute__((annotate("sluice:off"))) __global__ void off(const float *A,
                                                            float *y) {
  float s = 0;
  for (int j = 0; j < 512; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}

void launch(const float *A, const float *B, const int *at, float *y) {
  rows<<<8 * 132, 256>>>(A, B, y);
  small<<<8 * 132, 256>>>(A, y);
  indexed<<<8 * 132, 256>>>(A, at, y);
  off<<<8 * 132, 256>>>(A, y);
}
