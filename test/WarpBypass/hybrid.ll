; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What a load's hint says already of the cache holds for all warps: the rest is
; partitioned (the thesis's hybrid). Other parts of a hint stay. Volatile and
; atomic loads, and those of other memory, are left alone.
;
; RUN: %opt -passes='sluice-plan<bypass=5>,sluice-warp-bypass' -S %s -pass-remarks=sluice-warp 2> %t.remarks | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
; RUN: %opt -passes='sluice-plan<bypass=5>,sluice-warp-bypass' %s | %llc -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefix=PTX
; RUN: %opt -passes=sluice-warp-bypass -S %s | FileCheck %s --check-prefix=NO-PLAN
; RUN: %opt -passes='sluice-plan<bypass=dynamic>,sluice-warp-bypass' -S %s -pass-remarks-missed=sluice-warp -o /dev/null 2>&1 | FileCheck %s --check-prefix=VOTE
;
; CHECK: define ptx_kernel void @k({{.*}}) #[[K:[0-9]+]]
; CHECK: load float, ptr addrspace(1) %p, {{.*}}!mem.cache_hint ![[PLAIN:[0-9]+]]
; CHECK: load float, ptr addrspace(1) %p1, {{.*}}!mem.cache_hint ![[GONE:[0-9]+]]
; CHECK: load float, ptr addrspace(1) %p2, {{.*}}!mem.cache_hint ![[LAST:[0-9]+]]
; CHECK: load volatile float, ptr addrspace(1) %p3, align 4, !dbg !{{[0-9]+$}}
; CHECK: load float, ptr addrspace(3) %s, align 4, !dbg !{{[0-9]+$}}
; CHECK: attributes #[[K]] = { {{.*}}"sluice-cached-warps"="5"
; CHECK-DAG: ![[PLAIN]] = !{i32 0, ![[PLAINS:[0-9]+]]}
; CHECK-DAG: ![[PLAINS]] = !{!"sluice.by_warp", !"L1"}
; CHECK-DAG: ![[GONE]] = !{i32 0, ![[GONES:[0-9]+]]}
; CHECK-DAG: ![[GONES]] = !{!"nvvm.l1_eviction", !"no_allocate"}
; CHECK-DAG: ![[LAST]] = !{i32 0, ![[LASTS:[0-9]+]]}
; CHECK-DAG: ![[LASTS]] = !{!"nvvm.l1_eviction", !"last", !"sluice.by_warp", !"L1"}
; NO-PLAN-NOT: sluice.by_warp
; REMARK: the first 5 warps of a block use the L1 for 2 loads, the others go past it
; VOTE: no warp bypasses a cache: a vote takes time, and the kernel has no loop that loads
;
; PTX: ld.global.L1::no_allocate.b32
; PTX: @%p{{[0-9]+}} ld.global.L1::evict_last.b32
; PTX-NEXT: @!%p{{[0-9]+}} ld.global.cg.b32

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %s, ptr addrspace(1) %out) #0 {
  %v0 = load float, ptr addrspace(1) %p
  store volatile float %v0, ptr addrspace(1) %out
  %p1 = getelementptr float, ptr addrspace(1) %p, i64 1
  %v1 = load float, ptr addrspace(1) %p1, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"no_allocate"}}
  store volatile float %v1, ptr addrspace(1) %out
  %p2 = getelementptr float, ptr addrspace(1) %p, i64 2
  %v2 = load float, ptr addrspace(1) %p2, !mem.cache_hint !{i32 0, !{!"nvvm.l1_eviction", !"last"}}
  store volatile float %v2, ptr addrspace(1) %out
  %p3 = getelementptr float, ptr addrspace(1) %p, i64 3
  %v3 = load volatile float, ptr addrspace(1) %p3
  store volatile float %v3, ptr addrspace(1) %out
  %v4 = load float, ptr addrspace(3) %s
  store volatile float %v4, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
