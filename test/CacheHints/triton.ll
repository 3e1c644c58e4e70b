; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; IR in the form in which Triton has it after its own passes: kernels marked by
; nvvm.annotations or by convention, global pointers, predicated loads as
; assembly, which are left alone, and loads of IR.
;
; RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last>' %s | %llc -mcpu=sm_90 -mattr=+ptx87 | FileCheck %s
; RUN: sed 's/^define void/define ptx_kernel void/; /^!nvvm/d' %s | %opt -passes='sluice-cache-hints<all=L1::evict_last>' | %llc -mcpu=sm_90 -mattr=+ptx87 | FileCheck %s
;
; CHECK: .entry add_kernel(
; CHECK: @%p1 ld.global.v4.b32 { %r{{.*}} }, [ %rd{{[0-9]+}} + 0 ];
; CHECK: ld.global.L1::evict_last.v4.b32 {{{.*}}}, [%rd{{[0-9]+}}];
; CHECK: ld.global.L1::evict_last.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
; CHECK-NOT: L1::
; CHECK: st.global.v4.b32

target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @add_kernel(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, ptr addrspace(1) %3, i32 %4) local_unnamed_addr #0 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %7 = shl i32 %6, 10
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = shl i32 %8, 2
  %10 = and i32 %9, 508
  %11 = or disjoint i32 %7, %10
  %12 = icmp slt i32 %11, %4
  %13 = sext i32 %11 to i64
  %14 = getelementptr float, ptr addrspace(1) %0, i64 %13
  %15 = tail call { i32, i32, i32, i32 } asm sideeffect "mov.u32 $0, 0x0;\0A\09mov.u32 $1, 0x0;\0A\09mov.u32 $2, 0x0;\0A\09mov.u32 $3, 0x0;\0A\09@$5 ld.global.v4.b32 { $0, $1, $2, $3 }, [ $4 + 0 ];", "=r,=r,=r,=r,l,b"(ptr addrspace(1) %14, i1 %12)
  %16 = extractvalue { i32, i32, i32, i32 } %15, 0
  %17 = bitcast i32 %16 to float
  %18 = getelementptr float, ptr addrspace(1) %1, i64 %13
  %19 = load <4 x float>, ptr addrspace(1) %18, align 16
  %20 = load float, ptr addrspace(1) %3, align 4
  %21 = fadd float %17, %20
  %22 = insertelement <4 x float> poison, float %21, i64 0
  %23 = shufflevector <4 x float> %22, <4 x float> poison, <4 x i32> zeroinitializer
  %24 = fadd <4 x float> %19, %23
  %25 = getelementptr float, ptr addrspace(1) %2, i64 %13
  store <4 x float> %24, ptr addrspace(1) %25, align 16
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "nvvm.reqntid"="128" }

!nvvm.annotations = !{!0}
!0 = !{ptr @add_kernel, !"kernel", i32 1}
