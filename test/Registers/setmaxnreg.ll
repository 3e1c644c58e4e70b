; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Warps that hand registers over wait until there are enough. A limit would say
; how many there are.
;
; RUN: %opt -passes='sluice-plan<registers=40>,sluice-register-limit' -S %s -pass-remarks-missed=sluice-register 2> %t.remarks | FileCheck %s
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: sed 's/setmaxnreg.dec/nothing.dec/' %s | %opt -passes='sluice-plan<registers=40>,sluice-register-limit' -S | FileCheck %s --check-prefix=WITHOUT
;
; CHECK-NOT: nvvm.maxnreg
; WITHOUT: "nvvm.maxnreg"="40"
; REMARK: registers are not limited: warps of this module hand them over (setmaxnreg)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %x) #0 {
  call void @hand()
  store float 1.0, ptr %x
  ret void
}

define internal void @hand() {
  call void asm sideeffect "setmaxnreg.dec.sync.aligned.u32 24;", ""()
  ret void
}

attributes #0 = { "target-cpu"="sm_90a" }
