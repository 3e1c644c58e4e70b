; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The qualifiers of each part of a hint and of parts together. An L2 policy is
; made once, at the function's entry.
;
; RUN: %llc -mcpu=sm_90 %s -o %t.ptx
; RUN: FileCheck %s < %t.ptx

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .entry each(
; CHECK: createpolicy.fractional.L2::evict_unchanged.b64 %[[UNCHANGED:rd[0-9]+]], 1.0;
; CHECK: createpolicy.fractional.L2::evict_last.b64 %[[LAST:rd[0-9]+]], 1.0;
; CHECK: mov.b64 %[[BITS:rd[0-9]+]], 1508705875169116160;
; CHECK-NOT: createpolicy
; CHECK: ld.param
; CHECK: ld.global.L1::evict_first.b32
; CHECK: ld.global.L1::evict_unchanged.b32
; CHECK: ld.global.L1::no_allocate.b32
; CHECK: ld.global.ca.b32
; CHECK: ld.global.cg.b32
; CHECK: ld.global.cs.b32
; CHECK: ld.global.lu.b32
; CHECK: ld.global.cv.b32
; CHECK: ld.global.L2::64B.b32
; CHECK: ld.global.L2::256B.b32
; CHECK: ld.global.L2::cache_hint.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}+40], %[[BITS]];
; CHECK: ld.global.L2::cache_hint.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}+44], %[[LAST]];
; CHECK: ld.global.L1::evict_last.L2::cache_hint.L2::128B.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}+48], %[[LAST]];
; CHECK: ld.global.cg.L2::cache_hint.L2::128B.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}+52], %[[UNCHANGED]];
; CHECK: ld.global.cs.nc.b32
define ptx_kernel void @each(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %v0 = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"first"}}
  store volatile i32 %v0, ptr addrspace(1) %out
  %p1 = getelementptr i32, ptr addrspace(1) %p, i64 1
  %v1 = load i32, ptr addrspace(1) %p1, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"unchanged"}}
  store volatile i32 %v1, ptr addrspace(1) %out
  %p2 = getelementptr i32, ptr addrspace(1) %p, i64 2
  %v2 = load i32, ptr addrspace(1) %p2, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"no_allocate"}}
  store volatile i32 %v2, ptr addrspace(1) %out
  %p3 = getelementptr i32, ptr addrspace(1) %p, i64 3
  %v3 = load i32, ptr addrspace(1) %p3, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"ca"}}
  store volatile i32 %v3, ptr addrspace(1) %out
  %p4 = getelementptr i32, ptr addrspace(1) %p, i64 4
  %v4 = load i32, ptr addrspace(1) %p4, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cg"}}
  store volatile i32 %v4, ptr addrspace(1) %out
  %p5 = getelementptr i32, ptr addrspace(1) %p, i64 5
  %v5 = load i32, ptr addrspace(1) %p5, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cs"}}
  store volatile i32 %v5, ptr addrspace(1) %out
  %p6 = getelementptr i32, ptr addrspace(1) %p, i64 6
  %v6 = load i32, ptr addrspace(1) %p6, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"lu"}}
  store volatile i32 %v6, ptr addrspace(1) %out
  %p7 = getelementptr i32, ptr addrspace(1) %p, i64 7
  %v7 = load i32, ptr addrspace(1) %p7, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cv"}}
  store volatile i32 %v7, ptr addrspace(1) %out
  %p8 = getelementptr i32, ptr addrspace(1) %p, i64 8
  %v8 = load i32, ptr addrspace(1) %p8, !mem.cache_hint !{i32 0, !{!"nvvm.l2_prefetch_size", !"64B"}}
  store volatile i32 %v8, ptr addrspace(1) %out
  %p9 = getelementptr i32, ptr addrspace(1) %p, i64 9
  %v9 = load i32, ptr addrspace(1) %p9, !mem.cache_hint !{i32 0, !{!"nvvm.l2_prefetch_size", !"256B"}}
  store volatile i32 %v9, ptr addrspace(1) %out
  %p10 = getelementptr i32, ptr addrspace(1) %p, i64 10
  %v10 = load i32, ptr addrspace(1) %p10, !mem.cache_hint !{i32 0, !{!"nvvm.l2_cache_hint", i64 1508705875169116160}}
  store volatile i32 %v10, ptr addrspace(1) %out
  %p11 = getelementptr i32, ptr addrspace(1) %p, i64 11
  %v11 = load i32, ptr addrspace(1) %p11, !mem.cache_hint !{i32 0, !{!"nvvm.l2_eviction", !"last"}}
  store volatile i32 %v11, ptr addrspace(1) %out
  %p12 = getelementptr i32, ptr addrspace(1) %p, i64 12
  %v12 = load i32, ptr addrspace(1) %p12, !mem.cache_hint !{i32 0, !{!"nvvm.l2_prefetch_size", !"128B", !"sluice.l2_policy", !"evict_last", !"nvvm.l1_eviction", !"last"}}
  store volatile i32 %v12, ptr addrspace(1) %out
  %p13 = getelementptr i32, ptr addrspace(1) %p, i64 13
  %v13 = load i32, ptr addrspace(1) %p13, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cg", !"nvvm.l2_prefetch_size", !"128B", !"sluice.l2_policy", !"evict_unchanged"}}
  store volatile i32 %v13, ptr addrspace(1) %out
  %p14 = getelementptr i32, ptr addrspace(1) %p, i64 14
  %v14 = load i32, ptr addrspace(1) %p14, !invariant.load !{}, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cs"}}
  store volatile i32 %v14, ptr addrspace(1) %out
  ret void
}

; "normal" is what a load has without a hint.
; CHECK-LABEL: .entry normal(
; CHECK: ld.global.b32
define ptx_kernel void @normal(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %v = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"normal", !"nvvm.l2_eviction", !"normal"}}
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; Code that uses no policy makes none.
; CHECK-NOT: createpolicy
