; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What names a loop and a load in code without debug information: the numbers of
; instructions, those of the calls they were inlined through among them. So two
; loads that one line of the source or one macro made are apart; copies are not.
;
; RUN: split-file %s %t
; RUN: %opt -passes='sluice-plan<plan=%t/plan.yaml>,default<O3>,sluice-cache-hints' %t/in.ll 2>%t/warnings | %llc -mcpu=sm_90 | FileCheck %s
; RUN: count 0 < %t/warnings
; RUN: %opt -passes='sluice-plan<emit-plan=->' -disable-output %t/in.ll | FileCheck %s --check-prefix=PLAN
;
; PLAN: - name: first
; PLAN: - loop: 'in.ll:1:1'
; PLAN-NEXT: inlined-at: [ 'in.ll:14:1' ]
; PLAN: - at: 'in.ll:6:1'
; PLAN-NEXT: inlined-at: [ 'in.ll:14:1' ]
; PLAN: - at: 'in.ll:7:1'
; PLAN: - name: second
; PLAN: - loop: 'in.ll:1:1'
; PLAN-NEXT: inlined-at: [ 'in.ll:17:1' ]
;
; CHECK-LABEL: .entry first(
; CHECK-NOT: ld.global
; CHECK: ld.global.L1::evict_last.b32 %r{{[0-9]+}}, [%[[P:rd[0-9]+]]{{[+0-9-]*}}];
; CHECK: ld.global.L1::evict_first.b32 %r{{[0-9]+}}, [%[[P]]{{[+0-9-]*}}];
; CHECK: ld.global.L1::evict_last.b32
; CHECK: ld.global.L1::evict_first.b32
; CHECK-NOT: ld.global.{{[^L]}}
; CHECK-LABEL: .entry second(
; CHECK-NOT: ld.global.{{[^c]}}
; CHECK: ld.global.cs.b32
; CHECK-NOT: ld.global.{{[^c]}}
; CHECK: ld.global.cg.b32
; CHECK-NOT: ld.global.{{[^c]}}

;--- plan.yaml
sluice-plan: 4
gpu: sm_90
kernels:
  - name: first
    loads:
      - { load: 'in.ll:6:1', hint: L1::evict_last }
      - { load: 'in.ll:7:1', hint: L1::evict_first }
  - name: second
    loads:
      - { load: 'in.ll:6:1', inlined-at: [ 'in.ll:17:1' ], hint: cs }
      - { load: 'in.ll:7:1', inlined-at: [ 'in.ll:17:1' ], hint: cg }
;--- in.ll
target triple = "nvptx64-nvidia-cuda"

define internal float @sum(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %here = getelementptr [3 x float], ptr addrspace(1) %p, i32 %j
  %next = getelementptr i8, ptr addrspace(1) %here, i32 4
  %a = load float, ptr addrspace(1) %here
  %b = load float, ptr addrspace(1) %next
  %ab = fmul float %a, %b
  %more = fadd float %sum, %ab
  %j.next = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %j.next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret float %more
}

define ptx_kernel void @first(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) #0 {
  %s = call float @sum(ptr addrspace(1) %p, i32 %n)
  store float %s, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @second(ptr addrspace(1) %p, ptr addrspace(1) %out, i32 %n) #0 {
  %s = call float @sum(ptr addrspace(1) %p, i32 %n)
  store float %s, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
