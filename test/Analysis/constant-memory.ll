; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; __constant__ memory has a cache of its own.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NOT: load

target triple = "nvptx64-nvidia-cuda"

@c = internal addrspace(4) constant [512 x float] zeroinitializer

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr addrspace(4) @c, i32 %j
  %v = load float, ptr addrspace(4) %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
