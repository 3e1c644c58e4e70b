; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What is malformed is ignored, and said; what is not is carried out.
;
; RUN: %llc -mcpu=sm_90 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: cache hint ignored: !mem.cache_hint is malformed: it must be pairs of an operand's number and a node
; CHECK: malformed: it must be pairs of an operand's number and a node
; CHECK: malformed: a load's pointer is operand 0
; CHECK: malformed: it must be pairs of an operand's number and a node
; CHECK: malformed: a node must be pairs of a key and a value
; CHECK: malformed: a node must be pairs of a key and a value
; CHECK: malformed: a key must be a string
; CHECK: malformed: the key 'nvvm.l1_evict' is unknown
; CHECK: malformed: 'nvvm.l1_eviction' is a string
; CHECK: malformed: 'nvvm.l1_eviction' is not 'middle'
; CHECK: malformed: 'nvvm.l2_cache_hint' is a number of 64 bits
; CHECK: malformed: cg and L1::evict_last exclude each other
; CHECK: malformed: 'L1::evict_last' does not go with the rest of 'L1::evict_first'
; CHECK: malformed: an operand is there twice
; CHECK-LABEL: .entry k(
; CHECK-COUNT-7: ld.global.b32
; CHECK-COUNT-4: ld.global.L2::64B.b32
; CHECK: ld.global.cg.b32
; CHECK: ld.global.L1::evict_first.b32
; CHECK: ld.global.L2::64B.b32
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %a = load i32, ptr addrspace(1) %p, !mem.cache_hint !{}
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic
  %b = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0}
  %b.old = atomicrmw add ptr addrspace(1) %out, i32 %b syncscope("device") monotonic
  %c = load i32, ptr addrspace(1) %p, !mem.cache_hint !{!"0", !{!"nvvm.l1_eviction", !"last"}}
  %c.old = atomicrmw add ptr addrspace(1) %out, i32 %c syncscope("device") monotonic
  %d = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 1, !{!"nvvm.l1_eviction", !"last"}}
  %d.old = atomicrmw add ptr addrspace(1) %out, i32 %d syncscope("device") monotonic
  %e = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, null}
  %e.old = atomicrmw add ptr addrspace(1) %out, i32 %e syncscope("device") monotonic
  %f = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{}}
  %f.old = atomicrmw add ptr addrspace(1) %out, i32 %f syncscope("device") monotonic
  %g = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction"}}
  %g.old = atomicrmw add ptr addrspace(1) %out, i32 %g syncscope("device") monotonic
  %h = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{i32 1, !"last", !"nvvm.l2_prefetch_size", !"64B", !"nvvm.l1_evict", !"last"}}
  %h.old = atomicrmw add ptr addrspace(1) %out, i32 %h syncscope("device") monotonic
  %i = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", i32 0, !"nvvm.l2_prefetch_size", !"64B"}}
  %i.old = atomicrmw add ptr addrspace(1) %out, i32 %i syncscope("device") monotonic
  %j = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"middle", !"nvvm.l2_prefetch_size", !"64B"}}
  %j.old = atomicrmw add ptr addrspace(1) %out, i32 %j syncscope("device") monotonic
  %k = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l2_cache_hint", !"12", !"nvvm.l2_prefetch_size", !"64B"}}
  %k.old = atomicrmw add ptr addrspace(1) %out, i32 %k syncscope("device") monotonic
  %l = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"sluice.cache_operator", !"cg", !"nvvm.l1_eviction", !"last"}}
  %l.old = atomicrmw add ptr addrspace(1) %out, i32 %l syncscope("device") monotonic
  %m = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"first", !"nvvm.l1_eviction", !"last"}}
  %m.old = atomicrmw add ptr addrspace(1) %out, i32 %m syncscope("device") monotonic
  %n = load i32, ptr addrspace(1) %p, !mem.cache_hint !{i32 0, !{!"nvvm.l2_prefetch_size", !"64B"}, i32 0, !{!"nvvm.l1_eviction", !"last"}}
  %n.old = atomicrmw add ptr addrspace(1) %out, i32 %n syncscope("device") monotonic
  ret void
}
