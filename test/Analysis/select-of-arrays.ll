; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which of two arrays is read is the same for all threads, and so is the distance.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: 4*i0 + 2048*tid.x + u{{[0-9]+}}{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y, i1 %second) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  %rowA = getelementptr float, ptr %A, i32 %row
  %rowY = getelementptr float, ptr %y, i32 %row
  %rows = select i1 %second, ptr %rowA, ptr %rowY
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %rows, i32 %j
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
