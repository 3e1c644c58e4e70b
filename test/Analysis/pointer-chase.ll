; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A list: the address of the next node is not known, and nothing is made up.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations ?
; CHECK-NEXT: load 8 B at <unknown>: {{[vl].*}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
entry:
  br label %loop

loop:
  %p = phi ptr [ %A, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %p
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
