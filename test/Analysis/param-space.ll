; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The same after the parameters have got their address space.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>, iterations 512
; CHECK-NEXT: load 4 B at <unknown>: 4*i0 + u0{{$}}
; CHECK-NOT: load

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr byval({ i32, ptr }) align 8 %s) {
entry:
  %s.param = addrspacecast ptr %s to ptr addrspace(101)
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %field = getelementptr i8, ptr addrspace(101) %s.param, i32 8
  %q = load ptr, ptr addrspace(101) %field
  %p = getelementptr float, ptr %q, i32 %j
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
