; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An atomic is no load or store of the L1.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NOT: {{load|store}} 4

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr i32, ptr %A, i32 %j
  %v = atomicrmw add ptr %p, i32 1 monotonic
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
