; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A row of a sparse matrix for each thread: one line a warp is counted, but rows
; that begin far apart may be as many lines as there are threads. The gather by
; its columns is no row.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load at <unknown>: 1 lines {{.*}} stride 4 B (assumed) (at most 256 lines a block){{$}}
; CHECK: load at <unknown> #1: 1 lines {{.*}} stride unknown (assumed){{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %rows, ptr %columns, ptr %x) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr i32, ptr %rows, i32 %tx
  %begin = load i32, ptr %p0
  %p1 = getelementptr i8, ptr %p0, i32 4
  %end = load i32, ptr %p1
  %any = icmp slt i32 %begin, %end
  br i1 %any, label %loop, label %exit

loop:
  %j = phi i32 [ %begin, %entry ], [ %j.next, %loop ]
  %pc = getelementptr i32, ptr %columns, i32 %j
  %column = load i32, ptr %pc
  %px = getelementptr float, ptr %x, i32 %column
  %v = load float, ptr %px
  %j.next = add nsw i32 %j, 1
  %more = icmp slt i32 %j.next, %end
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
