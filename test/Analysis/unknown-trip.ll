; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A loop that ends on a value that was loaded has no iteration count.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations ?
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i0{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr i32, ptr %A, i32 %j
  %v = load i32, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ne i32 %v, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
