; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The two passes by their names, on a module from anywhere: in the copy LLVM's
; own intrinsics, divisions and libdevice's functions are replaced, arguments
; and arrays are the kernel's, and what both know of the arguments stays.
;
; RUN: %opt -passes='sluice-plan<gpu=sm_90;sfu=4>,sluice-sfu' -S %s | FileCheck %s --check-prefix=TWO
; RUN: %opt -passes='sluice-plan<gpu=sm_90;sfu=4>,sluice-sfu,sluice-sfu-join' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-plan<gpu=sm_90;sfu=4>,sluice-sfu,default<O3>,sluice-sfu-join' %s | %llc -mcpu=sm_90 | FileCheck %s --check-prefix=PTX
; RUN: %opt -passes='sluice-plan<gpu=sm_90;sfu=32>,sluice-sfu,sluice-sfu-join' -S %s | FileCheck %s --check-prefix=ALL
; RUN: %opt -passes='sluice-sfu,sluice-sfu-join' -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt -passes='sluice-plan<gpu=sm_90>,sluice-sfu,sluice-sfu-join' -S %s | FileCheck %s --check-prefix=NONE
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-linux-gnu/; s/ptx_kernel//' %s | %opt -passes='sluice-sfu,sluice-sfu-join' -S | FileCheck %s --check-prefix=NONE
;
; TWO: define ptx_kernel void @k(
; TWO: define ptx_kernel void @k__sluice_sfu(
; TWO: attributes {{.*}}"sluice-sfu-warps"="4"
;
; CHECK: define ptx_kernel void @k(ptr addrspace(1) noalias %a, i32 %n)
; CHECK-NEXT: partition:
; CHECK-NEXT: alloca [4 x float]
; CHECK-NEXT: alloca [4 x float]
; CHECK: %warp = lshr i32 %{{.*}}, 5
; CHECK-NEXT: %[[BELOW:.*]] = icmp ult i32 %warp, 4
; CHECK-NEXT: %[[LANES:.*]] = call i32 @llvm.nvvm.activemask()
; CHECK-NEXT: %approximates = call i1 @llvm.nvvm.vote.any.sync(i32 %[[LANES]], i1 %[[BELOW]])
; CHECK-NEXT: br i1 %approximates, label %[[APPROXIMATE:.*]], label %[[EXACT:.*]]
; CHECK: [[EXACT]]:
; CHECK: fdiv float %x, 3.0
; CHECK: call float @llvm.sqrt.f32(
; CHECK: call float @helper(
; CHECK: ret void
; CHECK: [[APPROXIMATE]]:
; CHECK: call float @llvm.nvvm.div.approx.ftz.f(float %{{.*}}, float 3.0
; CHECK: call float @llvm.nvvm.sqrt.approx.ftz.f(
; CHECK: call float @helper__sluice_sfu(
; CHECK: ret void
; CHECK: define internal float @helper(
; CHECK: fdiv
; CHECK-NOT: define {{.*}}@k__sluice_sfu
; CHECK: define internal float @helper__sluice_sfu(
; CHECK: call float @helper__sluice_sfu(
; CHECK: div.approx
; CHECK-NOT: sluice-sfu-warps
;
; PTX-LABEL: .entry k(
; PTX: setp.lt.u32
; PTX-DAG: sqrt.approx.ftz.f32
; PTX-DAG: sqrt.rn.f32
;
; ALL: define ptx_kernel void @k(
; ALL-NOT: lshr
; ALL: llvm.nvvm.div.approx.ftz.f
; ALL: define internal float @helper(
; NONE-NOT: approx
; NONE-NOT: __sluice_sfu

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) noalias %a, i32 %n) {
  %array = alloca [4 x float]
  store float 0.0, ptr %array
  %x = load float, ptr addrspace(1) %a
  %third = fdiv float %x, 3.0
  %root = call float @llvm.sqrt.f32(float %third)
  %helped = call float @helper(float %root, i32 %n)
  store float %helped, ptr addrspace(1) %a
  ret void
}

define internal float @helper(float %x, i32 %n) noinline {
  %ends = icmp eq i32 %n, 0
  br i1 %ends, label %end, label %again
again:
  %less = sub i32 %n, 1
  %below = call float @helper(float %x, i32 %less)
  %over = fdiv float %below, %x
  ret float %over
end:
  ret float %x
}

declare float @llvm.sqrt.f32(float)
