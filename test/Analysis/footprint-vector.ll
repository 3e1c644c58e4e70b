; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Lanes of 16 bytes: four lines a warp.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load at <unknown>: 4 lines and 16 sectors a warp, 32 lines a block, stride 4096 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %r = mul i32 %j, 256
  %i = add i32 %r, %tx
  %p = getelementptr <4 x float>, ptr %A, i32 %i
  %v = load <4 x float>, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
