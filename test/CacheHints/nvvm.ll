; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; IR as mlir-translate makes it of Inputs/nvvm.mlir, through opt to llc.
;
; RUN: %opt -passes='sluice-cache-hints<all=L1::no_allocate+L2::128B>' %s | %llc -mcpu=sm_90 | FileCheck %s
; CHECK: .entry add(
; CHECK: ld.global.L1::no_allocate.L2::128B.b32
; CHECK: ld.global.L1::no_allocate.L2::128B.b32
; CHECK-NOT: ld.global

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @add(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2) {
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = mul i32 %4, %5
  %8 = add i32 %7, %6
  %9 = getelementptr float, ptr addrspace(1) %0, i32 %8
  %10 = getelementptr float, ptr addrspace(1) %1, i32 %8
  %11 = load float, ptr addrspace(1) %9, align 4
  %12 = load float, ptr addrspace(1) %10, align 4
  %13 = fadd float %11, %12
  %14 = getelementptr float, ptr addrspace(1) %2, i32 %8
  store float %13, ptr addrspace(1) %14, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #0

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
