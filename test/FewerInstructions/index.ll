; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Marked loops keep their index, so that llc makes no pointers of it, also where
; the step is known when they run only, and is added several times. So do others
; with such a step that load nothing, and loops around several that begin where
; they say.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s -o %t.ll 2>%t.remarks
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %llc -mcpu=sm_90 %t.ll -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK-COUNT-9: remark: <unknown>:0:0: 1 loop keeps its index, and has no pointers that are moved on
; REMARK-NOT: remark

define ptx_kernel void @marked(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @marked(
; CHECK: loop:
; CHECK: [[I:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: zext nneg i32 [[I]] to i64
; CHECK: %next = add nuw nsw i32 %i, 1
; CHECK: icmp ne i32 %next, %n
; PTX-LABEL: .entry marked(
; PTX: $L__BB0_1:
; PTX-NOT: add.s64 {{.*}}%[[A:rd[0-9]+]], %[[A]]
; PTX: mul.wide.u32
; PTX-NOT: add.s64 {{.*}}%[[B:rd[0-9]+]], %[[B]]
; PTX: bra
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w
  %q = getelementptr inbounds float, ptr addrspace(1) %y, i64 %w
  %v = load float, ptr addrspace(1) %p
  %r = fmul float %v, %v
  store float %r, ptr addrspace(1) %q
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}

define ptx_kernel void @unmarked(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @unmarked(
; CHECK-NOT: nvvm.move
; CHECK: ret void
; PTX-LABEL: .entry unmarked(
; PTX: add.s64 {{.*}}%[[C:rd[0-9]+]], %[[C]], 4
; PTX: bra
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w
  %q = getelementptr inbounds float, ptr addrspace(1) %y, i64 %w
  %v = load float, ptr addrspace(1) %p
  %r = fmul float %v, %v
  store float %r, ptr addrspace(1) %q
  %next = add nuw nsw i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The index of the loop around it, and one that is only counted, have no copy;
; the next index has.
define ptx_kernel void @next(ptr addrspace(1) %x, i64 %n) {
; CHECK-LABEL: define ptx_kernel void @next(
; CHECK-COUNT-1: nvvm.move
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %k, %last ]
  br label %loop
loop:
  %i = phi i64 [ 0, %outer ], [ %next, %loop ]
  %count = phi i32 [ 0, %outer ], [ %counted, %loop ]
  %next = add i64 %i, %n
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %next
  store float 1.0, ptr addrspace(1) %p
  %counted = add i32 %count, 1
  %more = icmp ne i32 %counted, 9
  br i1 %more, label %loop, label %last, !llvm.loop !0
last:
  %k = add i64 %j, 1
  %again = icmp ne i64 %k, %n
  br i1 %again, label %outer, label %end
end:
  ret void
}

define ptx_kernel void @strided(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @strided(
; CHECK: %i = phi i32 [ 0, %entry ], [ %next, %loop ]
; CHECK: [[I:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: zext i32 [[I]] to i64
; CHECK: %next = add i32 [[I]], %step
; PTX-LABEL: .entry strided(
; PTX: $L__BB3_1:
; PTX-NOT: add.s64 {{.*}}%[[D:rd[0-9]+]], %[[D]]
; PTX: bra
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w
  %q = getelementptr inbounds float, ptr addrspace(1) %y, i64 %w
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %q
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !2
end:
  ret void
}

define ptx_kernel void @twice(ptr addrspace(1) %x, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @twice(
; CHECK: [[J:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: %second = add i32 [[J]], %step
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i32 %i
  store float 1.0, ptr addrspace(1) %p
  %second = add i32 %i, %step
  %q = getelementptr inbounds float, ptr addrspace(1) %x, i32 %second
  store float 2.0, ptr addrspace(1) %q
  %next = add i32 %second, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !3
end:
  ret void
}

; Not marked, and nothing is loaded: no address is waited for.
define ptx_kernel void @written(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @written(
; CHECK: [[K:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: %next = add i32 [[K]], %step
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  store i32 %n, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @addedUp(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @addedUp(
; CHECK: [[K:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: %next = add i32 [[K]], %step
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What is loaded is the same each time.
define ptx_kernel void @loadsTheSame(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @loadsTheSame(
; CHECK: [[K:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK: %next = add i32 [[K]], %step
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %y
  store i32 %v, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Not marked, and a load or an atomic waits for its address.
define ptx_kernel void @loads(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @loads(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %y
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @atomicIsUsed(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @atomicIsUsed(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %y
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The assembler unrolls what it can count.
define ptx_kernel void @counts(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @counts(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  store i32 %n, ptr addrspace(1) %p
  %next = add i32 %i, 2
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two indices cost two additions.
define ptx_kernel void @twoIndices(ptr addrspace(1) %x, ptr addrspace(1) %y, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @twoIndices(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = phi i32 [ 0, %entry ], [ %k, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  store i32 %j, ptr addrspace(1) %p
  %k = add i32 %j, 3
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; No array at all, and so no pointer: it stays as it is.
define ptx_kernel void @remainder(ptr addrspace(1) %x, i32 %a, i32 %p) {
; CHECK-LABEL: define ptx_kernel void @remainder(
; CHECK-NOT: @llvm.nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ %a, %entry ], [ %next, %loop ]
  %more = icmp slt i32 %i, 0
  %next = add i32 %i, %p
  br i1 %more, label %loop, label %end
end:
  store i32 %i, ptr addrspace(1) %x
  ret void
}

; Four places where loops begin, at one pointer or two in each.
define ptx_kernel void @four(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @four(
; CHECK-COUNT-1: call i64 @llvm.nvvm.move.i64(i64 %i)
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next, %last ]
  %s0 = phi i32 [ 0, %entry ], [ %s4, %last ]
  %row = getelementptr [80 x i32], ptr addrspace(1) %x, i64 %i
  br label %loop1
loop1:
  %k1 = phi i64 [ 0, %outer ], [ %l1, %loop1 ]
  %t1 = phi i32 [ %s0, %outer ], [ %s1, %loop1 ]
  %m1 = add i64 %k1, 0
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 %m1
  %v1 = load i32, ptr addrspace(1) %p1
  %q1 = getelementptr i8, ptr addrspace(1) %p1, i64 4
  %w1 = load i32, ptr addrspace(1) %q1
  %u1 = mul i32 %t1, %v1
  %s1 = add i32 %u1, %w1
  %l1 = add i64 %k1, 2
  %more1 = icmp ne i64 %l1, 16
  br i1 %more1, label %loop1, label %loop2
loop2:
  %k2 = phi i64 [ 0, %loop1 ], [ %l2, %loop2 ]
  %t2 = phi i32 [ %s1, %loop1 ], [ %s2, %loop2 ]
  %m2 = add i64 %k2, 16
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 %m2
  %v2 = load i32, ptr addrspace(1) %p2
  %q2 = getelementptr i8, ptr addrspace(1) %p2, i64 4
  %w2 = load i32, ptr addrspace(1) %q2
  %u2 = mul i32 %t2, %v2
  %s2 = add i32 %u2, %w2
  %l2 = add i64 %k2, 2
  %more2 = icmp ne i64 %l2, 16
  br i1 %more2, label %loop2, label %loop3
loop3:
  %k3 = phi i64 [ 0, %loop2 ], [ %l3, %loop3 ]
  %t3 = phi i32 [ %s2, %loop2 ], [ %s3, %loop3 ]
  %m3 = add i64 %k3, 32
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 %m3
  %v3 = load i32, ptr addrspace(1) %p3
  %q3 = getelementptr i8, ptr addrspace(1) %p3, i64 4
  %w3 = load i32, ptr addrspace(1) %q3
  %u3 = mul i32 %t3, %v3
  %s3 = add i32 %u3, %w3
  %l3 = add i64 %k3, 2
  %more3 = icmp ne i64 %l3, 16
  br i1 %more3, label %loop3, label %loop4
loop4:
  %k4 = phi i64 [ 0, %loop3 ], [ %l4, %loop4 ]
  %t4 = phi i32 [ %s3, %loop3 ], [ %s4, %loop4 ]
  %m4 = add i64 %k4, 48
  %p4 = getelementptr i32, ptr addrspace(1) %row, i64 %m4
  %v4 = load i32, ptr addrspace(1) %p4
  %q4 = getelementptr i8, ptr addrspace(1) %p4, i64 4
  %w4 = load i32, ptr addrspace(1) %q4
  %u4 = mul i32 %t4, %v4
  %s4 = add i32 %u4, %w4
  %l4 = add i64 %k4, 2
  %more4 = icmp ne i64 %l4, 16
  br i1 %more4, label %loop4, label %last
last:
  %next = add i64 %i, 1
  %again = icmp ne i64 %next, 20
  br i1 %again, label %outer, label %end
end:
  store i32 %s4, ptr addrspace(1) %out
  ret void
}

; Three take no more registers than they may.
define ptx_kernel void @three(ptr addrspace(1) %x, ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @three(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next, %last ]
  %s0 = phi i32 [ 0, %entry ], [ %s3, %last ]
  %row = getelementptr [80 x i32], ptr addrspace(1) %x, i64 %i
  br label %loop1
loop1:
  %k1 = phi i64 [ 0, %outer ], [ %l1, %loop1 ]
  %t1 = phi i32 [ %s0, %outer ], [ %s1, %loop1 ]
  %m1 = add i64 %k1, 0
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 %m1
  %v1 = load i32, ptr addrspace(1) %p1
  %q1 = getelementptr i8, ptr addrspace(1) %p1, i64 4
  %w1 = load i32, ptr addrspace(1) %q1
  %u1 = mul i32 %t1, %v1
  %s1 = add i32 %u1, %w1
  %l1 = add i64 %k1, 2
  %more1 = icmp ne i64 %l1, 16
  br i1 %more1, label %loop1, label %loop2
loop2:
  %k2 = phi i64 [ 0, %loop1 ], [ %l2, %loop2 ]
  %t2 = phi i32 [ %s1, %loop1 ], [ %s2, %loop2 ]
  %m2 = add i64 %k2, 16
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 %m2
  %v2 = load i32, ptr addrspace(1) %p2
  %q2 = getelementptr i8, ptr addrspace(1) %p2, i64 4
  %w2 = load i32, ptr addrspace(1) %q2
  %u2 = mul i32 %t2, %v2
  %s2 = add i32 %u2, %w2
  %l2 = add i64 %k2, 2
  %more2 = icmp ne i64 %l2, 16
  br i1 %more2, label %loop2, label %loop3
loop3:
  %k3 = phi i64 [ 0, %loop2 ], [ %l3, %loop3 ]
  %t3 = phi i32 [ %s2, %loop2 ], [ %s3, %loop3 ]
  %m3 = add i64 %k3, 32
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 %m3
  %v3 = load i32, ptr addrspace(1) %p3
  %q3 = getelementptr i8, ptr addrspace(1) %p3, i64 4
  %w3 = load i32, ptr addrspace(1) %q3
  %u3 = mul i32 %t3, %v3
  %s3 = add i32 %u3, %w3
  %l3 = add i64 %k3, 2
  %more3 = icmp ne i64 %l3, 16
  br i1 %more3, label %loop3, label %last
last:
  %next = add i64 %i, 1
  %again = icmp ne i64 %next, 20
  br i1 %again, label %outer, label %end
end:
  store i32 %s3, ptr addrspace(1) %out
  ret void
}

; What it is in the next iteration is a constant.
define ptx_kernel void @settled(ptr addrspace(1) %x, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @settled(
; CHECK: call i32 @llvm.nvvm.move.i32(i32 %i)
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %first = phi i32 [ 1, %entry ], [ 0, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  store i32 %first, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end, !llvm.loop !4
end:
  ret void
}

; What is added changes, or nothing is accessed by it.
define ptx_kernel void @notStrided(ptr addrspace(1) %x, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @notStrided(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %counted, %loop ]
  %p = getelementptr inbounds i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %next = add i32 %i, %v
  %counted = add i32 %count, %step
  %more = icmp ult i32 %counted, %n
  br i1 %more, label %loop, label %end, !llvm.loop !5
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"sluice.keeps.index", i32 0}
!2 = distinct !{!2, !1}
!3 = distinct !{!3, !1}
!4 = distinct !{!4, !1}
!5 = distinct !{!5, !1}
