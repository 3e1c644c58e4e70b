; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name obeys the plan in the module, and leaves alone what the
; code itself says of registers.
;
; RUN: %opt -passes='sluice-plan<registers=40>,sluice-register-limit' -S %s -pass-remarks=sluice-register -pass-remarks-missed=sluice-register 2> %t.remarks | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: %opt -passes=sluice-register-limit -S %s | FileCheck %s --check-prefix=NONE
; A plan is for sm_90 where code is for sm_90a.
; RUN: sed s/sm_90/sm_90a/ %s | %opt -passes='sluice-plan<registers=40>,sluice-register-limit' -S | FileCheck %s
; RUN: %opt -passes='sluice-plan<registers=40>,sluice-register-limit' %s | %llc | FileCheck %s --check-prefix=PTX
;
; CHECK: define ptx_kernel void @free(ptr %x) #[[FREE:[0-9]+]]
; CHECK: define ptx_kernel void @own(ptr %x) #[[OWN:[0-9]+]]
; CHECK: attributes #[[FREE]] = { {{.*}}"nvvm.maxnreg"="40"
; CHECK: attributes #[[OWN]] = { {{.*}}"nvvm.maxnreg"="64"
; NONE-NOT: "nvvm.maxnreg"="40"
; REMARK: a thread has at most 40 registers: 40 were asked for
; REMARK: registers are not limited: the source itself limits them
; PTX: .maxnreg 40
; PTX: .maxnreg 64

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @free(ptr %x) #0 {
  store float 1.0, ptr %x
  ret void
}

define ptx_kernel void @own(ptr %x) #1 {
  store float 1.0, ptr %x
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
attributes #1 = { "target-cpu"="sm_90" "nvvm.maxnreg"="64" }
