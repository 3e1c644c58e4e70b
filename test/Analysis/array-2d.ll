; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A pointer to rows: A[tid][j].
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0 + 256*tid.x{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr [64 x float], ptr %A, i32 %tx, i32 %j
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 64
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
