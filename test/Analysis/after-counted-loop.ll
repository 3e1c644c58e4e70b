; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Where a loop of a known number of iterations leaves off is known.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i1
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i1 + 2048*tid.x + 28{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  br label %first

first:
  %a = phi i32 [ 0, %entry ], [ %a.next, %first ]
  %s = add i32 %row, %a
  %q = getelementptr float, ptr %y, i32 %s
  %w = load float, ptr %q
  %a.next = add nuw nsw i32 %a, 1
  %again = icmp ult i32 %a.next, 8
  br i1 %again, label %first, label %loop

loop:
  %j = phi i32 [ 0, %first ], [ %j.next, %loop ]
  %i = add i32 %s, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
