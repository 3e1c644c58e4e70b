; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A pointer in a struct that is passed by value is the same for all threads.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: 4*i0 + 4*tid.x + u0{{$}}
; CHECK-NOT: load

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr byval({ i32, ptr }) align 8 %s) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %field = getelementptr i8, ptr %s, i32 8
  %q = load ptr, ptr %field
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %j, %tx
  %p = getelementptr float, ptr %q, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
