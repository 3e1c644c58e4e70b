// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warps find the number themselves: a variable with the votes for each
// kernel, one word of which each warp reads at the beginning, and a vote before
// each return. Without sm_70 nobody votes.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-bypass=dynamic -Rpass=sluice-warp 2> %t.remarks > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %llc -mcpu=sm_60 %S/Inputs/vote.ll -pass-remarks-missed=sluice -o - 2>&1 | FileCheck %s --check-prefix=OLD
//
// CHECK: .global .align 16 .b8 __sluice_votes__Z4sumsPKfPfi[4096];
// CHECK: .entry _Z4sumsPKfPfi(
// CHECK: .local .align 8 .b8 sluice_vote[24];
// CHECK: .reg .pred sluice_votes;
// CHECK: mov.u64 entry, __sluice_votes__Z4sumsPKfPfi;
// CHECK: ld.relaxed.gpu.global.u64 key, [entry];
// CHECK: setp.lt.u32 [[FIRST:%p[0-9]+]], thread, warps;
// CHECK: @[[FIRST]] ld.global.b32
// CHECK-NEXT: @![[FIRST]] ld.global.cg.b32
// CHECK: @!sluice_votes bra DONE;
// CHECK: red.relaxed.gpu.global.add.u64 [at+16], time;
// CHECK: ret;
// REMARK: the first warps of a block, as many as it finds best, use the L1 for {{[0-9]+}} loads, the others go past it
// OLD: dropped: a vote needs sm_70 and PTX 6.2
// OLD-NOT: ld.relaxed

__global__ void sums(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[i * n + j];
  y[i] = s;
}
