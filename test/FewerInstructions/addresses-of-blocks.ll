; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which addresses of several blocks are computed once, before their conditions.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s --check-prefix=OTHERS

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; In 64 bits nothing wraps around.
define void @three(ptr %a, ptr %o, i32 %x, i32 %n) {
; CHECK-LABEL: define void @three(
; CHECK: entry:
; CHECK: [[X:%.*]] = sext i32 %x to i64
; CHECK: [[F:%.*]] = mul i64 [[X]], 4
; CHECK: [[P:%.*]] = getelementptr i8, ptr %a, i64 [[F]]
; CHECK: one:
; CHECK: [[P1:%.*]] = getelementptr i8, ptr [[P]], i64 -4
; CHECK-NEXT: load i32, ptr [[P1]]
; CHECK: two:
; CHECK: [[P2:%.*]] = getelementptr i8, ptr [[P]], i64 0
; CHECK-NEXT: load i32, ptr [[P2]]
; CHECK: three:
; CHECK: [[P3:%.*]] = getelementptr i8, ptr [[P]], i64 4
; CHECK-NEXT: load i32, ptr [[P3]]
entry:
  %x1 = add nsw i32 %x, -1
  %c1 = icmp ult i32 %x1, %n
  br i1 %c1, label %one, label %next
one:
  %i1 = zext nneg i32 %x1 to i64
  %p1 = getelementptr inbounds i32, ptr %a, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %c2 = icmp ult i32 %x, %n
  br i1 %c2, label %two, label %then
two:
  %i2 = zext nneg i32 %x to i64
  %p2 = getelementptr inbounds i32, ptr %a, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %then
then:
  %x3 = add nsw i32 %x, 1
  %c3 = icmp ult i32 %x3, %n
  br i1 %c3, label %three, label %out
three:
  %i3 = zext nneg i32 %x3 to i64
  %p3 = getelementptr inbounds i32, ptr %a, i64 %i3
  %v3 = load i32, ptr %p3
  store volatile i32 %v3, ptr %o
  br label %out
out:
  ret void
}

; %s = %x + k may wrap around, %s + %y is not negative and k is not: it is
; %x + %y, with its sign extended, and k.
define void @sums(ptr %a, ptr %o, i32 %x, i32 %y, i32 %n) {
; CHECK-LABEL: define void @sums(
; CHECK: entry:
; CHECK: [[S:%.*]] = add i32 {{%[xy]}}, {{%[xy]}}
; CHECK: [[L:%.*]] = sext i32 [[S]] to i64
; CHECK: [[F:%.*]] = mul i64 [[L]], 4
; CHECK: [[O:%.*]] = add i64 {{.*}}[[F]]
; CHECK: [[P:%.*]] = getelementptr i8, ptr %a, i64
; CHECK: one:
; CHECK: getelementptr i8, ptr [[P]], i64 4
; CHECK: two:
; CHECK: getelementptr i8, ptr [[P]], i64 8
; CHECK: three:
; CHECK: getelementptr i8, ptr [[P]], i64 12
entry:
  %s1 = add i32 %x, 1
  %t1 = add nsw i32 %s1, %y
  %c1 = icmp ult i32 %t1, %n
  br i1 %c1, label %one, label %next
one:
  %i1 = zext nneg i32 %t1 to i64
  %p1 = getelementptr inbounds i32, ptr %a, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %s2 = add i32 %x, 2
  %t2 = add nsw i32 %s2, %y
  %c2 = icmp ult i32 %t2, %n
  br i1 %c2, label %two, label %then
two:
  %i2 = zext nneg i32 %t2 to i64
  %p2 = getelementptr inbounds i32, ptr %a, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %then
then:
  %s3 = add i32 %x, 3
  %t3 = add nsw i32 %s3, %y
  %c3 = icmp ult i32 %t3, %n
  br i1 %c3, label %three, label %out
three:
  %i3 = zext nneg i32 %t3 to i64
  %p3 = getelementptr inbounds i32, ptr %a, i64 %i3
  %v3 = load i32, ptr %p3
  store volatile i32 %v3, ptr %o
  br label %out
out:
  ret void
}

; The constant is negative: below it the sum may have wrapped around.
define void @negative(ptr %a, ptr %o, i32 %x, i32 %y, i32 %n) {
; OTHERS-LABEL: define void @negative(
; OTHERS-NOT: getelementptr i8
; OTHERS: ret void
entry:
  %s1 = add i32 %x, -1
  %t1 = add i32 %s1, %y
  %c1 = icmp ult i32 %t1, %n
  br i1 %c1, label %one, label %next
one:
  %i1 = zext nneg i32 %t1 to i64
  %p1 = getelementptr inbounds i32, ptr %a, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %s2 = add i32 %x, -2
  %t2 = add i32 %s2, %y
  %c2 = icmp ult i32 %t2, %n
  br i1 %c2, label %two, label %then
two:
  %i2 = zext nneg i32 %t2 to i64
  %p2 = getelementptr inbounds i32, ptr %a, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %then
then:
  %s3 = add i32 %x, -3
  %t3 = add i32 %s3, %y
  %c3 = icmp ult i32 %t3, %n
  br i1 %c3, label %three, label %out
three:
  %i3 = zext nneg i32 %t3 to i64
  %p3 = getelementptr inbounds i32, ptr %a, i64 %i3
  %v3 = load i32, ptr %p3
  store volatile i32 %v3, ptr %o
  br label %out
out:
  ret void
}

; Two blocks are too few.
define void @two(ptr %a, ptr %o, i32 %x, i32 %n) {
; OTHERS-LABEL: define void @two(
; OTHERS-NOT: getelementptr i8
; OTHERS: ret void
entry:
  %x1 = add nsw i32 %x, -1
  %c1 = icmp ult i32 %x1, %n
  br i1 %c1, label %one, label %next
one:
  %i1 = zext nneg i32 %x1 to i64
  %p1 = getelementptr inbounds i32, ptr %a, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %c2 = icmp ult i32 %x, %n
  br i1 %c2, label %two, label %out
two:
  %i2 = zext nneg i32 %x to i64
  %p2 = getelementptr inbounds i32, ptr %a, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %out
out:
  ret void
}

; The pointer is not known before the conditions.
define void @late(ptr %q, ptr %o, i32 %x, i32 %n) {
; OTHERS-LABEL: define void @late(
; OTHERS-NOT: getelementptr i8
; OTHERS: ret void
entry:
  %x1 = add nsw i32 %x, -1
  %c1 = icmp ult i32 %x1, %n
  br i1 %c1, label %one, label %next
one:
  %a1 = load ptr, ptr %q
  %i1 = zext nneg i32 %x1 to i64
  %p1 = getelementptr inbounds i32, ptr %a1, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %c2 = icmp ult i32 %x, %n
  br i1 %c2, label %two, label %then
two:
  %a2 = load ptr, ptr %q
  %i2 = zext nneg i32 %x to i64
  %p2 = getelementptr inbounds i32, ptr %a2, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %then
then:
  %x3 = add nsw i32 %x, 1
  %c3 = icmp ult i32 %x3, %n
  br i1 %c3, label %three, label %out
three:
  %a3 = load ptr, ptr %q
  %i3 = zext nneg i32 %x3 to i64
  %p3 = getelementptr inbounds i32, ptr %a3, i64 %i3
  %v3 = load i32, ptr %p3
  store volatile i32 %v3, ptr %o
  br label %out
out:
  ret void
}

; A sum that is poison where it overflows is not that of a block in which it
; does not: they are no one term.
define void @poison(ptr %a, ptr %o, i32 %x, i32 %y, i32 %n) {
; OTHERS-LABEL: define void @poison(
; OTHERS-NOT: getelementptr i8
; OTHERS: ret void
entry:
  %q = mul nsw i32 %x, %y
  %r = mul i32 %x, %y
  %x1 = add nsw i32 %q, 1
  %c1 = icmp ult i32 %x1, %n
  br i1 %c1, label %one, label %next
one:
  %i1 = zext nneg i32 %x1 to i64
  %p1 = getelementptr inbounds i32, ptr %a, i64 %i1
  %v1 = load i32, ptr %p1
  store volatile i32 %v1, ptr %o
  br label %next
next:
  %x2 = add nsw i32 %r, 2
  %c2 = icmp ult i32 %x2, %n
  br i1 %c2, label %two, label %then
two:
  %i2 = zext nneg i32 %x2 to i64
  %p2 = getelementptr inbounds i32, ptr %a, i64 %i2
  %v2 = load i32, ptr %p2
  store volatile i32 %v2, ptr %o
  br label %then
then:
  %x3 = add nsw i32 %r, 3
  %c3 = icmp ult i32 %x3, %n
  br i1 %c3, label %three, label %out
three:
  %i3 = zext nneg i32 %x3 to i64
  %p3 = getelementptr inbounds i32, ptr %a, i64 %i3
  %v3 = load i32, ptr %p3
  store volatile i32 %v3, ptr %o
  br label %out
out:
  ret void
}

; What is multiplied by zero is in no sum modulo 2^32.
define void @zero(ptr %a, ptr %o, i32 %x, i32 %y, i32 %n) {
; OTHERS-LABEL: define void @zero(
; OTHERS: entry:
; OTHERS: [[S:%.*]] = add i32 {{%[ny]}}, {{%[ny]}}
; OTHERS-NEXT: [[L:%.*]] = sext i32 [[S]] to i64
; OTHERS-NEXT: mul i64 [[L]], 4
; OTHERS: one:
entry:
  %xs = sext i32 %x to i64
  %z = mul i64 %xs, 0
  br label %zeroth
zeroth:
  %u0 = add i32 %y, 1
  %y0 = add i32 %u0, %n
  %c0 = icmp sgt i32 %y0, 5
  br i1 %c0, label %one, label %next
one:
  %s0 = sext i32 %y0 to i64
  %t0 = add i64 %z, %s0
  %p0 = getelementptr i32, ptr %a, i64 %t0
  store i32 1, ptr %p0
  br label %next
next:
  %u1 = add i32 %y, 2
  %y1 = add i32 %u1, %n
  %c1 = icmp sgt i32 %y1, 5
  br i1 %c1, label %two, label %then
two:
  %s1 = sext i32 %y1 to i64
  %t1 = add i64 %z, %s1
  %p1 = getelementptr i32, ptr %a, i64 %t1
  store i32 2, ptr %p1
  br label %then
then:
  %u2 = add i32 %y, 3
  %y2 = add i32 %u2, %n
  %c2 = icmp sgt i32 %y2, 5
  br i1 %c2, label %three, label %out
three:
  %s2 = sext i32 %y2 to i64
  %t2 = add i64 %z, %s2
  %p2 = getelementptr i32, ptr %a, i64 %t2
  store i32 3, ptr %p2
  br label %out
out:
  ret void
}
