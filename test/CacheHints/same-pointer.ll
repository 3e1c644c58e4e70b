; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads of one pointer have each its own hint, at every level of optimisation.
;
; RUN: %llc -mcpu=sm_90 -O1 %s -o - | FileCheck %s
; RUN: %llc -mcpu=sm_90 -O2 %s -o - | FileCheck %s
; RUN: %llc -mcpu=sm_90 -O3 %s -o - | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: .entry blocks(
; CHECK-NOT: ld.global
; CHECK: ld.global.L1::evict_last.b32 %r{{[0-9]+}}, [%[[P:rd[0-9]+]]];
; CHECK: ld.global.L1::no_allocate.b32 %r{{[0-9]+}}, [%[[P]]];
; CHECK: ld.global.b32 %r{{[0-9]+}}, [%[[P]]];
; CHECK-NOT: ld.global
define ptx_kernel void @blocks(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %a = load i32, ptr addrspace(1) %p, !mem.cache_hint !0
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic
  %b = load i32, ptr addrspace(1) %p, !mem.cache_hint !2
  %b.old = atomicrmw add ptr addrspace(1) %out, i32 %b syncscope("device") monotonic
  %c = load i32, ptr addrspace(1) %p
  %c.old = atomicrmw add ptr addrspace(1) %out, i32 %c syncscope("device") monotonic
  ret void
}

; CHECK-LABEL: .entry loops(
; CHECK: ld.global.L1::evict_last.b32
; CHECK: ld.global.L1::no_allocate.b32
define ptx_kernel void @loops(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %first

first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first ]
  %a = load i32, ptr addrspace(1) %p, !mem.cache_hint !0
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %first, label %second

second:
  %j = phi i32 [ 0, %first ], [ %j.next, %second ]
  %b = load i32, ptr addrspace(1) %p, !mem.cache_hint !2
  %b.old = atomicrmw add ptr addrspace(1) %out, i32 %b syncscope("device") monotonic
  %j.next = add i32 %j, 1
  %again = icmp slt i32 %j.next, %n
  br i1 %again, label %second, label %exit

exit:
  ret void
}

!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"last"}
!2 = !{i32 0, !3}
!3 = !{!"nvvm.l1_eviction", !"no_allocate"}
