// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first warps of a block use the L1, the others read past it, each by a
// load of its own. Which warp it is comes from the thread's place in its block,
// once. With no warp in the cache there is nothing to test, and with all of
// them the code is what it was.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=3 -Rpass=sluice-warp 2> %t.remarks > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=0 | FileCheck %s --check-prefix=NONE
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=8 -Rpass-missed=sluice-warp 2> %t.remarks > %t.all.ptx
// RUN: FileCheck %s --check-prefix=ALL < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=off | cmp - %t.all.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off | cmp - %t.all.ptx
//
// CHECK: .entry _Z4sumsPKfPfi(
// CHECK: mov.u32 {{.*}}thread, %tid.z;
// CHECK: mad.lo.u32 {{.*}}thread, thread, size, at;
// CHECK: mad.lo.u32 {{.*}}thread, thread, size, at;
// CHECK: setp.lt.u32 {{.*}}[[FIRST:%p[0-9]+]], thread, 96;
// CHECK: @[[FIRST]] ld.global.b32 {{.*}}[[VALUE:%r[0-9]+]], [[AT:\[.*\]]];
// CHECK-NEXT: @![[FIRST]] ld.global.cg.b32 {{.*}}[[VALUE]], [[AT]];
// CHECK-NOT: thread, %tid
// CHECK: .entry _Z3offPKfPf(
// CHECK-NOT: ld.global.cg
//
// REMARK: remark: the first 3 warps of a block use the L1 for {{[0-9]+}} loads, the others go past it: it was asked for [-Rpass=sluice-warp-bypass]
// NONE: .entry _Z4sumsPKfPfi(
// NONE-NOT: ld.global.b32
// NONE-NOT: thread
// NONE: ld.global.cg.b32
// NONE: .entry _Z3offPKfPf(
// ALL: remark: no warp bypasses a cache: its blocks have no more than the 8 warps that may use the cache
// ALL: remark: no warp bypasses a cache: the source switches Sluice off for this kernel

__global__ void sums(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[i * n + j];
  y[i] = s;
}

__attribute__((annotate("sluice:off"))) __global__ void off(const float *A,
                                                            float *y) {
  y[threadIdx.x] = A[threadIdx.x];
}

void launch(const float *A, float *y) {
  sums<<<64, 256>>>(A, y, 1024);
  off<<<1, 1024>>>(A, y);
}
