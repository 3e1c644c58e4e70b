; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What the chip or the PTX version lacks is dropped, and the rest is kept.
;
; RUN: %llc -mcpu=sm_60 -mattr=+ptx78 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s --check-prefix=SM60
; RUN: %llc -mcpu=sm_70 -mattr=+ptx78 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s --check-prefix=SM70
; RUN: %llc -mcpu=sm_75 -mattr=+ptx78 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s --check-prefix=SM75
; RUN: %llc -mcpu=sm_80 -mattr=+ptx74 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s --check-prefix=SM80
; RUN: %llc -mcpu=sm_80 -mattr=+ptx70 -pass-remarks-missed=sluice %s -o - 2>&1 | FileCheck %s --check-prefix=PTX70
; Where no version is asked for it is the first that has the chip.
; RUN: %llc -mcpu=sm_80 %s -o - | FileCheck %s --check-prefix=PTX70-DEFAULT
; RUN: %llc -mcpu=sm_90 %s -o - | FileCheck %s --check-prefix=SM90
;
; SM60: cache hint L1::evict_last+L2::evict_last+L2::128B dropped: L1::evict_last needs sm_70 and PTX 7.4
; SM60: dropped: L2::evict_last needs sm_80 and PTX 7.4
; SM60: dropped: L2::128B needs sm_75 and PTX 7.4
; SM60: dropped: L2::256B needs sm_80 and PTX 7.4
; SM60-NOT: createpolicy
; SM60: ld.global.b32
; SM60: ld.global.cg.b32
;
; SM70-NOT: L1::evict_last needs
; SM70: L2::evict_last needs sm_80
; SM70: L2::128B needs sm_75
; SM70: ld.global.L1::evict_last.b32
;
; SM75-NOT: L2::128B needs
; SM75: L2::256B needs sm_80
; SM75: ld.global.L1::evict_last.L2::128B.b32
; SM75: ld.global.cg.b32
;
; SM80-NOT: remark
; SM80: createpolicy
; SM80: ld.global.L1::evict_last.L2::cache_hint.L2::128B.b32
; SM80: ld.global.cg.L2::256B.b32
;
; PTX70: L1::evict_last needs sm_70 and PTX 7.4
; PTX70: ld.global.b32
; PTX70: ld.global.cg.b32
;
; PTX70-DEFAULT: .version 7.0
; PTX70-DEFAULT: ld.global.b32
; PTX70-DEFAULT: ld.global.cg.b32
;
; SM90: .version 7.8
; SM90: ld.global.L1::evict_last.L2::cache_hint.L2::128B.b32

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %out) {
  %a = load i32, ptr addrspace(1) %p, !mem.cache_hint !0
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic
  %b = load i32, ptr addrspace(1) %p, !mem.cache_hint !2
  %b.old = atomicrmw add ptr addrspace(1) %out, i32 %b syncscope("device") monotonic
  ret void
}

!0 = !{i32 0, !1}
!1 = !{!"nvvm.l1_eviction", !"last", !"nvvm.l2_prefetch_size", !"128B", !"sluice.l2_policy", !"evict_last"}
!2 = !{i32 0, !3}
!3 = !{!"sluice.cache_operator", !"cg", !"nvvm.l2_prefetch_size", !"256B"}
