; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A local array is not listed.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 64
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i0{{$}}
; CHECK-NOT: {{load|store}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %local = alloca [64 x float]
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %q = getelementptr float, ptr %local, i32 %j
  %p = getelementptr float, ptr %A, i32 %j
  %v = load float, ptr %p
  store float %v, ptr %q
  %w = load float, ptr %q
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 64
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
