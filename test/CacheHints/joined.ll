; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads that become one: a hint beside none is kept, different ones are dropped.
;
; RUN: %llc -mcpu=sm_90 -pass-remarks-missed=sluice %s -o - 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t
; RUN: grep -c remark %t | grep -x 1

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .entry one_has(
; CHECK: ld.global.L1::evict_last.v2.b32 {
define ptx_kernel void @one_has(ptr addrspace(1) align 8 %p, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %p, align 8
  %q = getelementptr float, ptr addrspace(1) %p, i64 1
  %b = load float, ptr addrspace(1) %q, !mem.cache_hint !0
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: .entry different(
; CHECK: ld.global.v2.b32 {
; REMARK: remark: {{.*}} cache hints L1::evict_last and L1::no_allocate dropped: they are of loads that became one
define ptx_kernel void @different(ptr addrspace(1) align 8 %p, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %p, align 8, !mem.cache_hint !2
  %q = getelementptr float, ptr addrspace(1) %p, i64 1
  %b = load float, ptr addrspace(1) %q, !mem.cache_hint !0
  %sum = fadd float %a, %b
  store float %sum, ptr addrspace(1) %out
  ret void
}

; GVN moves the load of the loop to where the loop is entered and continued.
; CHECK-LABEL: .entry moved(
; CHECK: ld.global.L1::evict_last.b32
; CHECK-NOT: ld.global
define ptx_kernel void @moved(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %a = load i32, ptr addrspace(1) %p, !mem.cache_hint !0
  store volatile i32 %a, ptr addrspace(1) %out
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; Other tags of theirs stay.
; CHECK-LABEL: .entry tagged(
; CHECK: ld.global.L1::evict_last.b32
define ptx_kernel void @tagged(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %p, !mem.cache_hint !0, !mmra !4
  store float %a, ptr addrspace(1) %out
  ret void
}

!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"last"}
!2 = !{i32 0, !3}
!3 = !{!"nvvm.l1_eviction", !"no_allocate"}
!4 = !{!"a.program's", !"own"}
