; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A run-time length of rows that are one for each warp: all threads of a warp read
; the same, and no two warps do. An axis of one thread has no distance.
;
; RUN: %opt -passes='print<sluice-footprints><block=32x8>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<sluice-footprints><block=32x1>' -disable-output %s 2>&1 | FileCheck --check-prefix=ONE %s
; CHECK: loop i0 at <unknown>: 8 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 1 lines and 1 sectors a warp, 8 lines a block, stride 4 B{{$}}
; ONE: loop i0 at <unknown>: 1 lines a block, with reuse

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %ty, %n
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
