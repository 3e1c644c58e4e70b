; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Every type and width, with the registers that the plain load has. Loads that
; are split or joined on the way keep their hints.
;
; RUN: sed 's/, !mem.cache_hint !0//' %s | llc -mcpu=sm_90 -mattr=+ptx88 -o %t.plain
; RUN: %llc -mcpu=sm_90 -mattr=+ptx88 %s -o %t.hinted
; RUN: FileCheck %s < %t.hinted
; RUN: grep -v 'inline asm' %t.hinted | sed 's/\.L1::evict_last//' | diff %t.plain -
; RUN: sed 's/, !mem.cache_hint !0//' %s | llc -mcpu=sm_100 -mattr=+ptx88 -o %t.plain
; RUN: %llc -mcpu=sm_100 -mattr=+ptx88 %s -o %t.hinted
; RUN: FileCheck %s --check-prefix=SM100 < %t.hinted
; RUN: grep -v 'inline asm' %t.hinted | sed 's/\.L1::evict_last//' | diff %t.plain -

target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) global [64 x i32] zeroinitializer

define ptx_kernel void @integers(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry integers(
; CHECK: ld.global.L1::evict_last.b8 {{.*}}, [%rd{{[0-9]+}}];
; CHECK: ld.global.L1::evict_last.b8 {{.*}}, [%rd{{[0-9]+}}+1];
; CHECK: ld.global.L1::evict_last.s8 {{.*}}, [%rd{{[0-9]+}}+2];
; CHECK: ld.global.L1::evict_last.b16 {{.*}}, [%rd{{[0-9]+}}+4];
; CHECK: ld.global.L1::evict_last.b32 {{.*}}, [%rd{{[0-9]+}}+8];
; CHECK: ld.global.L1::evict_last.b64 {{.*}}, [%rd{{[0-9]+}}+16];
; CHECK: ld.global.L1::evict_last.v2.b64 {{.*}}, [%rd{{[0-9]+}}+32];
; CHECK: ld.global.L1::evict_last.b32 {{.*}}, [%rd{{[0-9]+}}+-8];
; CHECK: ld.global.L1::evict_last.b32 {{.*}}, [table+12];
  %i8 = load i8, ptr addrspace(1) %p, !mem.cache_hint !0
  store volatile i8 %i8, ptr addrspace(1) %out
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 1
  %u8 = load i8, ptr addrspace(1) %p1, !mem.cache_hint !0
  %zext = zext i8 %u8 to i32
  store volatile i32 %zext, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 2
  %s8 = load i8, ptr addrspace(1) %p2, !mem.cache_hint !0
  %sext = sext i8 %s8 to i32
  store volatile i32 %sext, ptr addrspace(1) %out
  %p4 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %i16 = load i16, ptr addrspace(1) %p4, !mem.cache_hint !0
  store volatile i16 %i16, ptr addrspace(1) %out
  %p8 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %i32 = load i32, ptr addrspace(1) %p8, !mem.cache_hint !0
  store volatile i32 %i32, ptr addrspace(1) %out
  %p16 = getelementptr i8, ptr addrspace(1) %p, i64 16
  %i64 = load i64, ptr addrspace(1) %p16, !mem.cache_hint !0
  store volatile i64 %i64, ptr addrspace(1) %out
  %p32 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %i128 = load i128, ptr addrspace(1) %p32, !mem.cache_hint !0
  store volatile i128 %i128, ptr addrspace(1) %out
  %back = getelementptr i8, ptr addrspace(1) %p, i64 -8
  %b = load i32, ptr addrspace(1) %back, !mem.cache_hint !0
  store volatile i32 %b, ptr addrspace(1) %out
  %v = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @table, i64 12), !mem.cache_hint !0
  store volatile i32 %v, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @floats(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry floats(
; CHECK: ld.global.L1::evict_last.b16
; CHECK: ld.global.L1::evict_last.b16
; CHECK: ld.global.L1::evict_last.b32
; CHECK: ld.global.L1::evict_last.b64
; CHECK: ld.global.L1::evict_last.b64
  %f16 = load half, ptr addrspace(1) %p, !mem.cache_hint !0
  store volatile half %f16, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 2
  %bf16 = load bfloat, ptr addrspace(1) %p2, !mem.cache_hint !0
  store volatile bfloat %bf16, ptr addrspace(1) %out
  %p4 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %f32 = load float, ptr addrspace(1) %p4, !mem.cache_hint !0
  store volatile float %f32, ptr addrspace(1) %out
  %p8 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %f64 = load double, ptr addrspace(1) %p8, !mem.cache_hint !0
  store volatile double %f64, ptr addrspace(1) %out
  %p16 = getelementptr i8, ptr addrspace(1) %p, i64 16
  %ptr = load ptr, ptr addrspace(1) %p16, !mem.cache_hint !0
  store volatile ptr %ptr, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @vectors(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry vectors(
; CHECK: ld.global.L1::evict_last.v2.b8 {
; CHECK: ld.global.L1::evict_last.b32
; CHECK: ld.global.L1::evict_last.v4.b32 {
; CHECK: ld.global.L1::evict_last.v2.b32 {
; CHECK: ld.global.L1::evict_last.v4.b32 {
; CHECK: ld.global.L1::evict_last.v2.b64 {
  %v2i8 = load <2 x i8>, ptr addrspace(1) %p, !mem.cache_hint !0
  store volatile <2 x i8> %v2i8, ptr addrspace(1) %out
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %v2f16 = load <2 x half>, ptr addrspace(1) %p1, !mem.cache_hint !0
  store volatile <2 x half> %v2f16, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %v8f16 = load <8 x half>, ptr addrspace(1) %p2, !mem.cache_hint !0
  store volatile <8 x half> %v8f16, ptr addrspace(1) %out
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 96
  %v2f32 = load <2 x float>, ptr addrspace(1) %p3, !mem.cache_hint !0
  store volatile <2 x float> %v2f32, ptr addrspace(1) %out
  %p4 = getelementptr i8, ptr addrspace(1) %p, i64 128
  %v4f32 = load <4 x float>, ptr addrspace(1) %p4, !mem.cache_hint !0
  store volatile <4 x float> %v4f32, ptr addrspace(1) %out
  %p5 = getelementptr i8, ptr addrspace(1) %p, i64 160
  %v2f64 = load <2 x double>, ptr addrspace(1) %p5, !mem.cache_hint !0
  store volatile <2 x double> %v2f64, ptr addrspace(1) %out
  ret void
}

; From sm_100 on one load takes 256 bits; before, two.
define ptx_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry wide(
; CHECK-COUNT-4: ld.global.L1::evict_last.v{{[24]}}.b{{32|64}} {
; SM100-LABEL: .entry wide(
; SM100: ld.global.L1::evict_last.v{{8.b32|4.b64}} {
; SM100: ld.global.L1::evict_last.v4.b64 {
; SM100: ld.global.nc.L1::evict_last.v{{8.b32|4.b64}} {
; SM100: ld.global.L1::evict_last.v8.b32 {
  %v8f32 = load <8 x float>, ptr addrspace(1) %p, !mem.cache_hint !0
  store volatile <8 x float> %v8f32, ptr addrspace(1) %out
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %v4f64 = load <4 x double>, ptr addrspace(1) %p1, !mem.cache_hint !0
  store volatile <4 x double> %v4f64, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %nc = load <8 x float>, ptr addrspace(1) %p2, !invariant.load !2, !mem.cache_hint !0
  store volatile <8 x float> %nc, ptr addrspace(1) %out
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 96
  %v16f16 = load <16 x half>, ptr addrspace(1) %p3, !mem.cache_hint !0
  store volatile <16 x half> %v16f16, ptr addrspace(1) %out
  ret void
}

; The vectoriser makes one load of four, and of three with a gap.
define ptx_kernel void @joined(ptr addrspace(1) align 16 %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry joined(
; CHECK: ld.global.L1::evict_last.v4.b32 {
; CHECK: .pragma "used_bytes_mask 0xff0f";
; CHECK-NEXT: ld.global.L1::evict_last.v4.b32 {
  %a = load float, ptr addrspace(1) %p, align 16, !mem.cache_hint !0
  %p1 = getelementptr float, ptr addrspace(1) %p, i64 1
  %b = load float, ptr addrspace(1) %p1, !mem.cache_hint !0
  %p2 = getelementptr float, ptr addrspace(1) %p, i64 2
  %c = load float, ptr addrspace(1) %p2, align 8, !mem.cache_hint !0
  %p3 = getelementptr float, ptr addrspace(1) %p, i64 3
  %d = load float, ptr addrspace(1) %p3, !mem.cache_hint !0
  %ab = fadd float %a, %b
  %cd = fadd float %c, %d
  %sum = fadd float %ab, %cd
  store float %sum, ptr addrspace(1) %out
  %p4 = getelementptr float, ptr addrspace(1) %p, i64 4
  %e = load float, ptr addrspace(1) %p4, align 16, !mem.cache_hint !0
  %p6 = getelementptr float, ptr addrspace(1) %p, i64 6
  %f = load float, ptr addrspace(1) %p6, align 8, !mem.cache_hint !0
  %p7 = getelementptr float, ptr addrspace(1) %p, i64 7
  %g = load float, ptr addrspace(1) %p7, !mem.cache_hint !0
  %ef = fadd float %e, %f
  %efg = fadd float %ef, %g
  store float %efg, ptr addrspace(1) %out
  ret void
}

; Too little aligned for one load; and bits.
define ptx_kernel void @split(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry split(
; CHECK-COUNT-4: ld.global.L1::evict_last.b32
; CHECK-COUNT-4: ld.global.L1::evict_last.b8
; CHECK: ld.global.L1::evict_last.b8
; CHECK-COUNT-4: ld.global.nc.L1::evict_last.b32
  %v = load <4 x i32>, ptr addrspace(1) %p, align 4, !mem.cache_hint !0
  store volatile <4 x i32> %v, ptr addrspace(1) %out
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 17
  %unaligned = load i32, ptr addrspace(1) %p1, align 1, !mem.cache_hint !0
  store volatile i32 %unaligned, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %bit = load i1, ptr addrspace(1) %p2, !mem.cache_hint !0
  store volatile i1 %bit, ptr addrspace(1) %out
  %p3 = getelementptr i8, ptr addrspace(1) %p, i64 64
  %nc = load <4 x i32>, ptr addrspace(1) %p3, align 4, !invariant.load !2, !mem.cache_hint !0
  store volatile <4 x i32> %nc, ptr addrspace(1) %out
  ret void
}

; Read-only: the same types.
define ptx_kernel void @read_only(ptr addrspace(1) %p, ptr addrspace(1) %out) {
; CHECK-LABEL: .entry read_only(
; CHECK-DAG: ld.global.nc.L1::evict_last.b8 {{.*}}, [%rd{{[0-9]+}}];
; CHECK-DAG: ld.global.nc.L1::evict_last.s8 {{.*}}, [%rd{{[0-9]+}}+1];
; CHECK-DAG: ld.global.nc.L1::evict_last.b16 {{.*}}, [%rd{{[0-9]+}}+2];
; CHECK-DAG: ld.global.nc.L1::evict_last.b32 {{.*}}, [%rd{{[0-9]+}}+4];
; CHECK-DAG: ld.global.nc.L1::evict_last.b64 {{.*}}, [%rd{{[0-9]+}}+8];
; CHECK-DAG: ld.global.nc.L1::evict_last.v4.b32 {
; CHECK-DAG: ld.global.nc.L1::evict_last.v2.b64 {
  %i8 = load i8, ptr addrspace(1) %p, !invariant.load !2, !mem.cache_hint !0
  store volatile i8 %i8, ptr addrspace(1) %out
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 1
  %s8 = load i8, ptr addrspace(1) %p1, !invariant.load !2, !mem.cache_hint !0
  %sext = sext i8 %s8 to i32
  store volatile i32 %sext, ptr addrspace(1) %out
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 2
  %f16 = load half, ptr addrspace(1) %p2, !invariant.load !2, !mem.cache_hint !0
  store volatile half %f16, ptr addrspace(1) %out
  %p4 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %f32 = load float, ptr addrspace(1) %p4, !invariant.load !2, !mem.cache_hint !0
  store volatile float %f32, ptr addrspace(1) %out
  %p8 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %f64 = load double, ptr addrspace(1) %p8, !invariant.load !2, !mem.cache_hint !0
  store volatile double %f64, ptr addrspace(1) %out
  %p16 = getelementptr i8, ptr addrspace(1) %p, i64 16
  %v4f32 = load <4 x float>, ptr addrspace(1) %p16, !invariant.load !2, !mem.cache_hint !0
  store volatile <4 x float> %v4f32, ptr addrspace(1) %out
  %p32 = getelementptr i8, ptr addrspace(1) %p, i64 32
  %v2f64 = load <2 x double>, ptr addrspace(1) %p32, !invariant.load !2, !mem.cache_hint !0
  store volatile <2 x double> %v2f64, ptr addrspace(1) %out
  ret void
}

!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"last"}
!2 = !{}
