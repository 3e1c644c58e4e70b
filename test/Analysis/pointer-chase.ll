; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A list: the address of the next node is not known, and nothing is made up. A list
; of each thread is indirect; one list is the same for all.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: kernel own
; CHECK-NEXT: loop i0 at <unknown>, iterations ?
; CHECK-NEXT: load 8 B at <unknown>: loaded{{[0-9]+}} (indirect)
; CHECK: kernel one
; CHECK-NEXT: loop i0 at <unknown>, iterations ?
; CHECK-NEXT: load 8 B at <unknown>: u{{[0-9]+}}{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @own(ptr %A) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = getelementptr ptr, ptr %A, i32 %tx
  br label %loop

loop:
  %p = phi ptr [ %first, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %p
  %more = icmp ne ptr %next, null
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

define ptx_kernel void @one(ptr %A) {
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
