; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Stores are listed, as stores.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0{{$}}
; CHECK-NEXT: store 4 B at <unknown> #1: arg1 + 4*i0 + 2048*tid.x{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %j
  %v = load float, ptr %p
  %q = getelementptr float, ptr %y, i32 %i
  store float %v, ptr %q
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
