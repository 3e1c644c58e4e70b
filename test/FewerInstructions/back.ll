; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A loop of one block that only reads goes back where its condition holds, so that its code ends
; in one branch wherever its exit is placed. The condition is the opposite, also
; for what is not a number. What is used elsewhere stays as it is.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | %llc -mcpu=sm_90 - -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @whole(ptr addrspace(1) %x, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @whole(
; CHECK: %done = icmp ne i32 %next, %n
; CHECK-NEXT: br i1 %done, label %loop, label %end, !prof [[WEIGHTS:![0-9]+]]
; PTX-LABEL: .entry whole(
; PTX: setp.ne.b32
; PTX-NEXT: bra
; PTX-NOT: bra.uni
; PTX: ret
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %v
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop, !prof !0
end:
  store i32 %more, ptr addrspace(1) %x
  ret void
}

define ptx_kernel void @real(ptr addrspace(1) %x, float %most) {
; CHECK-LABEL: define ptx_kernel void @real(
; CHECK: %done = fcmp ult float %twice, %most
; CHECK-NEXT: br i1 %done, label %loop, label %end
entry:
  br label %loop
loop:
  %v = phi float [ 1.0, %entry ], [ %twice, %loop ]
  %twice = fadd float %v, %v
  %done = fcmp oge float %twice, %most
  br i1 %done, label %end, label %loop
end:
  store float %twice, ptr addrspace(1) %x
  ret void
}

; The result of the comparison is used after the loop.
define ptx_kernel void @used(ptr addrspace(1) %x, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @used(
; CHECK: %done = icmp eq i32 %next, %n
; CHECK-NEXT: [[BACK:%[0-9]+]] = icmp ne i32 %next, %n
; CHECK-NEXT: br i1 [[BACK]], label %loop, label %end
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  store volatile i1 %done, ptr addrspace(1) %x
  ret void
}

; A loop that writes.
define ptx_kernel void @writes(ptr addrspace(1) %x, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @writes(
; CHECK: br i1 %done, label %end, label %loop
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Nothing to be turned round: a loop that goes back where it is true already, one
; of two blocks, and conditions that are no comparison of the loop.
define ptx_kernel void @stays(ptr addrspace(1) %x, i32 %n, i1 %p) {
; CHECK-LABEL: define ptx_kernel void @stays(
; CHECK: %more = icmp ult i32 %next, %n
; CHECK-NEXT: br i1 %more, label %loop, label %two
; CHECK: %end.two = icmp eq i32 %next.two, %n
; CHECK-NEXT: br i1 %end.two, label %three, label %two
; CHECK: br i1 %p, label %four, label %three
; CHECK: br i1 %both, label %end, label %four
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %two
two:
  %j = phi i32 [ 0, %loop ], [ %next.two, %more.two ]
  br label %more.two
more.two:
  %next.two = add i32 %j, 1
  %end.two = icmp eq i32 %next.two, %n
  br i1 %end.two, label %three, label %two
three:
  br i1 %p, label %four, label %three
four:
  %k = phi i32 [ 0, %three ], [ %next.four, %four ]
  %next.four = add i32 %k, 1
  %end.four = icmp eq i32 %next.four, %n
  %both = and i1 %end.four, %p
  br i1 %both, label %end, label %four
end:
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 99}
; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 99, i32 1}
