; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name: a test of the addresses before the loop, and the sum in
; a register in the version where they are apart.
;
; RUN: %opt -passes='function(loop-simplify,lcssa),sluice-promote' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-promote' -disable-output %s -pass-remarks=sluice-promote 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: sed s/nvptx64-nvidia-cuda/x86_64-linux-gnu/ %s | %opt -passes=sluice-promote -S | FileCheck %s --check-prefix=NONE
; RUN: not %opt -passes='sluice-promote<x>' -S %s 2>&1 | FileCheck %s --check-prefix=ERROR
;
; CHECK: %[[OVERLAP:.*]] = and i1 %{{.*}}, %{{.*}}
; CHECK-NEXT: br i1 %[[OVERLAP]], label %loop.ph.lver.orig, label %loop.ph
; CHECK: loop.lver.orig:
; CHECK: store float
; CHECK: {{^}}loop:
; CHECK: phi float
; CHECK: fadd float
; CHECK-NOT: store
; CHECK: br i1 {{.*}} label %loop, label %[[EXIT:.*]], !llvm.loop
; CHECK: {{^}}[[EXIT]]:
; CHECK: store float
; REMARK: remark: {{.*}}register
; NONE-NOT: phi float
; ERROR: unknown

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
