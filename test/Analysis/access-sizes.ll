; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Bytes that a lane moves: vectors, halves, doubles.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 16 B at <unknown>: arg0 + 16*i0{{$}}
; CHECK-NEXT: load 2 B at <unknown> #1: arg0 + 2*i0{{$}}
; CHECK-NEXT: load 8 B at <unknown> #2: arg0 + 8*i0{{$}}
; CHECK-NEXT: load 1 B at <unknown> #3: arg0 + i0{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p0 = getelementptr <4 x float>, ptr %A, i32 %j
  %v0 = load <4 x float>, ptr %p0
  %p1 = getelementptr half, ptr %A, i32 %j
  %v1 = load half, ptr %p1
  %p2 = getelementptr double, ptr %A, i32 %j
  %v2 = load double, ptr %p2
  %p3 = getelementptr i8, ptr %A, i32 %j
  %v3 = load i8, ptr %p3
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
