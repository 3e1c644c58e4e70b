; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Marked loops keep their index, so that llc makes no pointers of it, also where
; the step is known when they run only, and is added several times.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s -o %t.ll 2>%t.remarks
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %llc -mcpu=sm_90 %t.ll -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; REMARK-COUNT-5: remark: <unknown>:0:0: 1 loop keeps its index, and has no pointers that are moved on
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

; Not marked: nothing else says that it pays.
define ptx_kernel void @stridedUnmarked(ptr addrspace(1) %x, i32 %n, i32 %step) {
; CHECK-LABEL: define ptx_kernel void @stridedUnmarked(
; CHECK-NOT: nvvm.move
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr addrspace(1) %x, i32 %i
  store float 1.0, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
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
