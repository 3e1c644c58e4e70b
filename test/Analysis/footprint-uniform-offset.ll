; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An unknown offset that is the same for all threads changes no distance.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 256 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 256 lines a block, stride 4 B{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %nn = mul i32 %n, %n
  %own = load i32, ptr %y
  %o = add i32 %nn, %own
  %row0 = mul i32 %tx, 512
  %row = add i32 %row0, %o
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
