; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Only kernels are printed.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | count 0

target triple = "nvptx64-nvidia-cuda"

define internal void @k(ptr %A, ptr %y) {
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

define void @keep(ptr %A, ptr %y) {
  call void @k(ptr %A, ptr %y)
  ret void
}
