; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A parser: each thread begins in a chunk of its own and goes on by what it finds.
; Nothing that is read becomes a part of the address, so it is not indirect.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck --check-prefix=LINES %s
; CHECK: loop i1
; CHECK-NEXT: load 1 B at <unknown>: arg0 + i1 + v{{[0-9]+}}{{$}}
; LINES: loop i1 at <unknown> #1: at most 256 lines a block, with reuse

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %begin = mul i32 %tx, 1024
  br label %outer

outer:
  %start = phi i32 [ %begin, %entry ], [ %next, %latch ]
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %at = add i32 %start, %j
  %p = getelementptr i8, ptr %A, i32 %at
  %c = load i8, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %go = icmp ne i8 %c, 10
  br i1 %go, label %inner, label %latch

latch:
  %blank = icmp eq i8 %c, 32
  %by = select i1 %blank, i32 2, i32 1
  %next = add i32 %at, %by
  %more = icmp slt i32 %next, %n
  br i1 %more, label %outer, label %exit

exit:
  ret void
}
