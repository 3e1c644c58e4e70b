; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which conditions are asked together.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s
; RUN: %opt -passes='sluice-plan<gpu=sm_90;test-wrong-rewrite=lost-condition>,sluice-fewer-instructions' -S %s | FileCheck %s --check-prefix=WRONG

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: {{.*}}: 2 conditions are asked with those before them: a load would wait for
; CHECK: remark: {{.*}}: 1 condition is asked with the one before it: a load would wait for
; CHECK-NOT: remark

; Three loads, two conditions of which lead out where they hold.
; CHECK-LABEL: define ptx_kernel void @three(
; CHECK: %z = load i32
; CHECK-NEXT: [[OUT1:%.*]] = icmp slt i32 %x, 0
; CHECK-NEXT: [[ON1:%.*]] = xor i1 [[OUT1]], true
; CHECK-NEXT: %y1 = add i32 %y, 1
; CHECK-NEXT: %on2 = icmp slt i32 %y1, %n
; CHECK-NEXT: [[BOTH:%.*]] = select i1 [[ON1]], i1 %on2, i1 false
; CHECK-NEXT: %out3 = icmp eq i32 %z, 7
; CHECK-NEXT: [[ON3:%.*]] = xor i1 %out3, true
; CHECK-NEXT: [[ALL:%.*]] = select i1 [[BOTH]], i1 [[ON3]], i1 false
; CHECK-NEXT: br i1 [[ALL]], label %on, label %out
; CHECK: on:
; CHECK-NEXT: store i32 %y1
; WRONG-LABEL: define ptx_kernel void @three(
; WRONG: br i1 {{%[0-9]+}}, label %on, label %out
define ptx_kernel void @three(ptr %p, i32 %n) {
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load i32, ptr %p1
  %p2 = getelementptr i32, ptr %p, i64 2
  %z = load i32, ptr %p2
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %y1 = add i32 %y, 1
  %on2 = icmp slt i32 %y1, %n
  br i1 %on2, label %third, label %out
third:
  %out3 = icmp eq i32 %z, 7
  br i1 %out3, label %out, label %on
on:
  store i32 %y1, ptr %p
  br label %out
out:
  ret void
}

; The same value comes from both.
; CHECK-LABEL: define i32 @value(
; CHECK: br i1 {{%[0-9]+}}, label %on, label %out
; CHECK: out:
; CHECK-NEXT: phi i32 [ 5, %0 ], [ %x, %on ]
define i32 @value(ptr %p) {
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load i32, ptr %p1
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %out2 = icmp slt i32 %y, 0
  br i1 %out2, label %out, label %on
on:
  store i32 %y, ptr %p
  br label %out
out:
  %r = phi i32 [ 5, %0 ], [ 5, %second ], [ %x, %on ]
  ret i32 %r
}

; Another value comes from each.
; CHECK-LABEL: define i32 @values(
; CHECK: br i1 %out1, label %out, label %second
define i32 @values(ptr %p) {
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load i32, ptr %p1
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %out2 = icmp slt i32 %y, 0
  br i1 %out2, label %out, label %on
on:
  store i32 %y, ptr %p
  br label %out
out:
  %r = phi i32 [ 5, %0 ], [ 6, %second ], [ %x, %on ]
  ret i32 %r
}

; No load waits: the first condition needs it too, or none is there.
; CHECK-LABEL: define void @needed(
; CHECK: br i1 %out1, label %out, label %second
define void @needed(ptr %p, i32 %n) {
  %x = load i32, ptr %p
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %out2 = icmp sgt i32 %x, %n
  br i1 %out2, label %out, label %on
on:
  store i32 %x, ptr %p
  br label %out
out:
  ret void
}

; The first condition is known at once.
; CHECK-LABEL: define void @known(
; CHECK: br i1 %out1, label %out, label %second
define void @known(ptr %p, i32 %n) {
  %x = load i32, ptr %p
  %out1 = icmp slt i32 %n, 0
  br i1 %out1, label %out, label %second
second:
  %out2 = icmp sgt i32 %x, %n
  br i1 %out2, label %out, label %on
on:
  store i32 %x, ptr %p
  br label %out
out:
  ret void
}

; What the second condition needs beside is a load, a division by what may be zero, or a sum that
; could be fused.
; CHECK-LABEL: define void @loads(
; CHECK: br i1 %out1, label %out, label %second
define void @loads(ptr %p, ptr %q) {
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load i32, ptr %p1
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %at = getelementptr i32, ptr %q, i32 %y
  %z = load i32, ptr %at
  %out2 = icmp slt i32 %z, 0
  br i1 %out2, label %out, label %on
on:
  store i32 %y, ptr %p
  br label %out
out:
  ret void
}
; CHECK-LABEL: define void @divides(
; CHECK: br i1 %out1, label %out, label %second
define void @divides(ptr %p, i32 %n) {
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load i32, ptr %p1
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %out, label %second
second:
  %z = sdiv i32 %n, %y
  %out2 = icmp slt i32 %z, 0
  br i1 %out2, label %out, label %on
on:
  store i32 %y, ptr %p
  br label %out
out:
  ret void
}
; CHECK-LABEL: define void @adds(
; CHECK: br i1 %out1, label %out, label %second
define void @adds(ptr %p, float %n) {
  %x = load float, ptr %p
  %p1 = getelementptr float, ptr %p, i64 1
  %y = load float, ptr %p1
  %out1 = fcmp olt float %x, 0.0
  br i1 %out1, label %out, label %second
second:
  %z = fadd float %y, %n
  %out2 = fcmp olt float %z, 0.0
  br i1 %out2, label %out, label %on
on:
  store float %y, ptr %p
  br label %out
out:
  ret void
}

; The way out is a loop's next iteration.
; CHECK-LABEL: define void @repeats(
; CHECK: br i1 %out1, label %loop, label %second
define void @repeats(ptr %p) {
entry:
  br label %loop
loop:
  %x = load volatile i32, ptr %p
  %p1 = getelementptr i32, ptr %p, i64 1
  %y = load volatile i32, ptr %p1
  %out1 = icmp slt i32 %x, 0
  br i1 %out1, label %loop, label %second
second:
  %out2 = icmp slt i32 %y, 0
  br i1 %out2, label %loop, label %on
on:
  ret void
}
