; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; j * j is no affine walk, so where it is is not known, but it is the same for all.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*u{{[0-9]+}}{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = mul i32 %j, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
