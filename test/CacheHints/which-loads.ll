; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads of kernels alone, of global memory alone, not volatile, not atomic.
;
; RUN: %opt -passes='sluice-cache-hints<all=cg>' -pass-remarks=sluice -pass-remarks-missed=sluice -S %s 2>%t | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK < %t
; REMARK-DAG: no cache hint: the load is volatile
; REMARK-DAG: no cache hint: the load is atomic
; REMARK-DAG: the load's cache hint is cg

target triple = "nvptx64-nvidia-cuda"

%struct.Arguments = type { ptr, i32 }

@shared = internal addrspace(3) global [64 x float] poison
@table = addrspace(4) constant [64 x float] zeroinitializer
@global = addrspace(1) global [64 x float] zeroinitializer

; CHECK-LABEL: @kernel(
define ptx_kernel void @kernel(ptr addrspace(1) %p, ptr %generic, ptr byval(%struct.Arguments) %args, ptr addrspace(1) %out) {
; CHECK: %global = load {{.*}}, !mem.cache_hint
  %global = load float, ptr addrspace(1) @global
; CHECK: %shared = load {{.*}} align 4{{$}}
  %shared = load float, ptr addrspace(3) @shared
; CHECK: %constant = load {{.*}} align 4{{$}}
  %constant = load float, ptr addrspace(4) @table
; CHECK: %argument = load {{.*}}, !mem.cache_hint
  %argument = load float, ptr %generic
; The member is in parameter memory, what it points to is global.
; CHECK: %member = load ptr, ptr %args, align 8{{$}}
  %member = load ptr, ptr %args
; CHECK: %pointee = load {{.*}}, !mem.cache_hint
  %pointee = load float, ptr %member
; CHECK: %volatile = load {{.*}} align 4{{$}}
  %volatile = load volatile float, ptr addrspace(1) %p
; CHECK: %atomic = load {{.*}} align 4{{$}}
  %atomic = load atomic float, ptr addrspace(1) %p syncscope("device") monotonic, align 4
  %local = alloca float, align 4
  store float %global, ptr %local
; CHECK: %own = load {{.*}} align 4{{$}}
  %own = load float, ptr %local
  ret void
}

; CHECK-LABEL: @function(
define float @function(ptr addrspace(1) %p) {
; CHECK: load {{.*}} align 4{{$}}
  %v = load float, ptr addrspace(1) %p
  ret float %v
}

; CHECK-LABEL: @annotated(
define void @annotated(ptr addrspace(1) %p) {
; CHECK: load {{.*}}, !mem.cache_hint
  %v = load float, ptr addrspace(1) %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @annotated, !"kernel", i32 1}
