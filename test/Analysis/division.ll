; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; tid / 16 and tid % 16 of unsigned numbers.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 2048*div(tid.x, 16) + 4*i0{{$}}
; CHECK-NEXT: load 4 B at <unknown> #1: arg0 + 4*i0 + 2048*mod(tid.x, 16){{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = udiv i32 %tx, 16
  %m = urem i32 %tx, 16
  %r0 = mul i32 %d, 512
  %r1 = mul i32 %m, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i0 = add i32 %r0, %j
  %i1 = add i32 %r1, %j
  %p0 = getelementptr float, ptr %A, i32 %i0
  %v0 = load float, ptr %p0
  %p1 = getelementptr float, ptr %A, i32 %i1
  %v1 = load float, ptr %p1
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
