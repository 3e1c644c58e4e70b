; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; One name for LLVM's pipeline with all techniques at their places: rows are
; staged before the loop is unrolled, hints are set at the end.
;
; RUN: %opt -passes='sluice-default<O3;launch=rows:1056:256>' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-default<O0;launch=rows:1056:256>' -S %s | FileCheck %s --check-prefix=STAGED
; RUN: %opt -passes='sluice-plan<software-l1=off;launch=rows:1056:256>' -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sluice-default<O3;launch=rows:1056:256>' %s -o %t.bc
; RUN: opt -O3 %s -o %t.plain.bc
; RUN: %sluice emulate %t.bc --compare=%t.plain.bc --launch=%S/Inputs/pipeline.yaml --check=memory+races
;
; CHECK: @__sluice_staged.rows = internal addrspace(3) global
; CHECK: cp.async
; STAGED: @__sluice_staged.rows
; NONE-NOT: @__sluice_staged

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @rows(ptr %A, ptr %x, ptr %y) #0 {
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
  %px = getelementptr float, ptr %x, i32 %j
  %b = load float, ptr %px
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

attributes #0 = { "target-cpu"="sm_90" }
