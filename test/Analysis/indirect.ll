; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A gather: the index is loaded, so the access is indirect and its index is not.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0 + 4*tid.x{{$}}
; CHECK-NEXT: load 4 B at <unknown> #1: arg1 + 4*loaded0 (indirect)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %j, %tx
  %p0 = getelementptr i32, ptr %A, i32 %i
  %v0 = load i32, ptr %p0
  %p1 = getelementptr float, ptr %y, i32 %v0
  %v1 = load float, ptr %p1
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
