; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A loop that counts down moves the address down.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NEXT: load 4 B at <unknown>: arg0 - 4*i0 + 4*tid.x + 2044{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 511, %entry ], [ %j.next, %loop ]
  %i = add i32 %j, %tx
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nsw i32 %j, -1
  %more = icmp sge i32 %j.next, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
