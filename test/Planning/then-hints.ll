; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The plan travels in the module: hints are set after the optimiser has unrolled
; the loop, on all copies of the loads that the plan names, without a file. With
; none in it there are none; a plan of two modules is no plan.
;
; RUN: %opt -passes='sluice-plan,default<O3>,sluice-cache-hints' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-plan<hints=off>,default<O3>,sluice-cache-hints' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='sluice-plan,strip,sluice-cache-hints' -S %s 2>&1 | FileCheck %s --check-prefixes=STRIPPED,OFF
; RUN: %opt -passes=sluice-plan %s -o %t.bc
; RUN: sed s/@ellpack/@other/ %s | %opt -passes=sluice-plan -o %t.other.bc
; RUN: llvm-link %t.bc %t.other.bc | %opt -passes=sluice-cache-hints -S 2>&1 | FileCheck %s --check-prefix=TWO
; RUN: %opt -passes=sluice-plan -S %s | sed 's/throttle:        1/throttle: 99/' | %opt -passes=sluice-cache-hints -S 2>&1 | FileCheck %s --check-prefix=BROKEN
;
; CHECK: load float{{.*}}!mem.cache_hint
; CHECK: load i32{{.*}}!mem.cache_hint
; CHECK: load float
; CHECK-NOT: mem.cache_hint
; CHECK: load float{{.*}}!mem.cache_hint
; STRIPPED: warning: sluice: the plan's load at then-hints.ll:[[#]]:1 matches none in kernel 'ellpack'
; OFF-NOT: mem.cache_hint
; TWO: warning: no cache hints are set: !sluice.plan is not one plan; run sluice-plan again
; BROKEN: warning: no cache hints are set: !sluice.plan:{{.*}}throttle must be a number

target triple = "nvptx64-nvidia-cuda"

; sum += data[k * n + i] * x[indices[k * n + i] & 1023]
define ptx_kernel void @ellpack(ptr %data, ptr %indices, ptr %x, ptr %y, i32 %n) #0 {
entry:
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %bx, %nx
  %i = add i32 %first, %tx
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %row = mul nsw i32 %k, %n
  %at = add nsw i32 %row, %i
  %pd = getelementptr inbounds float, ptr %data, i32 %at
  %d = load float, ptr %pd
  %pi = getelementptr inbounds i32, ptr %indices, i32 %at
  %index = load i32, ptr %pi
  %low = and i32 %index, 1023
  %px = getelementptr inbounds float, ptr %x, i32 %low
  %v = load float, ptr %px
  %dv = fmul float %d, %v
  %more = fadd float %sum, %dv
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 16
  br i1 %again, label %loop, label %exit

exit:
  %py = getelementptr float, ptr %y, i32 %i
  store float %more, ptr %py
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
