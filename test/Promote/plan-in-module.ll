; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name obeys the plan in the module: what it keeps in memory,
; and promote=off. Without a plan it promotes all it can, or nothing.
;
; RUN: %opt -passes='sluice-plan<gpu=sm_90>,function(loop-simplify,lcssa),sluice-promote' -S %s | FileCheck %s --check-prefix=DONE
; RUN: %opt -passes='function(loop-simplify,lcssa),sluice-promote' -S %s | FileCheck %s --check-prefix=DONE
; RUN: %opt -passes='function(loop-simplify,lcssa),sluice-promote<planned>' -S %s | FileCheck %s --check-prefix=NOT
; RUN: %opt -passes='sluice-plan<gpu=sm_90;promote=off>,function(loop-simplify,lcssa),sluice-promote' -S %s | FileCheck %s --check-prefix=NOT
; RUN: %opt -passes='sluice-plan<gpu=sm_90;emit-plan=%t.yaml>' -disable-output %s
; RUN: grep 'promote: *true' %t.yaml
; RUN: sed -i 's/promote: *true/promote: false/' %t.yaml
; RUN: %opt -passes='sluice-plan<gpu=sm_90;plan=%t.yaml>,function(loop-simplify,lcssa),sluice-promote' -S %s -pass-remarks-missed=sluice-promote 2> %t.remarks | FileCheck %s --check-prefix=NOT
; RUN: FileCheck %s --check-prefix=KEPT --input-file %t.remarks
;
; DONE: lver.orig
; NOT-NOT: lver.orig
; KEPT: what the loop adds up in memory stays there: the given plan says so

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sums(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul nsw i32 %tx, 128
  %py = getelementptr inbounds float, ptr %y, i32 %tx
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %i = add nsw i32 %row, %j
  %pa = getelementptr inbounds float, ptr %A, i32 %i
  %a = load float, ptr %pa
  %old = load float, ptr %py
  %new = fadd float %old, %a
  store float %new, ptr %py
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 128
  br i1 %again, label %loop, label %exit

exit:
  ret void
}
