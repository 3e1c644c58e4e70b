; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A field of an array of structs: the size of the struct is the stride.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 16*i0 + 16*tid.x + 8{{$}}

target triple = "nvptx64-nvidia-cuda"

%particle = type { float, float, float, float }

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %j, %tx
  %p = getelementptr %particle, ptr %A, i32 %i, i32 2
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
