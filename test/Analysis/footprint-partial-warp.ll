; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A block of 40 threads has two warps, the second with 8 threads.
;
; RUN: %opt -passes='print<sluice-footprints><block=40>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 40 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 40 lines a block

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
