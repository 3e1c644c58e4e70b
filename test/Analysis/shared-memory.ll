; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Shared memory is not in the L1's way: not listed, by its own space or generic.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NOT: {{load|store}}

target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [512 x float] poison

define ptx_kernel void @k(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %j
  %v = load float, ptr addrspace(3) %p
  %q = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %j
  store float %v, ptr %q
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
