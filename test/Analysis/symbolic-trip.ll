; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Iterations as a form over the parameters.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations {{.*}}arg2
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i0{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y, i32 %n) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %A, i32 %j
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
