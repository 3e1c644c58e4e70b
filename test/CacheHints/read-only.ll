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

; What others write is seen behind what a kernel may wait by. A read of a flag
; by a plain load is followed by a fence, or there is a race.
; CHECK-LABEL: @fence(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has a fence, behind which it may read what others have written
; PTX-LABEL: .entry fence(
; PTX-NOT: ld.global.nc
; PTX: ret;
define ptx_kernel void @fence(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  fence acquire
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @membar(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has a fence
define ptx_kernel void @membar(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  call void @llvm.nvvm.membar.gl()
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @acquire(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has an atomic operation
define ptx_kernel void @acquire(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
  %f = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @exchange(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has an atomic operation
define ptx_kernel void @exchange(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
  %f = cmpxchg ptr addrspace(1) %flag, i32 1, i32 0 monotonic monotonic
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @ticket(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has an atomic operation
define ptx_kernel void @ticket(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
  %f = atomicrmw add ptr addrspace(1) %flag, i32 1 monotonic
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  store i32 %f, ptr addrspace(1) %out
  ret void
}

; Who counts and does not look sees nothing.
; CHECK-LABEL: @counter(
; CHECK: load float{{.*}}, !invariant.load
define ptx_kernel void @counter(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
  %f = atomicrmw add ptr addrspace(1) %flag, i32 1 monotonic
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @polled(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has a volatile read
define ptx_kernel void @polled(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %out) {
  %f = load volatile i32, ptr addrspace(1) %flag
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @reading_call(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has a call
define ptx_kernel void @reading_call(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  call void @reads()
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @reading_assembly(
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint
; REMARK: the kernel has assembly
define ptx_kernel void @reading_assembly(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  %f = call i32 asm sideeffect "ld.acquire.gpu.global.b32 $0, [0];", "=r"() memory(read)
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  ret void
}

; Neither waits for anybody, nor could.
; CHECK-LABEL: @alone(
; CHECK: load float{{.*}}, !invariant.load
define ptx_kernel void @alone(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  call void @reads() nosync
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %other = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %lane, i32 1, i32 31)
  %moved = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %other) memory(none)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %out
  store volatile i32 %moved, ptr addrspace(1) %out
  ret void
}

declare void @unknown()
declare void @reads() memory(read)
declare void @llvm.nvvm.membar.gl()
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
