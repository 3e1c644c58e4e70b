; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Coalesced, and each iteration goes to other lines: 8 warps of 1 line, no reuse.
;
; RUN: %opt -passes='print<sluice-footprints><gpu=sm_90;grid=1056;block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 8 lines a block, no reuse
; CHECK-NEXT: load at <unknown>: 1 lines and 4 sectors a warp, 8 lines a block, stride 4096 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %r = mul i32 %j, 1024
  %i = add i32 %r, %tx
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
