; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Launch bounds, a demanded shape of blocks, clusters and annotations are those
; that the plan is made for.
;
; RUN: %opt -passes='sluice-plan<emit-plan=->' -disable-output %s | FileCheck %s
; CHECK: name: _Z6squareILi4EEvPf
; CHECK-NEXT: display: 'square<4>'
; CHECK: block: [ 16, 16, 1 ]
; CHECK: name: bounded
; CHECK-NEXT: display: bounded
; CHECK: why: {{.*}}no launch of this kernel{{.*}}
; CHECK: name: off
; CHECK-NOT: resident-blocks
; CHECK: why: the source switches Sluice off for this kernel

target triple = "nvptx64-nvidia-cuda"

@text = private constant [11 x i8] c"sluice:off\00"
@file = private constant [4 x i8] c"a.x\00"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @off, ptr @text, ptr @file, i32 1, ptr null }]

define ptx_kernel void @_Z6squareILi4EEvPf(ptr %A) #0 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %bx, 1024
  %thread = add i32 %first, %tx
  %row = mul i32 %thread, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = add i32 %row, %j
  %pa = getelementptr float, ptr %A, i32 %i
  %a = load float, ptr %pa
  %more = fadd float %sum, %a
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 512
  br i1 %again, label %loop, label %exit

exit:
  %py = getelementptr float, ptr %A, i32 %thread
  store float %more, ptr %py
  ret void
}

define ptx_kernel void @bounded(ptr %A) #1 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %bx, 1024
  %thread = add i32 %first, %tx
  %row = mul i32 %thread, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = add i32 %row, %j
  %pa = getelementptr float, ptr %A, i32 %i
  %a = load float, ptr %pa
  %more = fadd float %sum, %a
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 512
  br i1 %again, label %loop, label %exit

exit:
  %py = getelementptr float, ptr %A, i32 %thread
  store float %more, ptr %py
  ret void
}

define ptx_kernel void @off(ptr %A) #2 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %bx, 1024
  %thread = add i32 %first, %tx
  %row = mul i32 %thread, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %i = add i32 %row, %j
  %pa = getelementptr float, ptr %A, i32 %i
  %a = load float, ptr %pa
  %more = fadd float %sum, %a
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, 512
  br i1 %again, label %loop, label %exit

exit:
  %py = getelementptr float, ptr %A, i32 %thread
  store float %more, ptr %py
  ret void
}

attributes #0 = { "target-cpu"="sm_90" "nvvm.reqntid"="16,16" }
attributes #1 = { "target-cpu"="sm_90" "nvvm.maxntid"="512,2" "nvvm.minctasm"="1" }
attributes #2 = { "target-cpu"="sm_90" "nvvm.reqntid"="256" }
