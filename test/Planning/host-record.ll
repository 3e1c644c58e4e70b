; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What the plan asks of launches is left in the module by name, for kernels that
; are in it and in the plan; a plan that asks for nothing leaves nothing.
;
; RUN: %opt -passes='sluice-plan<plan=%t.none.yaml>' -S %s 2>&1 | FileCheck %s --check-prefix=MISSING
; RUN: printf 'sluice-plan: 2\ngpu: sm_90\nkernels:\n  - {name: both, carveout: 7, resident-blocks: 2, claimed-shared-bytes: 7168}\n  - {name: split, carveout: 50}\n  - {name: alone}\n' > %t.yaml
; RUN: %opt -passes='sluice-plan<plan=%t.yaml>,sluice-host-record' -S %s | FileCheck %s
; RUN: %opt -passes=sluice-host-record -S %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-linux-gnu/' %s | %opt -passes=sluice-host-record -S | FileCheck %s --check-prefix=NONE
;
; CHECK: @"__sluice_host$1$c7$s7168$d41984$4$both" = addrspace(1) global i8 0, align 1
; CHECK-NEXT: @"__sluice_host$1$c50$s0$d0$5$split" = addrspace(1) global i8 0, align 1
; CHECK-NOT: __sluice_host
; NONE-NOT: __sluice_host
; MISSING: warning: sluice-plan: nothing is planned: cannot read plan file

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @both(ptr %x) #0 {
  store float 1.0, ptr %x
  ret void
}

define ptx_kernel void @split(ptr %x) #0 {
  store float 1.0, ptr %x
  ret void
}

define ptx_kernel void @alone(ptr %x) #0 {
  store float 1.0, ptr %x
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
