; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Affine in tid.x, tid.y and tid.z.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: kernel k
; CHECK-NEXT: loop i0 at <unknown>, iterations 512
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i0 + 2048*tid.x + 8192*tid.y + 400*tid.z{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %a = mul i32 %tx, 512
  %b = mul i32 %ty, 2048
  %c = mul i32 %tz, 100
  %ab = add i32 %a, %b
  %row = add i32 %ab, %c
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
