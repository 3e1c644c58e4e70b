; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An index that is the same for all threads is unknown, and not indirect.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0{{$}}
; CHECK-NEXT: load 4 B at <unknown> #1: arg1 + 4*tid.x + 4*u0{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p0 = getelementptr i32, ptr %A, i32 %j
  %v0 = load i32, ptr %p0
  %i = add i32 %v0, %tx
  %p1 = getelementptr float, ptr %y, i32 %i
  %v1 = load float, ptr %p1
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
