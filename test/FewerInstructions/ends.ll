; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A loop in another one that counts up to what is not negative ends by a signed comparison: so
; the assembler knows that what it counts is below that until then.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | %llc -mcpu=sm_90 - -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @other(i32)

; n is above 0 where the loop is entered.
define ptx_kernel void @upwards(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @upwards(
; CHECK: %more = icmp slt i32 %next, %n
; CHECK-NEXT: br i1 %more, label %loop, label %rest
; PTX-LABEL: .entry upwards(
; PTX: setp.lt.s32
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %n, %next
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; Iterations of an unrolled loop are counted beside its index, and only the index
; says that it does not wrap around. 64 bits, and out where it is true.
define ptx_kernel void @unrolled(ptr addrspace(1) %x, i64 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @unrolled(
; CHECK: %done = icmp sge i64 %next, %most
; CHECK-NEXT: br i1 %done, label %rest, label %loop
; PTX-LABEL: .entry unrolled(
; PTX: setp.lt.s64
entry:
  %most = and i64 %n, 9223372036854775804
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %few = icmp ult i64 %n, 4
  br i1 %few, label %rest, label %loop
loop:
  %i = phi i64 [ 0, %outer ], [ %i.next, %loop ]
  %count = phi i64 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i64 %i
  store i32 1, ptr addrspace(1) %at
  %i.next = add nuw nsw i64 %i, 4
  %next = add i64 %count, 4
  %done = icmp eq i64 %next, %most
  br i1 %done, label %rest, label %loop
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; 400 iterations are a loop for the assembler.
define ptx_kernel void @known(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @known(
; CHECK: %more = icmp slt i32 %next, 400
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, 400
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; Of eight it would make eight copies if it knew more.
define ptx_kernel void @few(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @few(
; CHECK: %more = icmp ne i32 %next, 8
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, 8
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; Where no loop is around, what is before it is run once.
define ptx_kernel void @alone(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @alone(
; CHECK: %more = icmp ne i32 %next, %n
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  ret void
}

; What it counts to may be negative: then it goes on to there, by all numbers.
define ptx_kernel void @unknown(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @unknown(
; CHECK: %more = icmp ne i32 %next, %n
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %i, ptr addrspace(1) %at
  %next = add nsw i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; It may wrap around: an index that goes by 4 meets n or goes past it.
define ptx_kernel void @wraps(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @wraps(
; CHECK: %more = icmp ne i32 %next, %n
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  store i32 %i, ptr addrspace(1) %x
  %next = add i32 %i, 4
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; It may leave before it comes to n, and be beyond it.
define ptx_kernel void @leaves(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @leaves(
; CHECK: %more = icmp ne i32 %next, %n
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %goes.on ]
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %found = icmp eq i32 %v, 0
  br i1 %found, label %rest, label %goes.on
goes.on:
  %next = add nuw nsw i32 %i, 4
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; So may what is called.
define ptx_kernel void @calls(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK: %more = icmp ne i32 %next, %n
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  call void @other(i32 %i)
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}

; What is left is counted: that is as good.
define ptx_kernel void @down(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @down(
; CHECK: %more = icmp ne i32 %next, 0
entry:
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %o.next, %rest ]
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %rest
loop:
  %i = phi i32 [ %n, %outer ], [ %next, %loop ]
  store i32 %i, ptr addrspace(1) %x
  %next = add nsw i32 %i, -1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %m
  br i1 %again, label %outer, label %end
end:
  ret void
}
