; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A block's size is read before the index that it is multiplied by.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()

; CHECK-LABEL: define ptx_kernel void @both(
; CHECK-NEXT: %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK-NEXT: %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK-NEXT: %i = mul
; CHECK-NEXT: %m = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
; CHECK-NEXT: %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
define ptx_kernel void @both(ptr addrspace(1) %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %i = mul i32 %b, %n
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %m = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %j = mul i32 %m, %c
  store i32 %i, ptr addrspace(1) %p
  store i32 %j, ptr addrspace(1) %p
  ret void
}

; With 64 bits.
; CHECK-LABEL: define ptx_kernel void @wide(
; CHECK-NEXT: %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
; CHECK-NEXT: %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @wide(ptr addrspace(1) %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b8 = zext i32 %b to i64
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %n8 = zext i32 %n to i64
  %i = mul i64 %b8, %n8
  store i64 %i, ptr addrspace(1) %p
  ret void
}

; What is used by itself may stay in a register that lanes share.
; CHECK-LABEL: define ptx_kernel void @alone(
; CHECK-NEXT: %b = call
; CHECK-NEXT: %n = call
define ptx_kernel void @alone(ptr addrspace(1) %p) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %i = mul i32 %b, %n
  store i32 %i, ptr addrspace(1) %p
  store i32 %b, ptr addrspace(1) %p
  ret void
}

; Sizes along another direction, and of another block of code.
; CHECK-LABEL: define ptx_kernel void @other(
; CHECK-NEXT: %b = call
define ptx_kernel void @other(ptr addrspace(1) %p, i1 %c) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %i = mul i32 %b, %n
  store i32 %i, ptr addrspace(1) %p
  %b2 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  br i1 %c, label %then, label %end
; CHECK: then:
; CHECK-NEXT: %n2 = call
then:
  %n2 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %j = mul i32 %b2, %n2
  store i32 %j, ptr addrspace(1) %p
  ret void
end:
  ret void
}
