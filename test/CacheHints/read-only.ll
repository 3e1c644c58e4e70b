; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; `nc` where no thread of the kernel writes the memory, and nowhere else.
;
; RUN: %opt -passes='sluice-cache-hints<all=nc+L1::evict_last>' -pass-remarks-missed=sluice -S %s 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t
; RUN: %opt -passes='sluice-cache-hints<all=nc+L1::evict_last>' %s | %llc -mcpu=sm_90 | FileCheck %s --check-prefix=PTX

target triple = "nvptx64-nvidia-cuda"

@table = addrspace(1) constant [64 x float] zeroinitializer

; Of two restricted parameters each is the only way to its memory.
; CHECK-LABEL: @both_restricted(
; CHECK: load float{{.*}}, !invariant.load ![[#]], !mem.cache_hint
; PTX-LABEL: .entry both_restricted(
; PTX: ld.global.nc.L1::evict_last.b32
define ptx_kernel void @both_restricted(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; It suffices that all writes are through restricted parameters.
; CHECK-LABEL: @out_restricted(
; CHECK: load float{{.*}}, !invariant.load
define ptx_kernel void @out_restricted(ptr addrspace(1) %p, ptr addrspace(1) noalias %out, i64 %i) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %q
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @nothing_written(
; CHECK: load float{{.*}}, !invariant.load
define ptx_kernel void @nothing_written(ptr addrspace(1) %p, ptr addrspace(3) %out) {
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(3) %out
  ret void
}

; CHECK-LABEL: @constant_table(
; CHECK: load float{{.*}}, !invariant.load
define ptx_kernel void @constant_table(ptr addrspace(1) %out) {
  call void @unknown()
  %v = load float, ptr addrspace(1) @table
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @none_restricted(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: no nc: the memory that is read is not known to be read-only, the kernel may write it
; PTX-LABEL: .entry none_restricted(
; PTX: ld.global.L1::evict_last.b32
define ptx_kernel void @none_restricted(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; This thread writes another element, but others write this one.
; CHECK-LABEL: @in_place(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel may write it
define ptx_kernel void @in_place(ptr addrspace(1) noalias %p) {
  %v = load float, ptr addrspace(1) %p
  %next = getelementptr float, ptr addrspace(1) %p, i64 1
  store float %v, ptr addrspace(1) %next
  ret void
}

; CHECK-LABEL: @atomic_update(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel may write it
define ptx_kernel void @atomic_update(ptr addrspace(1) noalias %p, i64 %i) {
  %v = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %p, i64 %i
  %old = atomicrmw fadd ptr addrspace(1) %q, float 1.0 monotonic
  ret void
}

; CHECK-LABEL: @calls(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has calls or assembly that may write it
define ptx_kernel void @calls(ptr addrspace(1) noalias %p) {
  %v = load float, ptr addrspace(1) %p
  call void @unknown()
  ret void
}

; CHECK-LABEL: @assembly(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has calls or assembly that may write it
define ptx_kernel void @assembly(ptr addrspace(1) noalias %p) {
  %v = load float, ptr addrspace(1) %p
  call void asm sideeffect "st.global.b32 [0], 0;", "~{memory}"()
  ret void
}

; CHECK-LABEL: @selected(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel may write it
define ptx_kernel void @selected(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i1 %c) {
  %p = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %b
  ret void
}

declare void @unknown()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
