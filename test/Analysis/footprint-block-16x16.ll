; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; In a block of 16x16 a warp is two rows of x.
;
; RUN: %opt -passes='print<sluice-footprints><gpu=sm_90;grid=1056;block=16x16>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 16 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 2 lines and 2 sectors a warp, 16 lines a block, stride 4 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %ty, 512
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
