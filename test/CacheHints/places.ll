; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads with debug locations, as all have that a plan names: llc verifies the
; module once more when hints have been tagged. GVN, at -O3, makes a load for
; the way around the first one; it has the second one's place, and so its hint, if
; there is one hint at that place.
;
; RUN: %llc -O3 -mcpu=sm_90 %s -o - | FileCheck %s
; RUN: sed 's/line: 5/line: 4/; /^!11/s/last/first/' %s | %llc -O3 -mcpu=sm_90 -pass-remarks-missed=sluice-cache-hints -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ONE-PLACE
; ONE-PLACE: {{^}}remark: k.cu:4:9: no cache hint: the load was made by the code generator
;
; CHECK-LABEL: .entry partly(
; CHECK-NOT: ld.global
; CHECK: ld.global.L1::evict_last.b32
; CHECK-NOT: ld.global
; CHECK: ld.global.L1::evict_last.b32
; CHECK-NOT: ld.global

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @partly(ptr addrspace(1) %p, ptr addrspace(1) noalias %out, i32 %n, i1 %loads) !dbg !6 {
entry:
  br i1 %loads, label %first, label %around, !dbg !8

first:
  %a = load i32, ptr addrspace(1) %p, !dbg !9, !mem.cache_hint !0
  %a.old = atomicrmw add ptr addrspace(1) %out, i32 %a syncscope("device") monotonic, !dbg !8
  br label %second, !dbg !8

around:
  %n.old = atomicrmw add ptr addrspace(1) %out, i32 %n syncscope("device") monotonic, !dbg !8
  br label %second, !dbg !8

second:
  %b = load i32, ptr addrspace(1) %p, !dbg !10, !mem.cache_hint !1
  store i32 %b, ptr addrspace(1) %out, !dbg !8
  ret void, !dbg !8
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!4}
!0 = !{i32 0, !11}
!1 = !{i32 0, !12}
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, emissionKind: NoDebug)
!3 = !DIFile(filename: "k.cu", directory: "/")
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !{})
!6 = distinct !DISubprogram(name: "partly", scope: !3, file: !3, type: !5, unit: !2, spFlags: DISPFlagDefinition)
!8 = !DILocation(line: 3, column: 5, scope: !6)
!9 = !DILocation(line: 4, column: 9, scope: !6)
!10 = !DILocation(line: 5, column: 9, scope: !6)
!11 = !{!"nvvm.l1_eviction", !"last"}
!12 = !{!"nvvm.l1_eviction", !"last"}
