; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; p += 4 in a loop is affine all the same.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NEXT: load 4 B at <unknown>: arg0 + 4*i0 + 2048*tid.x{{$}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  %begin = getelementptr float, ptr %A, i32 %row
  %end = getelementptr i8, ptr %begin, i64 2048
  br label %loop

loop:
  %p = phi ptr [ %begin, %entry ], [ %p.next, %loop ]
  %v = load float, ptr %p
  %p.next = getelementptr inbounds i8, ptr %p, i64 4
  %more = icmp ne ptr %p.next, %end
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
