; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads that take no hint, whoever asked for it.
;
; RUN: %llc -mcpu=sm_90 -pass-remarks-missed=sluice %s -o - 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t
; RUN: %llc -mcpu=sm_90 -O0 -pass-remarks-missed=sluice %s -o - 2>%t | FileCheck %s --check-prefix=O0
; RUN: FileCheck %s --check-prefix=REMARK-O0 < %t
;
; Who asks for no remarks is warned, once for each function.
; RUN: %llc -mcpu=sm_90 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARNING
; RUN: %llc -mcpu=sm_90 %s -o /dev/null 2>&1 | grep "in 'k'" | wc -l | FileCheck %s --check-prefix=ONCE
; WARNING: warning: in '{{.*}}': cache hint L1::evict_last dropped: {{.*}} (-pass-remarks-missed=sluice-cache-hints has all)
; ONCE: {{^}}1{{$}}

target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global [64 x i32] poison

; REMARK-DAG: cache hint L1::evict_last dropped: the load is volatile
; REMARK-DAG: cache hint L1::evict_last dropped: the load is atomic
; REMARK-DAG: cache hint L1::evict_last dropped: the address is not known to be global
; REMARK-DAG: cache hint L1::evict_last dropped: the load is not of global memory
; REMARK-DAG: cache hint lu dropped: nc and lu exclude each other
; REMARK-O0-COUNT-2: cache hints dropped: there are none at -O0
; O0-NOT: L1::

; CHECK-LABEL: .entry k(
; CHECK: ld.volatile.global.b32
; CHECK: ld.relaxed.gpu.global.b32
; CHECK: ld.shared.b32
; CHECK: ld.global.L1::evict_last.b32
; CHECK: ld.global.nc.b32
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %a = load volatile i32, ptr addrspace(1) %p, !mem.cache_hint !0
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic
  %b = load atomic i32, ptr addrspace(1) %p syncscope("device") monotonic, align 4, !mem.cache_hint !0
  %b.old = atomicrmw add ptr addrspace(1) %out, i32 %b syncscope("device") monotonic
  %c = load i32, ptr addrspace(3) @shared, !mem.cache_hint !0
  %c.old = atomicrmw add ptr addrspace(1) %out, i32 %c syncscope("device") monotonic
  %d = load i32, ptr addrspace(1) %p, !mem.cache_hint !0
  %d.old = atomicrmw add ptr addrspace(1) %out, i32 %d syncscope("device") monotonic
  %q = getelementptr i32, ptr addrspace(1) %p, i64 5
  %e = load i32, ptr addrspace(1) %q, !invariant.load !{}, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"lu"}}
  %e.old = atomicrmw add ptr addrspace(1) %out, i32 %e syncscope("device") monotonic
  ret void
}

; CHECK-LABEL: .func {{.*}}function(
; CHECK: ld.b32
define i32 @function(ptr %p) {
  %a = load i32, ptr %p, !mem.cache_hint !0
  ret i32 %a
}

!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"last"}
