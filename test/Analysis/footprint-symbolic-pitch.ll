; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Rows of a run-time length, n: the threads are in lines of their own if it is at
; least that of a line. Of n * m, the product of two arguments, that is not known,
; and the most that it can be is counted.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK-LABEL: kernel one
; CHECK-NEXT: loop i0 at <unknown>: 256 lines a block if argument 2 >= 32, with reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 256 lines a block, stride 4 B (if argument 2 >= 32)
; CHECK-LABEL: kernel two
; CHECK-NEXT: loop i0 at <unknown>: at most 256 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 256 lines a block, stride 4 B (at most)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @one(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, %n
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

define ptx_kernel void @two(ptr %A, ptr %y, i32 %n, i32 %m) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pitch = mul i32 %n, %m
  %row = mul i32 %tx, %pitch
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
