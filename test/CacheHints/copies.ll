; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A struct that is copied is read from global memory too: operand 1 of memcpy.
;
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last>' -S %s | FileCheck %s --check-prefix=IR
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last>' %s | %llc -mcpu=sm_90 2>&1 | FileCheck %s
; RUN: %opt -passes='sluice-cache-hints<all=nc+L1::evict_last>' -pass-remarks-missed=sluice -S %s 2>&1 | FileCheck %s --check-prefix=NC
; NC: no nc: what copies memory has none
;
; IR: call void @llvm.memcpy{{.*}}, !mem.cache_hint ![[HINT:[0-9]+]]
; IR: call void @llvm.memcpy.p1.p3{{.*}} i1 false){{$}}
; IR: call void @llvm.memcpy.p0.p0{{.*}}, !mem.cache_hint ![[HINT]]
; IR: ![[HINT]] = !{i32 1, ![[NODE:[0-9]+]]}
; IR: ![[NODE]] = !{!"nvvm.l1_eviction", !"last"}
;
; CHECK-NOT: warning
; CHECK: .entry k(
; CHECK-COUNT-4: ld.global.L1::evict_last.b64
; CHECK-NOT: ld.global
; CHECK-COUNT-4: st.global.b64
;
; CHECK-LABEL: .entry generic(
; CHECK: ld.global.L1::evict_last.b64
; CHECK: ld.global.L1::evict_last.b64
; CHECK-NOT: ld.global

target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global [2 x i64] poison

define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out, ptr addrspace(3) %shared) {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 8 %out, ptr addrspace(1) align 8 %p, i64 32, i1 false)
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 8 %out, ptr addrspace(3) align 8 %shared, i64 32, i1 false)
  ret void
}

; As clang has it: the spaces of the pointers are found in code generation.
define ptx_kernel void @generic(ptr %p, ptr %out) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 addrspacecast (ptr addrspace(3) @shared to ptr), ptr align 8 %p, i64 16, i1 false)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load volatile i64, ptr addrspace(3) @shared
  store i64 %v, ptr %out
  ret void
}
