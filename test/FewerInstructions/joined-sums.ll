; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Sums that two ways compute, and that a register would hold behind both, are
; computed where they are used.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 8 sums are computed where they are used: registers would hold them from where two ways meet
; CHECK: remark: <unknown>:0:0: 16 sums are computed
; CHECK-NOT: remark: {{.*}} sums

; What is poison on one way only is poison on none.
define void @eight(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @eight(
; CHECK: both:
; CHECK-NEXT: [[X:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %x)
; CHECK-NEXT: br i1
; CHECK: use:
; CHECK-DAG: add nuw i32 [[X]], 384
; CHECK-DAG: add nuw i32 [[X]], 3072
; CHECK: out:
entry:
  br i1 %c, label %full, label %part
full:
  %f0 = add nuw nsw i32 %x, 384
  store volatile i32 %f0, ptr %o
  %f1 = add nuw nsw i32 %x, 768
  store volatile i32 %f1, ptr %o
  %f2 = add nuw nsw i32 %x, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add nuw nsw i32 %x, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add nuw nsw i32 %x, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add nuw nsw i32 %x, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add nuw nsw i32 %x, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add nuw nsw i32 %x, 3072
  store volatile i32 %f7, ptr %o
  br label %both
part:
  %p0 = add nuw i32 %x, 384
  store volatile i32 %p0, ptr %o
  %p1 = add nuw i32 %x, 768
  store volatile i32 %p1, ptr %o
  %p2 = add nuw i32 %x, 1152
  store volatile i32 %p2, ptr %o
  %p3 = add nuw i32 %x, 1536
  store volatile i32 %p3, ptr %o
  %p4 = add nuw i32 %x, 1920
  store volatile i32 %p4, ptr %o
  %p5 = add nuw i32 %x, 2304
  store volatile i32 %p5, ptr %o
  %p6 = add nuw i32 %x, 2688
  store volatile i32 %p6, ptr %o
  %p7 = add nuw i32 %x, 3072
  store volatile i32 %p7, ptr %o
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  %j7 = phi i32 [ %f7, %full ], [ %p7, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  store volatile i32 %j7, ptr %o
  br label %out
out:
  ret void
}

; Also made longer.
define void @longer(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @longer(
; CHECK: both:
; CHECK-NEXT: [[X:%.*]] = call i32 @llvm.nvvm.move.i32(i32 %x)
; CHECK-NEXT: br i1
; CHECK: use:
; CHECK-DAG: [[S:%.*]] = add i32 [[X]], 384
; CHECK-DAG: zext i32 [[S]] to i64
; CHECK: out:
entry:
  br i1 %c, label %full, label %part
full:
  %f0 = add i32 %x, 384
  store volatile i32 %f0, ptr %o
  %f1 = add i32 %x, 768
  store volatile i32 %f1, ptr %o
  %f2 = add i32 %x, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add i32 %x, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add i32 %x, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add i32 %x, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add i32 %x, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add i32 %x, 3072
  store volatile i32 %f7, ptr %o
  %z0 = zext nneg i32 %f0 to i64
  %z1 = zext nneg i32 %f1 to i64
  %z2 = zext nneg i32 %f2 to i64
  %z3 = zext nneg i32 %f3 to i64
  %z4 = zext nneg i32 %f4 to i64
  %z5 = zext nneg i32 %f5 to i64
  %z6 = zext nneg i32 %f6 to i64
  %z7 = zext nneg i32 %f7 to i64
  br label %both
part:
  %p0 = add nuw nsw i32 %x, 384
  store volatile i32 %p0, ptr %o
  %p1 = add nuw nsw i32 %x, 768
  store volatile i32 %p1, ptr %o
  %p2 = add nuw nsw i32 %x, 1152
  store volatile i32 %p2, ptr %o
  %p3 = add nuw nsw i32 %x, 1536
  store volatile i32 %p3, ptr %o
  %p4 = add nuw nsw i32 %x, 1920
  store volatile i32 %p4, ptr %o
  %p5 = add nuw nsw i32 %x, 2304
  store volatile i32 %p5, ptr %o
  %p6 = add nuw nsw i32 %x, 2688
  store volatile i32 %p6, ptr %o
  %p7 = add nuw nsw i32 %x, 3072
  store volatile i32 %p7, ptr %o
  %w0 = zext i32 %p0 to i64
  %w1 = zext i32 %p1 to i64
  %w2 = zext i32 %p2 to i64
  %w3 = zext i32 %p3 to i64
  %w4 = zext i32 %p4 to i64
  %w5 = zext i32 %p5 to i64
  %w6 = zext i32 %p6 to i64
  %w7 = zext i32 %p7 to i64
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  %j7 = phi i32 [ %f7, %full ], [ %p7, %part ]
  %l0 = phi i64 [ %z0, %full ], [ %w0, %part ]
  %l1 = phi i64 [ %z1, %full ], [ %w1, %part ]
  %l2 = phi i64 [ %z2, %full ], [ %w2, %part ]
  %l3 = phi i64 [ %z3, %full ], [ %w3, %part ]
  %l4 = phi i64 [ %z4, %full ], [ %w4, %part ]
  %l5 = phi i64 [ %z5, %full ], [ %w5, %part ]
  %l6 = phi i64 [ %z6, %full ], [ %w6, %part ]
  %l7 = phi i64 [ %z7, %full ], [ %w7, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  store volatile i32 %j7, ptr %o
  store volatile i64 %l0, ptr %o
  store volatile i64 %l1, ptr %o
  store volatile i64 %l2, ptr %o
  store volatile i64 %l3, ptr %o
  store volatile i64 %l4, ptr %o
  store volatile i64 %l5, ptr %o
  store volatile i64 %l6, ptr %o
  store volatile i64 %l7, ptr %o
  br label %out
out:
  ret void
}

; Too few.
define void @seven(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @seven(
; CHECK: both:
; CHECK-NEXT: phi i32
entry:
  br i1 %c, label %full, label %part
full:
  %f0 = add nuw nsw i32 %x, 384
  store volatile i32 %f0, ptr %o
  %f1 = add nuw nsw i32 %x, 768
  store volatile i32 %f1, ptr %o
  %f2 = add nuw nsw i32 %x, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add nuw nsw i32 %x, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add nuw nsw i32 %x, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add nuw nsw i32 %x, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add nuw nsw i32 %x, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add nuw nsw i32 %x, 3072
  store volatile i32 %f7, ptr %o
  br label %both
part:
  %p0 = add nuw nsw i32 %x, 384
  store volatile i32 %p0, ptr %o
  %p1 = add nuw nsw i32 %x, 768
  store volatile i32 %p1, ptr %o
  %p2 = add nuw nsw i32 %x, 1152
  store volatile i32 %p2, ptr %o
  %p3 = add nuw nsw i32 %x, 1536
  store volatile i32 %p3, ptr %o
  %p4 = add nuw nsw i32 %x, 1920
  store volatile i32 %p4, ptr %o
  %p5 = add nuw nsw i32 %x, 2304
  store volatile i32 %p5, ptr %o
  %p6 = add nuw nsw i32 %x, 2688
  store volatile i32 %p6, ptr %o
  %p7 = add nuw nsw i32 %x, 3072
  store volatile i32 %p7, ptr %o
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  br label %out
out:
  ret void
}

; Of another number.
define void @others(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @others(
; CHECK: both:
; CHECK-NEXT: phi i32
entry:
  br i1 %c, label %full, label %part
full:
  %f0 = add nuw nsw i32 %x, 384
  store volatile i32 %f0, ptr %o
  %f1 = add nuw nsw i32 %x, 768
  store volatile i32 %f1, ptr %o
  %f2 = add nuw nsw i32 %x, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add nuw nsw i32 %x, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add nuw nsw i32 %x, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add nuw nsw i32 %x, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add nuw nsw i32 %x, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add nuw nsw i32 %x, 3072
  store volatile i32 %f7, ptr %o
  br label %both
part:
  %p0 = add nuw nsw i32 %y, 384
  store volatile i32 %p0, ptr %o
  %p1 = add nuw nsw i32 %y, 768
  store volatile i32 %p1, ptr %o
  %p2 = add nuw nsw i32 %y, 1152
  store volatile i32 %p2, ptr %o
  %p3 = add nuw nsw i32 %y, 1536
  store volatile i32 %p3, ptr %o
  %p4 = add nuw nsw i32 %y, 1920
  store volatile i32 %p4, ptr %o
  %p5 = add nuw nsw i32 %y, 2304
  store volatile i32 %p5, ptr %o
  %p6 = add nuw nsw i32 %y, 2688
  store volatile i32 %p6, ptr %o
  %p7 = add nuw nsw i32 %y, 3072
  store volatile i32 %p7, ptr %o
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  %j7 = phi i32 [ %f7, %full ], [ %p7, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  store volatile i32 %j7, ptr %o
  br label %out
out:
  ret void
}

; Other constants.
define void @constants(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @constants(
; CHECK: both:
; CHECK-NEXT: phi i32
entry:
  br i1 %c, label %full, label %part
full:
  %f0 = add nuw nsw i32 %x, 384
  store volatile i32 %f0, ptr %o
  %f1 = add nuw nsw i32 %x, 768
  store volatile i32 %f1, ptr %o
  %f2 = add nuw nsw i32 %x, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add nuw nsw i32 %x, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add nuw nsw i32 %x, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add nuw nsw i32 %x, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add nuw nsw i32 %x, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add nuw nsw i32 %x, 3072
  store volatile i32 %f7, ptr %o
  br label %both
part:
  %p0 = add nuw nsw i32 %x, 385
  store volatile i32 %p0, ptr %o
  %p1 = add nuw nsw i32 %x, 769
  store volatile i32 %p1, ptr %o
  %p2 = add nuw nsw i32 %x, 1153
  store volatile i32 %p2, ptr %o
  %p3 = add nuw nsw i32 %x, 1537
  store volatile i32 %p3, ptr %o
  %p4 = add nuw nsw i32 %x, 1921
  store volatile i32 %p4, ptr %o
  %p5 = add nuw nsw i32 %x, 2305
  store volatile i32 %p5, ptr %o
  %p6 = add nuw nsw i32 %x, 2689
  store volatile i32 %p6, ptr %o
  %p7 = add nuw nsw i32 %x, 3073
  store volatile i32 %p7, ptr %o
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  %j7 = phi i32 [ %f7, %full ], [ %p7, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  store volatile i32 %j7, ptr %o
  br label %out
out:
  ret void
}

; Each way has a number of its own.
define void @late(ptr %o, i32 %x, i32 %y, i1 %c) {
; CHECK-LABEL: define void @late(
; CHECK: both:
; CHECK-NEXT: phi i32
entry:
  br i1 %c, label %full, label %part
full:
  %n = load volatile i32, ptr %o
  %f0 = add nuw nsw i32 %n, 384
  store volatile i32 %f0, ptr %o
  %f1 = add nuw nsw i32 %n, 768
  store volatile i32 %f1, ptr %o
  %f2 = add nuw nsw i32 %n, 1152
  store volatile i32 %f2, ptr %o
  %f3 = add nuw nsw i32 %n, 1536
  store volatile i32 %f3, ptr %o
  %f4 = add nuw nsw i32 %n, 1920
  store volatile i32 %f4, ptr %o
  %f5 = add nuw nsw i32 %n, 2304
  store volatile i32 %f5, ptr %o
  %f6 = add nuw nsw i32 %n, 2688
  store volatile i32 %f6, ptr %o
  %f7 = add nuw nsw i32 %n, 3072
  store volatile i32 %f7, ptr %o
  br label %both
part:
  %m = load volatile i32, ptr %o
  %p0 = add nuw nsw i32 %m, 384
  store volatile i32 %p0, ptr %o
  %p1 = add nuw nsw i32 %m, 768
  store volatile i32 %p1, ptr %o
  %p2 = add nuw nsw i32 %m, 1152
  store volatile i32 %p2, ptr %o
  %p3 = add nuw nsw i32 %m, 1536
  store volatile i32 %p3, ptr %o
  %p4 = add nuw nsw i32 %m, 1920
  store volatile i32 %p4, ptr %o
  %p5 = add nuw nsw i32 %m, 2304
  store volatile i32 %p5, ptr %o
  %p6 = add nuw nsw i32 %m, 2688
  store volatile i32 %p6, ptr %o
  %p7 = add nuw nsw i32 %m, 3072
  store volatile i32 %p7, ptr %o
  br label %both
both:
  %j0 = phi i32 [ %f0, %full ], [ %p0, %part ]
  %j1 = phi i32 [ %f1, %full ], [ %p1, %part ]
  %j2 = phi i32 [ %f2, %full ], [ %p2, %part ]
  %j3 = phi i32 [ %f3, %full ], [ %p3, %part ]
  %j4 = phi i32 [ %f4, %full ], [ %p4, %part ]
  %j5 = phi i32 [ %f5, %full ], [ %p5, %part ]
  %j6 = phi i32 [ %f6, %full ], [ %p6, %part ]
  %j7 = phi i32 [ %f7, %full ], [ %p7, %part ]
  br i1 %c, label %use, label %out
use:
  store volatile i32 %j0, ptr %o
  store volatile i32 %j1, ptr %o
  store volatile i32 %j2, ptr %o
  store volatile i32 %j3, ptr %o
  store volatile i32 %j4, ptr %o
  store volatile i32 %j5, ptr %o
  store volatile i32 %j6, ptr %o
  store volatile i32 %j7, ptr %o
  br label %out
out:
  ret void
}
