; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; zext and sext of an index do not hide it.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0 + 4*tid.x{{$}}
; CHECK-NEXT: load 4 B at <unknown> #1: arg0 + 4*i0 + 4*tid.x{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %j, %tx
  %s = sext i32 %i to i64
  %z = zext i32 %i to i64
  %p0 = getelementptr float, ptr %A, i64 %s
  %v0 = load float, ptr %p0
  %p1 = getelementptr float, ptr %A, i64 %z
  %v1 = load float, ptr %p1
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
