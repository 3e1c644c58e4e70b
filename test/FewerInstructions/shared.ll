; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which shared arrays are aligned, and what is known of their places then.
;
; RUN: split-file %s %t
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %t/fires.ll 2>&1 | FileCheck %t/fires.ll
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %t/padding.ll 2>&1 | FileCheck %t/padding.ll

;--- fires.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: {{.*}}a shared array begins at a multiple of 16 bytes, so that several elements are read or written at once
; CHECK: remark: {{.*}}a shared array begins at a multiple of 16 bytes, so that several elements are read or written at once
; CHECK-NOT: remark

; CHECK: @dynamic = external addrspace(3) global [0 x double], align 16
; CHECK: @fixed = internal addrspace(3) global [64 x i32] undef, align 16
; CHECK: @single = internal addrspace(3) global [64 x i32] undef, align 4
; CHECK: @far = internal addrspace(3) global [64 x i32] undef, align 4
; CHECK: @uneven = internal addrspace(3) global [64 x i32] undef, align 4
; CHECK: @kept = internal addrspace(3) global [64 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x double], align 8
@fixed = internal addrspace(3) global [64 x i32] undef, align 4
@single = internal addrspace(3) global [64 x i32] undef, align 4
@far = internal addrspace(3) global [64 x i32] undef, align 4
@uneven = internal addrspace(3) global [64 x i32] undef, align 4
@kept = internal addrspace(3) global [64 x i32] undef, align 4

; Rows of two: a pair begins at a multiple of 16 bytes, its second does not.
; CHECK-LABEL: define double @pairs(
; CHECK: load double, ptr addrspace(3) %p, align 16
; CHECK: load double, ptr addrspace(3) %q, align 8
; CHECK: load double, ptr addrspace(3) %any, align 8
; CHECK: load volatile double, ptr addrspace(3) %p, align 8
define double @pairs(i64 %i) {
  %p = getelementptr [2 x double], ptr addrspace(3) @dynamic, i64 %i
  %v = load double, ptr addrspace(3) %p, align 8
  %q = getelementptr i8, ptr addrspace(3) %p, i64 8
  %w = load double, ptr addrspace(3) %q, align 8
  %any = getelementptr double, ptr addrspace(3) @dynamic, i64 %i
  %x = load double, ptr addrspace(3) %any, align 8
  %y = load volatile double, ptr addrspace(3) %p, align 8
  %s = fadd double %v, %w
  %t = fadd double %s, %x
  ret double %t
}

; By generic pointers, and with an index that is a multiple.
; CHECK-LABEL: define internal void @written(
; CHECK: store i32 1, ptr %q, align 16
; CHECK: store i32 2, ptr %r, align 4
define internal void @written(i32 %i) {
  %row = shl i32 %i, 2
  %wide = zext i32 %row to i64
  %q = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @fixed to ptr), i64 %wide
  store i32 1, ptr %q, align 4
  %r = getelementptr i8, ptr %q, i64 4
  store i32 2, ptr %r, align 4
  ret void
}

; No neighbours, not in one block, or at places that begin anywhere.
; CHECK-LABEL: define internal i32 @left(
define internal i32 @left(i64 %i, i1 %c) {
  %p = getelementptr [4 x i32], ptr addrspace(3) @single, i64 %i
  %v = load i32, ptr addrspace(3) %p, align 4
  %f = load i32, ptr addrspace(3) @far, align 4
  %u = getelementptr [5 x i32], ptr addrspace(3) @uneven, i64 %i
  %a = load i32, ptr addrspace(3) %u, align 4
  %u1 = getelementptr i8, ptr addrspace(3) %u, i64 4
  %b = load i32, ptr addrspace(3) %u1, align 4
  br i1 %c, label %more, label %done
more:
  %g = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @far, i64 4), align 4
  %s = add i32 %g, %f
  ret i32 %s
done:
  %t = add i32 %v, %a
  %r = add i32 %t, %b
  ret i32 %r
}

; Not optimised.
; CHECK-LABEL: define internal i32 @kept_from(
define internal i32 @kept_from() noinline optnone {
  %v = load i32, ptr addrspace(3) @kept, align 4
  %w = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @kept, i64 4), align 4
  %r = add i32 %v, %w
  ret i32 %r
}

;--- padding.ll
target triple = "nvptx64-nvidia-cuda"

; With one that is no multiple of 16 bytes there could be padding, which may be
; more than a block takes anyway: with 512 bytes, and with 500 and what the
; launch says. An array whose length it says stands behind all. 500 bytes alone
; have room: a block takes a multiple of 128.
; CHECK: remark
; CHECK: remark
; CHECK-NOT: remark
; CHECK: @flag = internal addrspace(3) global i32 undef, align 4
; CHECK: @more = internal addrspace(3) global [127 x i32] undef, align 4
; CHECK: @before = internal addrspace(3) global [124 x i32] undef, align 4
; CHECK: @room = internal addrspace(3) global [124 x i32] undef, align 16
; CHECK: @linked = internal addrspace(3) global [64 x i32] undef, align 4
; CHECK: @dynamic = external addrspace(3) global [0 x i32], align 16
@flag = internal addrspace(3) global i32 undef, align 4
@more = internal addrspace(3) global [127 x i32] undef, align 4
@before = internal addrspace(3) global [124 x i32] undef, align 4
@room = internal addrspace(3) global [124 x i32] undef, align 4
@linked = internal addrspace(3) global [64 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x i32], align 4

define ptx_kernel void @grows(ptr addrspace(1) %out) {
  %v0 = load i32, ptr addrspace(3) @flag, align 4
  %w0 = add i32 %v0, 1
  %s0 = add i32 %v0, %w0
  %v1 = load i32, ptr addrspace(3) @more, align 4
  %w1 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @more, i64 4), align 4
  %s1 = add i32 %v1, %w1
  %t1 = add i32 %s0, %s1
  store i32 %t1, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @asked(ptr addrspace(1) %out) {
  %v0 = load i32, ptr addrspace(3) @flag, align 4
  %w0 = add i32 %v0, 1
  %s0 = add i32 %v0, %w0
  %v1 = load i32, ptr addrspace(3) @before, align 4
  %w1 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @before, i64 4), align 4
  %s1 = add i32 %v1, %w1
  %t1 = add i32 %s0, %s1
  %v2 = load i32, ptr addrspace(3) @dynamic, align 4
  %w2 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @dynamic, i64 4), align 4
  %s2 = add i32 %v2, %w2
  %t2 = add i32 %t1, %s2
  store i32 %t2, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @fits(ptr addrspace(1) %out) {
  %v0 = load i32, ptr addrspace(3) @flag, align 4
  %w0 = add i32 %v0, 1
  %s0 = add i32 %v0, %w0
  %v1 = load i32, ptr addrspace(3) @room, align 4
  %w1 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @room, i64 4), align 4
  %s1 = add i32 %v1, %w1
  %t1 = add i32 %s0, %s1
  store i32 %t1, ptr addrspace(1) %out
  ret void
}

; Kernels that are linked to it are not known.
define void @called(ptr addrspace(1) %out) {
  %v0 = load i32, ptr addrspace(3) @linked, align 4
  %w0 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @linked, i64 4), align 4
  %s0 = add i32 %v0, %w0
  store i32 %s0, ptr addrspace(1) %out
  ret void
}
