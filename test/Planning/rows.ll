; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; IR by hand, without debug information: instructions are numbered, and the plan
; names loops and loads so. There is no text for turns, so blocks are limited.
;
; RUN: %opt -passes='sluice-plan<software-l1=off;emit-plan=->' -S %s -o %t.ll | FileCheck %s --check-prefix=PLAN
; RUN: FileCheck %s --check-prefix=IR --input-file %t.ll
; RUN: %opt -passes='sluice-plan<software-l1=off>' -S < %t.ll > %t.again.ll
; RUN: %opt -passes='sluice-plan<software-l1=off>' -S < %t.again.ll | diff %t.again.ll -
; RUN: %opt -passes='sluice-plan<software-l1=off>' -S %s -pass-remarks-analysis=sluice 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
;
; PLAN: source: rows.ll
; PLAN: gpu: sm_90
; PLAN: - name: rows
; PLAN: carveout:
; PLAN-NEXT: resident-blocks: 4
; PLAN: launches:
; PLAN-NEXT: - grid: [ '?', '?', '?' ]
; PLAN-NEXT: block: [ 256, 1, 1 ]
; PLAN: - loop: 'rows.ll:7:1'
; PLAN-NEXT: throttle: 1
; PLAN-NEXT: why: {{.*}}N=4 is wanted {{.*}} has no source text in which turns could be written
; PLAN: - at: 'rows.ll:12:1'
; PLAN-NEXT: kind: load
;
; IR: %a = load float, ptr %pa, align 4, !dbg ![[A:[0-9]+]]
; IR-NOT: barrier
; IR: !sluice.plan = !{![[TEXT:[0-9]+]]}
; IR: distinct !DICompileUnit({{.*}}emissionKind: NoDebug
; IR: ![[A]] = !DILocation(line: 12, column: 1
; REMARK: of the loop at rows.ll:7:1 is beyond the L1; with M=4
; REMARK: remark: rows.ll:7:1: {{.*}}N=4 is wanted

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rows(ptr %A, ptr %B, ptr %y) #0 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %bx, %nx
  %thread = add i32 %first, %tx
  %row = mul i32 %thread, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = add i32 %row, %j
  %pa = getelementptr float, ptr %A, i32 %i
  %a = load float, ptr %pa
  %pb = getelementptr float, ptr %B, i32 %i
  %b = load float, ptr %pb
  %ab = fmul float %a, %b
  %more = fadd float %sum, %ab
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 512
  br i1 %again, label %loop, label %exit

exit:
  %py = getelementptr float, ptr %y, i32 %thread
  store float %more, ptr %py
  ret void
}

attributes #0 = { "target-cpu"="sm_90" "nvvm.reqntid"="256" }
