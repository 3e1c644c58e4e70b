; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; min(i, n - 1) at a border.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*min({{.*}}tid.x{{.*}}){{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add nsw i32 %j, %tx
  %c = call i32 @llvm.smin.i32(i32 %i, i32 1000)
  %p = getelementptr float, ptr %A, i32 %c
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
