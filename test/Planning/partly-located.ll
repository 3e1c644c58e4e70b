; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A kernel with debug information calls a function without, as a library may be
; linked. The function's instructions are numbered, and so are the calls, which
; had no location as long as there was nothing to be inlined from. All else of
; the kernel keeps what it has.
;
; RUN: split-file %s %t
; RUN: %opt -passes=sluice-plan,verify -S %t/in.ll | FileCheck %s
; RUN: %opt -passes='sluice-plan<plan=%t/plan.yaml>,default<O3>,sluice-cache-hints' %t/in.ll 2>%t/warnings | %llc -mcpu=sm_90 | FileCheck %s --check-prefix=PTX
; RUN: count 0 < %t/warnings
;
; CHECK: %x = call float @at({{.*}}), !dbg ![[X:[0-9]+]]
; CHECK: %y = call float %indirect({{.*}}), !dbg ![[Y:[0-9]+]]
; CHECK: call void @llvm.nvvm.barrier{{.*}}){{$}}
; CHECK: %c = load float, ptr addrspace(1) %a, align 4{{$}}
; CHECK-DAG: ![[KERNEL:[0-9]+]] = distinct !DISubprogram(name: "k"
; CHECK-DAG: ![[FILE:[0-9]+]] = !DIFile(filename: "in.ll"
; CHECK-DAG: ![[X]] = !DILocation(line: 4, column: 1, scope: ![[SCOPE:[0-9]+]])
; CHECK-DAG: ![[SCOPE]] = !DILexicalBlockFile(scope: ![[KERNEL]], file: ![[FILE]]
; CHECK-DAG: ![[Y]] = !DILocation(line: 6, column: 1, scope: ![[SCOPE]])
;
; PTX: ld.global.L1::evict_last.b32 %r{{[0-9]+}}, [%[[A:rd[0-9]+]]+12];
; PTX: ld.global.L1::evict_first.b32 %r{{[0-9]+}}, [%[[A]]+20];

;--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: k
    loads:
      - { load: 'in.ll:2:1', inlined-at: [ 'in.ll:4:1' ], hint: L1::evict_last }
      - { load: 'in.ll:2:1', inlined-at: [ 'in.ll:6:1' ], hint: L1::evict_first }
;--- in.ll
target triple = "nvptx64-nvidia-cuda"

define internal float @at(ptr addrspace(1) %p, i32 %i) {
  %q = getelementptr float, ptr addrspace(1) %p, i32 %i
  %v = load float, ptr addrspace(1) %q
  ret float %v
}

define ptx_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) #0 !dbg !4 {
  %x = call float @at(ptr addrspace(1) %a, i32 3)
  %indirect = select i1 true, ptr @at, ptr null
  %y = call float %indirect(ptr addrspace(1) %a, i32 5)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %c = load float, ptr addrspace(1) %a
  %xy = fadd float %x, %y, !dbg !5
  %xyc = fadd float %xy, %c, !dbg !5
  store float %xyc, ptr addrspace(1) %out, !dbg !5
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 5, scope: !4)
