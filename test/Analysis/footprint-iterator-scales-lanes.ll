; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Threads that move apart with each iteration are not all where they begin.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: at most 256 lines a block, no reuse
; CHECK-NEXT: load at <unknown>: 32 lines and 32 sectors a warp, 256 lines a block, stride unknown (at most)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = mul i32 %tx, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
