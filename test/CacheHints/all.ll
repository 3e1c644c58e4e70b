; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The metadata of each part of a hint.
;
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_first>' -S %s | FileCheck %s --check-prefixes=CHECK,FIRST
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last>' -S %s | FileCheck %s --check-prefixes=CHECK,LAST
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_unchanged>' -S %s | FileCheck %s --check-prefixes=CHECK,UNCHANGED
; RUN: %opt -passes='sluice-cache-hints<all=L1::no_allocate>' -S %s | FileCheck %s --check-prefixes=CHECK,NO-ALLOCATE
; RUN: %opt -passes='sluice-cache-hints<all=L2::64B>' -S %s | FileCheck %s --check-prefixes=CHECK,64B
; RUN: %opt -passes='sluice-cache-hints<all=cg>' -S %s | FileCheck %s --check-prefixes=CHECK,CG
; RUN: %opt -passes='sluice-cache-hints<all=L2::evict_last>' -S %s | FileCheck %s --check-prefixes=CHECK,POLICY
; RUN: %opt -passes='sluice-cache-hints<all=L2::policy=0x14f0000000000000>' -S %s | FileCheck %s --check-prefixes=CHECK,BITS
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last+L2::evict_first+L2::128B>' -S %s | FileCheck %s --check-prefixes=CHECK,THREE
; RUN: %opt -passes='sluice-cache-hints<all=none>' -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sluice-cache-hints' -S %s | FileCheck %s --check-prefix=NONE
; RUN: sed s/nvptx64-nvidia-cuda/x86_64-linux-gnu/ %s | %opt -passes='sluice-cache-hints<all=cg>' -S | FileCheck %s --check-prefix=NONE
;
; CHECK: load float, ptr addrspace(1) %p, align 4, !mem.cache_hint ![[HINT:[0-9]+]]
; CHECK: ![[HINT]] = !{i32 0, ![[NODE:[0-9]+]]}
; FIRST: ![[NODE]] = !{!"nvvm.l1_eviction", !"first"}
; LAST: ![[NODE]] = !{!"nvvm.l1_eviction", !"last"}
; UNCHANGED: ![[NODE]] = !{!"nvvm.l1_eviction", !"unchanged"}
; NO-ALLOCATE: ![[NODE]] = !{!"nvvm.l1_eviction", !"no_allocate"}
; 64B: ![[NODE]] = !{!"nvvm.l2_prefetch_size", !"64B"}
; CG: ![[NODE]] = !{!"sluice.cache_operator", !"cg"}
; POLICY: ![[NODE]] = !{!"sluice.l2_policy", !"evict_last"}
; BITS: ![[NODE]] = !{!"nvvm.l2_cache_hint", i64 1508705875169116160}
; THREE: ![[NODE]] = !{!"nvvm.l1_eviction", !"last", !"sluice.l2_policy", !"evict_first", !"nvvm.l2_prefetch_size", !"128B"}
; NONE-NOT: mem.cache_hint

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %v = load float, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %out, align 4
  ret void
}
