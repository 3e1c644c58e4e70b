; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; %laneid is the linear thread number modulo 32.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*mod({{.*}}tid.x{{.*}}, 32){{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %A, i32 %lane
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
