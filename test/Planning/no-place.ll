; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads of line 0, as LLVM leaves where it makes one load of two, have no place:
; no entry of a plan is for them, also not one for the place <unknown>, which
; would be for all of them.
;
; RUN: sed 's/line: 0/line: 7/' %s > %t.known.ll
; RUN: %opt -passes='sluice-plan<emit-plan=->' -disable-output %t.known.ll | FileCheck %s --check-prefix=KNOWN
; KNOWN: loads:
; KNOWN-NEXT: load: 'k.cu:7:1'
; RUN: %opt -passes='sluice-plan<emit-plan=->' -disable-output %s | FileCheck %s
; CHECK: at: '<unknown>'
; CHECK-NOT: loads:
; RUN: echo '{sluice-plan: 4, gpu: sm_90, kernels: [{name: gather, loads: [{load: "<unknown>", hint: cg}]}]}' > %t.yaml
; RUN: %opt -passes='sluice-plan<plan=%t.yaml>,sluice-cache-hints' -S %s 2>&1 | FileCheck %s --check-prefix=GIVEN
; GIVEN: warning: sluice: the plan's load at <unknown> matches none in kernel 'gather'
; GIVEN-NOT: mem.cache_hint

target triple = "nvptx64-nvidia-cuda"

; sum += data[k * n + i] * x[indices[k * n + i] & 1023]
define ptx_kernel void @gather(ptr %data, ptr %indices, ptr %x, ptr %y, i32 %n) #0 !dbg !4 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !5
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !5
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !5
  %first = mul i32 %bx, %nx, !dbg !5
  %i = add i32 %first, %tx, !dbg !5
  br label %loop, !dbg !5

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ], !dbg !5
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ], !dbg !5
  %row = mul nsw i32 %k, %n, !dbg !5
  %at = add nsw i32 %row, %i, !dbg !5
  %pd = getelementptr inbounds float, ptr %data, i32 %at, !dbg !5
  %d = load float, ptr %pd, !dbg !6
  %pi = getelementptr inbounds i32, ptr %indices, i32 %at, !dbg !5
  %index = load i32, ptr %pi, !dbg !6
  %low = and i32 %index, 1023, !dbg !5
  %px = getelementptr inbounds float, ptr %x, i32 %low, !dbg !5
  %v = load float, ptr %px, !dbg !7
  %dv = fmul float %d, %v, !dbg !5
  %more = fadd float %sum, %dv, !dbg !5
  %k.next = add nuw nsw i32 %k, 1, !dbg !5
  %again = icmp ult i32 %k.next, 16, !dbg !5
  br i1 %again, label %loop, label %exit, !dbg !5

exit:
  %py = getelementptr float, ptr %y, i32 %i, !dbg !5
  store float %more, ptr %py, !dbg !5
  ret void, !dbg !5
}

attributes #0 = { "target-cpu"="sm_90" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: NoDebug)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "gather", scope: !1, file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 1, scope: !4)
!6 = !DILocation(line: 0, column: 1, scope: !4)
!7 = !DILocation(line: 5, column: 1, scope: !4)
