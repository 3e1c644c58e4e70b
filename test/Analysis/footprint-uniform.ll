; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An address without tid is one line for all warps.
;
; RUN: %opt -passes='print<sluice-footprints><block=1024>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: 1 lines a block, with reuse
; CHECK-NEXT: load at <unknown>: 1 lines and 1 sectors a warp, 1 lines a block, stride 4 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %A, i32 %j
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
