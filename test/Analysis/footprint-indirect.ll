; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A gather's lanes are not known: that is said.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>
; CHECK: load at <unknown> #1: {{.*}}(assumed)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %row, %j
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
