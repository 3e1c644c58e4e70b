; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The plan's loads are found by their places and the calls they were inlined
; through. What it does not list gets `all`, if that is given.
;
; RUN: split-file %s %t
; RUN: %opt -passes='sluice-cache-hints<plan=%t/plan.yaml>' -S %t/in.ll 2>%t/warnings | FileCheck %t/in.ll --check-prefixes=CHECK,ALONE
; RUN: FileCheck %s --check-prefix=WARNING < %t/warnings
; RUN: %opt -passes='sluice-cache-hints<plan=%t/plan.yaml;all=L2::64B>' -S %t/in.ll 2>/dev/null | FileCheck %t/in.ll --check-prefixes=CHECK,REST
; RUN: %opt -passes='sluice-cache-hints<plan=%t/plan.yaml>' -sluice-debug-only=sluice-cache-hints -disable-output %t/in.ll 2>&1 | FileCheck %s --check-prefix=DEBUG
; DEBUG: kernel 'k': a plan of its own
; DEBUG: the plan says nothing of the load at k.cu:2:2
; WARNING: warning: sluice: the plan's load at k.cu:99:1 matches none in kernel 'k'
; WARNING-NOT: warning

;--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: k
    loads:
      - { load: k.cu:3:5, hint: cg }
      - { load: f.h:1:2, hint: cs }
      - { load: f.h:1:2, inlined-at: [ k.cu:4:9 ], hint: L1::evict_last }
      - { load: k.cu:6:1, hint: none }
      - { load: k.cu:99:1, hint: cg }
;--- in.ll
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: @k(
define ptx_kernel void @k(ptr addrspace(1) %p) #0 !dbg !4 {
; CHECK: %here = {{.*}} !mem.cache_hint ![[CG:[0-9]+]]
  %here = load float, ptr addrspace(1) %p, !dbg !6
; Another copy of it, as unrolling makes them.
; CHECK: %copy = {{.*}} !mem.cache_hint ![[CG]]
  %copy = load float, ptr addrspace(1) %p, !dbg !6
; CHECK: %inlined = {{.*}} !mem.cache_hint ![[LAST:[0-9]+]]
  %inlined = load float, ptr addrspace(1) %p, !dbg !9
; CHECK: %elsewhere = {{.*}} !mem.cache_hint ![[CS:[0-9]+]]
  %elsewhere = load float, ptr addrspace(1) %p, !dbg !11
; ALONE: %unlisted = {{.*}} !dbg ![[#]]{{$}}
; REST: %unlisted = {{.*}} !mem.cache_hint ![[REST:[0-9]+]]
  %unlisted = load float, ptr addrspace(1) %p, !dbg !12
; CHECK: %none = {{.*}} !dbg ![[#]]{{$}}
  %none = load float, ptr addrspace(1) %p, !dbg !13
  ret void
}
; CHECK-DAG: ![[CG]] = !{i32 0, ![[CG_NODE:[0-9]+]]}
; CHECK-DAG: ![[CG_NODE]] = !{!"sluice.cache_operator", !"cg"}
; CHECK-DAG: ![[CS]] = !{i32 0, ![[CS_NODE:[0-9]+]]}
; CHECK-DAG: ![[CS_NODE]] = !{!"sluice.cache_operator", !"cs"}
; CHECK-DAG: ![[LAST]] = !{i32 0, ![[LAST_NODE:[0-9]+]]}
; CHECK-DAG: ![[LAST_NODE]] = !{!"nvvm.l1_eviction", !"last"}
; REST-DAG: ![[REST]] = !{i32 0, ![[REST_NODE:[0-9]+]]}
; REST-DAG: ![[REST_NODE]] = !{!"nvvm.l2_prefetch_size", !"64B"}

attributes #0 = { "target-cpu"="sm_90" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: NoDebug)
!1 = !DIFile(filename: "folder/k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DIFile(filename: "f.h", directory: "/")
!6 = !DILocation(line: 3, column: 5, scope: !4)
!7 = distinct !DISubprogram(name: "f", scope: !5, file: !5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!8 = distinct !DILocation(line: 4, column: 9, scope: !4)
!9 = !DILocation(line: 1, column: 2, scope: !7, inlinedAt: !8)
!10 = distinct !DILocation(line: 5, column: 9, scope: !4)
!11 = !DILocation(line: 1, column: 2, scope: !7, inlinedAt: !10)
!12 = !DILocation(line: 2, column: 2, scope: !4)
!13 = !DILocation(line: 6, column: 1, scope: !4)
