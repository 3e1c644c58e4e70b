; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which addresses become constant offsets from others of their block.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 3 addresses are constant offsets from others, of their blocks or of several
; CHECK-NOT: remark: {{.*}} addresses

; A sum that LLVM has made `or` of, an extension that it has made unsigned, and
; an addition of which the conditions show that it does not wrap around.
define float @stencil(ptr %a, i32 %x, i32 %y) {
; CHECK-LABEL: define float @stencil(
; CHECK: [[P:%.*]] = getelementptr inbounds float, ptr %a, i64 %i0
; CHECK-NEXT: load float, ptr [[P]]
; CHECK: [[Q:%.*]] = getelementptr i8, ptr [[P]], i64 4
; CHECK-NEXT: load float, ptr [[Q]]
; CHECK: [[R:%.*]] = getelementptr i8, ptr [[P]], i64 32772
; CHECK-NEXT: load float, ptr [[R]]
; CHECK: [[S:%.*]] = getelementptr i8, ptr [[P]], i64 -4
; CHECK-NEXT: store float {{.*}}, ptr [[S]]
entry:
  %xm = add i32 %x, -1
  %in = icmp ult i32 %xm, 8000
  br i1 %in, label %inner, label %out
inner:
  %row = shl nuw nsw i32 %y, 13
  %above = add nsw i32 %row, -8192
  %s0 = or disjoint i32 %above, %xm
  %i0 = zext nneg i32 %s0 to i64
  %p0 = getelementptr inbounds float, ptr %a, i64 %i0
  %v0 = load float, ptr %p0
  %s1 = or disjoint i32 %above, %x
  %i1 = zext nneg i32 %s1 to i64
  %p1 = getelementptr inbounds float, ptr %a, i64 %i1
  %v1 = load float, ptr %p1
  %s2 = add nsw i32 %row, %x
  %i2 = sext i32 %s2 to i64
  %p2 = getelementptr inbounds float, ptr %a, i64 %i2
  %v2 = load float, ptr %p2
  %t1 = fadd float %v0, %v1
  %t2 = fadd float %t1, %v2
  %xl = add nsw i32 %xm, -1
  %s3 = add nsw i32 %above, %xl
  %i3 = sext i32 %s3 to i64
  %p3 = getelementptr inbounds float, ptr %a, i64 %i3
  store float %t2, ptr %p3
  br label %out
out:
  ret float 0.0
}

; It may wrap around; the extension may be of a negative number; the factors
; differ; the offset is too large for an instruction; LLVM sees it by itself.
define float @others(ptr %a, i32 %x, i64 %z) {
; CHECK-LABEL: define float @others(
; CHECK-NOT: getelementptr i8
; CHECK: ret
  %i0 = sext i32 %x to i64
  %p0 = getelementptr float, ptr %a, i64 %i0
  %v0 = load float, ptr %p0
  %x1 = add i32 %x, 1
  %i1 = sext i32 %x1 to i64
  %p1 = getelementptr float, ptr %a, i64 %i1
  %v1 = load float, ptr %p1
  %x2 = add nsw i32 %x, 1
  %i2 = zext i32 %x2 to i64
  %p2 = getelementptr float, ptr %a, i64 %i2
  %v2 = load float, ptr %p2
  %p3 = getelementptr double, ptr %a, i64 %i0
  %v3 = load float, ptr %p3
  %z4 = add i64 %i0, 8388608
  %p4 = getelementptr float, ptr %a, i64 %z4
  %v4 = load float, ptr %p4
  %p5 = getelementptr float, ptr %p0, i64 1
  %v5 = load float, ptr %p5
  %t1 = fadd float %v0, %v1
  %t2 = fadd float %t1, %v2
  %t3 = fadd float %t2, %v3
  %t4 = fadd float %t3, %v4
  %t5 = fadd float %t4, %v5
  ret float %t5
}

; In a loop scalar evolution sees it.
define float @loop(ptr %a, i32 %n, i64 %m) {
; CHECK-LABEL: define float @loop(
; CHECK-NOT: getelementptr i8
; CHECK: ret
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s2, %loop ]
  %p = getelementptr float, ptr %a, i64 %i
  %v = load float, ptr %p
  %j = add nuw nsw i64 %i, 7
  %q = getelementptr float, ptr %a, i64 %j
  %w = load float, ptr %q
  %s1 = fadd float %s, %v
  %s2 = fadd float %s1, %w
  %i1 = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %i1, %m
  br i1 %c, label %loop, label %end
end:
  ret float %s2
}
