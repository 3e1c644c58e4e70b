; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; In a block of 32x8 a warp is a row of x: the 8 warps walk the same 32 rows.
;
; RUN: %opt -passes='print<sluice-footprints><gpu=sm_90;grid=1056;block=32x8>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 32 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 32 lines a block, stride 4 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
