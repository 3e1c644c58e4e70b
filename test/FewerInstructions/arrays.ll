; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which arrays are aligned, and what is known of their places then.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 1 array is aligned so that several elements are set or read at once
; CHECK: remark: <unknown>:0:0: 2 arrays are aligned so that several elements are set or read at once
; CHECK: remark: <unknown>:0:0: 1 array is aligned so that several elements are set or read at once
; CHECK-NOT: remark

declare void @other(ptr)

; Set in one piece, and given away.
define i8 @counts(i64 %i) {
; CHECK-LABEL: define i8 @counts(
; CHECK: alloca [16 x i8], align 16
; CHECK: call void @llvm.memset.p0.i64(ptr align 16 %a, i8 0, i64 16, i1 false)
; CHECK: %v = load i8, ptr %p, align 1
; CHECK: %w = load i8, ptr %q, align 4
  %a = alloca [16 x i8], align 1
  call void @llvm.memset.p0.i64(ptr align 1 %a, i8 0, i64 16, i1 false)
  call void @other(ptr %a)
  %p = getelementptr i8, ptr %a, i64 %i
  %v = load i8, ptr %p
  %q = getelementptr i8, ptr %a, i64 4
  %w = load i8, ptr %q
  %r = add i8 %v, %w
  ret i8 %r
}

; Read element by element, and copied from one to the other. No more is aligned
; than the array has bytes, rounded down.
define i8 @neighbours(ptr %from) {
; CHECK-LABEL: define i8 @neighbours(
; CHECK: alloca [7 x i8], align 4
; CHECK: alloca [32 x i16], align 16
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 2 %q, i64 4, i1 false)
; CHECK: load i8, ptr %a, align 4
; CHECK: load i8, ptr %p, align 1
; CHECK: store i16 0, ptr %b, align 16
; CHECK: store i16 1, ptr %s, align 2
; CHECK: load volatile i16, ptr %b, align 2
  %a = alloca [7 x i8], align 1
  %b = alloca [32 x i16], align 2
  %q = getelementptr i8, ptr %b, i64 6
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr align 2 %q, i64 4, i1 false)
  %v = load i8, ptr %a
  %p = getelementptr i8, ptr %a, i64 1
  %w = load i8, ptr %p
  store i16 0, ptr %b, align 2
  %s = getelementptr i8, ptr %b, i64 2
  store i16 1, ptr %s, align 2
  %x = load volatile i16, ptr %b, align 2
  %r = add i8 %v, %w
  ret i8 %r
}

; Of constant length, a part of it is set from its third byte on.
define void @part(i64 %n) {
; CHECK-LABEL: define void @part(
; CHECK: alloca [64 x i8], align 16
; CHECK: call void @llvm.memset.p0.i64(ptr align 2 %p, i8 0, i64 8, i1 false)
  %a = alloca [64 x i8], align 1
  %p = getelementptr i8, ptr %a, i64 2
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 false)
  call void @other(ptr %a)
  ret void
}

; One element is accessed at a time, at places that only run time can tell, or
; that are no neighbours; or of a length that it tells.
define i8 @single(i64 %i, i64 %n) {
; CHECK-LABEL: define i8 @single(
; CHECK: alloca [16 x i8], align 1
; CHECK: alloca i8, i64 %n, align 1
; CHECK: call void @llvm.memset.p0.i64(ptr align 1 %a,
  %a = alloca [16 x i8], align 1
  %b = alloca i8, i64 %n, align 1
  call void @llvm.memset.p0.i64(ptr align 1 %a, i8 0, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr align 1 %b, i8 0, i64 16, i1 false)
  %p = getelementptr i8, ptr %a, i64 %i
  %v = load i8, ptr %p
  %q = getelementptr i8, ptr %a, i64 4
  %w = load i8, ptr %q
  %s = getelementptr i8, ptr %a, i64 6
  %x = load i8, ptr %s
  %r = add i8 %v, %w
  %t = add i8 %r, %x
  ret i8 %t
}

; Its stack would be larger.
define void @padded() {
; CHECK-LABEL: define void @padded(
; CHECK: alloca [5 x i64], align 8
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 %a
  %a = alloca [5 x i64], align 8
  call void @llvm.memset.p0.i64(ptr align 8 %a, i8 0, i64 40, i1 false)
  call void @other(ptr %a)
  ret void
}

; Aligned already.
define void @aligned() {
; CHECK-LABEL: define void @aligned(
; CHECK: alloca [16 x i8], align 32
  %a = alloca [16 x i8], align 32
  call void @llvm.memset.p0.i64(ptr align 1 %a, i8 0, i64 16, i1 false)
  call void @other(ptr %a)
  ret void
}
