; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An index that is extended before a loop is multiplied by its elements' size
; there.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | %llc -mcpu=sm_90 - -o - | FileCheck %s --check-prefix=PTX
; RUN: %llc -mcpu=sm_90 %s -o - | FileCheck %s --check-prefix=BEFORE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; In the loop, and behind it.
define ptx_kernel void @over(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @over(
; CHECK: %i = sext i32 %n to i64
; CHECK-DAG: [[S:%[0-9]+]] = mul nsw i64 %i, 4
; CHECK-DAG: [[T:%[0-9]+]] = mul nsw i64 %i, 16
; CHECK: br label %loop
; CHECK: %at = getelementptr inbounds i8, ptr addrspace(1) %row, i64 [[S]]
; CHECK: [[Y:%[0-9]+]] = getelementptr i8, ptr addrspace(1) %y, i64 [[T]]
; CHECK-NEXT: %to = getelementptr i8, ptr addrspace(1) [[Y]], i64 8
; PTX-LABEL: .entry over(
; PTX-NOT: shl.b64
; PTX: mul.wide.s32
; PTX-NOT: shl.b64
; PTX: ret
; BEFORE-LABEL: .entry over(
; BEFORE: shl.b64
; BEFORE: ret
entry:
  %i = sext i32 %n to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = phi ptr addrspace(1) [ %x, %entry ], [ %v, %loop ]
  %at = getelementptr inbounds float, ptr addrspace(1) %row, i64 %i
  %v = load ptr addrspace(1), ptr addrspace(1) %at
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  %to = getelementptr inbounds [4 x float], ptr addrspace(1) %y, i64 %i, i64 2
  store ptr addrspace(1) %v, ptr addrspace(1) %to
  ret void
}

; One extension on both ways around a loop.
define ptx_kernel void @ways(ptr addrspace(1) %x, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @ways(
; CHECK: end:
; CHECK-NEXT: [[I:%[0-9]+]] = zext i32 %n to i64
; CHECK-NEXT: %to = getelementptr i32, ptr addrspace(1) %x, i64 [[I]]
entry:
  %any = icmp ne i32 %m, 0
  br i1 %any, label %before, label %none
none:
  %a = zext i32 %n to i64
  br label %end
before:
  %b = zext i32 %n to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  store volatile i32 %k, ptr addrspace(1) %x
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  %i = phi i64 [ %a, %none ], [ %b, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %x, i64 %i
  store i32 1, ptr addrspace(1) %to
  ret void
}

; What a loop begins with is extended again where it begins.
define ptx_kernel void @begins(ptr addrspace(1) %x, i32 %n, i64 %m) {
; CHECK-LABEL: define ptx_kernel void @begins(
; CHECK: before:
; CHECK-NEXT: [[C:%[0-9]+]] = call i32 @llvm.nvvm.move.i32(i32 %n)
; CHECK-NEXT: [[I:%[0-9]+]] = zext i32 [[C]] to i64
; CHECK: %k = phi i64 [ [[I]], %before ], [ %next, %loop ]
entry:
  %i = zext i32 %n to i64
  %any = icmp ult i64 %i, %m
  br i1 %any, label %before, label %end
before:
  br label %loop
loop:
  %k = phi i64 [ %i, %before ], [ %next, %loop ]
  %to = getelementptr i64, ptr addrspace(1) %x, i64 %k
  store i64 %k, ptr addrspace(1) %to
  %next = add i64 %k, 256
  %more = icmp ult i64 %next, %m
  br i1 %more, label %loop, label %end
end:
  ret void
}

; No loop is between: an extension and an address of one loop, and of none.
define ptx_kernel void @within(ptr addrspace(1) %x, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @within(
; CHECK-NOT: mul
; CHECK: ret void
entry:
  %e = zext i32 %m to i64
  br label %first
first:
  %f = getelementptr i32, ptr addrspace(1) %x, i64 %e
  store i32 1, ptr addrspace(1) %f
  br label %loop
loop:
  %k = phi i32 [ 0, %first ], [ %next, %latch ]
  %i = zext i32 %k to i64
  %odd = trunc i32 %k to i1
  br i1 %odd, label %then, label %latch
then:
  %to = getelementptr i32, ptr addrspace(1) %x, i64 %i
  store i32 %k, ptr addrspace(1) %to
  br label %latch
latch:
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A constant that becomes an offset, an index that is used for something else,
; bytes, and shared memory, whose addresses have 32 bits.
@s = internal addrspace(3) global [64 x i32] poison
define ptx_kernel void @others(ptr addrspace(1) %x, i32 %n, i32 %p, i32 %q, i32 %r, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @others(
; CHECK-NOT: mul
; CHECK: ret void
entry:
  %sum = add nsw i32 %n, 5
  %a = sext i32 %sum to i64
  %b = sext i32 %p to i64
  %c = sext i32 %q to i64
  %d = sext i32 %r to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %k, ptr addrspace(1) %x
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  %ap = getelementptr i32, ptr addrspace(1) %x, i64 %a
  store i32 1, ptr addrspace(1) %ap
  %bp = getelementptr i32, ptr addrspace(1) %x, i64 %b
  store i64 %b, ptr addrspace(1) %bp
  %cp = getelementptr i8, ptr addrspace(1) %x, i64 %c
  store i8 1, ptr addrspace(1) %cp
  %dp = getelementptr i32, ptr addrspace(3) @s, i64 %d
  store i32 1, ptr addrspace(3) %dp
  ret void
}

; Four loads of a block of a loop: which go together is the assembler's choice.
define ptx_kernel void @loads(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %m) {
; CHECK-LABEL: define ptx_kernel void @loads(
; CHECK: %to = getelementptr i32, ptr addrspace(1) %y, i64 %i
entry:
  %i = sext i32 %n to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %abcd, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %k
  %a = load volatile i32, ptr addrspace(1) %p
  %b = load volatile i32, ptr addrspace(1) %x
  %c = load volatile i32, ptr addrspace(1) %p
  %d = load volatile i32, ptr addrspace(1) %x
  %ab = add i32 %a, %b
  %abc = xor i32 %ab, %c
  %abcd = add i32 %abc, %d
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, %m
  br i1 %more, label %loop, label %end
end:
  %to = getelementptr i32, ptr addrspace(1) %y, i64 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}
