; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An offset that is halved: no affine walk, but the same for all threads.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck --check-prefix=LINES %s
; CHECK: load 4 B at <unknown>: arg0 + 4*tid.x + 4*u{{[0-9]+}}{{$}}
; LINES: load at <unknown>: 1 lines and 4 sectors a warp, 8 lines a block, stride unknown{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %s = phi i32 [ %n, %entry ], [ %s.next, %loop ]
  %i = add i32 %tx, %s
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %s.next = lshr i32 %s, 1
  %more = icmp ne i32 %s.next, 0
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
