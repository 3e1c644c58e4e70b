; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What cannot be planned is a warning, and the module stays without a plan; what
; is no parameter is an error.
;
; RUN: sed 's/"target-cpu"="sm_90"//' %s | %opt -passes=sluice-plan -S 2>&1 | FileCheck %s --check-prefixes=NO-GPU,NONE
; RUN: sed 's/"target-cpu"="sm_90"//' %s | %opt -passes='sluice-plan<gpu=sm_80>' -S | FileCheck %s --check-prefix=SM80
; RUN: sed 's/sm_90/sm_35/' %s | %opt -passes=sluice-plan -S 2>&1 | FileCheck %s --check-prefixes=OLD,NONE
; RUN: sed s/nvptx64-nvidia-cuda/x86_64-linux-gnu/ %s | %opt -passes=sluice-plan -S 2>&1 | FileCheck %s --check-prefix=NONE
; RUN: sed '/^target triple/d' %s | %opt -passes=sluice-plan -S 2>&1 | FileCheck %s --check-prefixes=NO-TRIPLE,NONE
; RUN: sed '/^target triple/d' %s | %opt -mtriple=nvptx64-nvidia-cuda -passes=sluice-plan -S 2>&1 | FileCheck %s --check-prefix=TRIPLE --implicit-check-not=warning
; RUN: not %opt -passes='sluice-default<O4>' -S %s 2>&1 | FileCheck %s --check-prefix=NO-LEVEL
; RUN: not %opt -passes='sluice-default<O3;sms=0>' -S %s 2>&1 | FileCheck %s --check-prefix=NO-SMS
; RUN: %opt -passes='sluice-plan<launch=other:1:32>' -S %s 2>&1 | FileCheck %s --check-prefix=OTHER
; RUN: %opt -passes='sluice-plan<profile=%t.none>' -S %s 2>&1 | FileCheck %s --check-prefixes=NO-FILE,NONE
; RUN: %opt -passes='sluice-plan<libdevice=%t.none>' -S %s 2>&1 | FileCheck %s --check-prefixes=NO-LIBRARY,NONE
; RUN: not %opt -passes='sluice-plan<throttel=off>' -S %s 2>&1 | FileCheck %s --check-prefix=NO-OPTION
; RUN: not %opt -passes='sluice-plan<gpu=sm_90' -S %s 2>&1 | FileCheck %s --check-prefix=NO-PASS
;
; NO-GPU: warning: sluice-plan: nothing is planned: no kernel names its GPU (target-cpu); give it, as in 'sluice-plan<gpu=sm_90>'
; SM80: gpu:{{ +}}sm_80
; OLD: warning: sluice-plan: nothing is planned: {{.*}}sm_35
; NO-TRIPLE: warning: sluice-plan: nothing is planned: the module has no target triple; give opt -mtriple=nvptx64-nvidia-cuda
; TRIPLE: !sluice.plan
; NO-LEVEL: sluice-default: 'O4' is no level; it begins with O0, O1, O2, O3, Os or Oz, as in sluice-default<O3;gpu=sm_90>
; NO-SMS: sluice-default: invalid value '0' for option 'sms': expected a number of SMs from 1 to 1024
; OTHER: warning: sluice-plan: launch=other:...: no kernel of that name in this file
; OTHER: !sluice.plan
; NO-FILE: warning: sluice-plan: nothing is planned: {{.*}}.none'
; NO-LIBRARY: warning: sluice-plan: nothing is planned: there is no file 'libdevice={{.*}}.none'
; NO-OPTION: sluice-plan: unknown option 'throttel'; did you mean 'throttle'?
; NO-PASS: unknown pass name
; NONE-NOT: sluice.plan

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
