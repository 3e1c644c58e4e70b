; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What is a copy of a struct, with opt: not what is long, volatile, of unknown
; length, in local memory, or of too many parts; and what is one of a parameter.
;
; RUN: %opt -S -passes=sluice-copies %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)

; CHECK-LABEL: @words(
; CHECK: load i32, ptr %{{.*}}, align 4
; CHECK-NOT: memcpy
; CHECK: ret void
define void @words(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 false)
  ret void
}

; The lesser of two alignments, and a tail.
; CHECK-LABEL: @tail(
; CHECK: load i64, ptr %{{.*}}, align 16
; CHECK: load i64, ptr %{{.*}}, align 8
; CHECK: load i32, ptr %{{.*}}, align 16
; CHECK: load i16, ptr %{{.*}}, align 4
; CHECK: store i64
; CHECK: store i64
; CHECK: store i32
; CHECK: store i16
define void @tail(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 16 %from, i64 22, i1 false)
  ret void
}

; CHECK-LABEL: @left(
; CHECK-COUNT-5: call void @llvm.memcpy
; CHECK: ret void
define void @left(ptr %to, ptr %from, i64 %n) {
  %own = alloca [12 x i8], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 128, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 12, i1 true)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %own, ptr align 4 %from, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %to, ptr align 1 %from, i64 24, i1 false)
  ret void
}

; A kernel's parameter, by 16 bytes at a time, and a tail.
; CHECK-LABEL: @parameter(
; CHECK: load <4 x i32>, ptr %{{.*}}, align 16
; CHECK: load i64, ptr %{{.*}}, align 16
; CHECK: store <4 x i32>
; CHECK: store i64
; CHECK: ret void
define ptx_kernel void @parameter(ptr %to, ptr byval([24 x i8]) align 16 %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 24, i1 false)
  ret void
}

; LLVM's own accesses are as wide; and to it is written in local memory.
; CHECK-LABEL: @narrow_parameter(
; CHECK-COUNT-4: call void @llvm.memcpy
; CHECK: ret void
define ptx_kernel void @narrow_parameter(ptr %to, ptr byval([24 x i8]) align 16 %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 16 %from, i64 24, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 8 %from, i64 24, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %from, ptr align 16 %to, i64 24, i1 false)
  ret void
}

; A function's is in local memory.
; CHECK-LABEL: @function(
; CHECK: call void @llvm.memcpy
define void @function(ptr %to, ptr byval([24 x i8]) align 16 %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 24, i1 false)
  ret void
}
