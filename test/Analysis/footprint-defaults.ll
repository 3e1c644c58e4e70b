; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Without parameters: sm_90 and a block of 256.
;
; RUN: %opt -passes='print<sluice-footprints>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: kernel k on sm_90
; CHECK-NEXT: loop i0 at <unknown>: 256 lines a block

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
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
