; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A kernel's launches may stand at the kernel, in whatever made the IR.
;
; RUN: %opt -passes='sluice-plan<emit-plan=->' -disable-output %s | FileCheck %s
; RUN: %opt -passes='sluice-plan<launch=rows:64:128;emit-plan=->' -disable-output %s | FileCheck %s --check-prefix=OPTION
; RUN: sed 's/1056:256 /1056:256x8 128 /' %s | %opt -passes='sluice-plan<emit-plan=->' -disable-output 2>&1 | FileCheck %s --check-prefix=BAD
;
; CHECK: launches:
; CHECK-NEXT: - grid: [ 1056, 1, 1 ]
; CHECK-NEXT: block: [ 256, 1, 1 ]
; CHECK: - grid: [ '?', 2, 1 ]
; CHECK-NEXT: block: [ 32, 8, 1 ]
; CHECK-NEXT: shared: 4096
; CHECK: - grid: [ 4, 1, 1 ]
; CHECK-NEXT: block: [ 64, 1, 1 ]
; CHECK-NEXT: shared: '?'
; CHECK: loops:
;
; OPTION: - grid: [ 64, 1, 1 ]
; OPTION-NEXT: block: [ 128, 1, 1 ]
; OPTION-NOT: grid: [ 4, 1, 1 ]
;
; BAD-DAG: warning: sluice-plan: kernel 'rows': no launch is '1056:256x8' in its attribute sluice-launches; it would be GRID:BLOCK[:SMEM], as in 1056:256
; BAD-DAG: warning: {{.*}}no launch is '128' in
; BAD-DAG: - grid: [ 4, 1, 1 ]

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

attributes #0 = { "target-cpu"="sm_90" "nvvm.reqntid"="256" "sluice-launches"="1056:256 ?x2:32x8:4096 4:64:?" }
