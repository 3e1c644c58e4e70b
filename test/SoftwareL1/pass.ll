; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name does what the plan in the module says, in IR that has no
; debug information; without a plan, or without its loop, nothing.
;
; RUN: %opt -passes='sluice-plan,function(loop-simplify),sluice-software-l1' %s -S -o %t.ll -pass-remarks=sluice-software 2> %t.remarks
; RUN: FileCheck %s --input-file %t.ll
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: %opt -passes='default<O3>' %t.ll | %llc -mcpu=sm_90 | FileCheck %s --check-prefix=PTX
; RUN: %opt -passes='function(loop-simplify),sluice-software-l1' %s -S | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sluice-plan<software-l1=off>,function(loop-simplify),sluice-software-l1' %s -S | FileCheck %s --check-prefix=NONE
; RUN: sed 's/"target-cpu"="sm_90"/"target-cpu"="sm_75"/' %s | %opt -passes='sluice-plan,function(loop-simplify),sluice-software-l1' -S -o %t.75.ll
; RUN: %opt -passes='default<O3>' %t.75.ll | %llc -mcpu=sm_75 | FileCheck %s --check-prefix=PLAIN
;
; CHECK: @__sluice_staged.rows = internal addrspace(3) global [{{[0-9]+}} x i8] poison, align 128
; CHECK: @__sluice_staging_locks.rows = internal addrspace(3) global [{{[0-9]+}} x i32] poison, align 4
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: loop.unstaged:
; CHECK: load float, ptr %
; REMARK: of the loop {{(is|are)}} staged in shared memory, 32 iterations at a time
; PTX: cp.async.cg.shared.global
; PTX: ld.shared
; PLAIN-NOT: cp.async
; PLAIN: ld.global.v4.b32
; PLAIN: st.shared.v4.b32
; PLAIN-NOT: cp.async
; NONE-NOT: sluice_staged

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
