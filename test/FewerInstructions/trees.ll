; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which switches are to be no table of branches.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK: remark: {{.*}}1 switch is comparisons and no table: most of its cases go on together
; CHECK-NOT: remark:

; Three ways meet, and lanes of a fourth leave.
; CHECK: define ptx_kernel void @leaves({{.*}}) [[TREES:#[0-9]+]] {
define ptx_kernel void @leaves(ptr addrspace(1) %p, i32 %x) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %n, label %none [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %meet
    i32 4, label %none
  ]
one:
  %x1 = add i32 %x, 1
  br label %meet
two:
  %x2 = mul i32 %x, 3
  br label %meet
meet:
  %y = phi i32 [ %x1, %one ], [ %x2, %two ], [ %x, %0 ]
  %y1 = mul i32 %y, %y
  %y2 = xor i32 %y1, %x
  %y3 = mul i32 %y2, %y2
  %y4 = xor i32 %y3, %y1
  %y5 = mul i32 %y4, %y4
  %y6 = xor i32 %y5, %y3
  store i32 %y6, ptr addrspace(1) %p
  ret void
none:
  ret void
}

; All ways meet there, so a table's lanes do too.
; CHECK: define ptx_kernel void @all_meet({{.*}}) {
define ptx_kernel void @all_meet(ptr addrspace(1) %p, i32 %x) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %n, label %meet [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %meet
    i32 4, label %two
  ]
one:
  %x1 = add i32 %x, 1
  br label %meet
two:
  %x2 = mul i32 %x, 3
  br label %meet
meet:
  %y = phi i32 [ %x1, %one ], [ %x2, %two ], [ %x, %0 ], [ %x, %0 ]
  %y1 = mul i32 %y, %y
  %y2 = xor i32 %y1, %x
  %y3 = mul i32 %y2, %y2
  %y4 = xor i32 %y3, %y1
  %y5 = mul i32 %y4, %y4
  %y6 = xor i32 %y5, %y3
  store i32 %y6, ptr addrspace(1) %p
  ret void
}

; All lanes go the same way.
; CHECK: define ptx_kernel void @together({{.*}}) {
define ptx_kernel void @together(ptr addrspace(1) %p, i32 %x, i32 %n) {
  switch i32 %n, label %none [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %meet
    i32 4, label %none
  ]
one:
  %x1 = add i32 %x, 1
  br label %meet
two:
  %x2 = mul i32 %x, 3
  br label %meet
meet:
  %y = phi i32 [ %x1, %one ], [ %x2, %two ], [ %x, %0 ]
  %y1 = mul i32 %y, %y
  %y2 = xor i32 %y1, %x
  %y3 = mul i32 %y2, %y2
  %y4 = xor i32 %y3, %y1
  %y5 = mul i32 %y4, %y4
  %y6 = xor i32 %y5, %y3
  store i32 %y6, ptr addrspace(1) %p
  ret void
none:
  ret void
}

; Little is to be done where they meet.
; CHECK: define ptx_kernel void @little({{.*}}) {
define ptx_kernel void @little(ptr addrspace(1) %p, i32 %x) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %n, label %none [
    i32 1, label %one
    i32 2, label %two
    i32 3, label %meet
    i32 4, label %none
  ]
one:
  %x1 = add i32 %x, 1
  br label %meet
two:
  %x2 = mul i32 %x, 3
  br label %meet
meet:
  %y = phi i32 [ %x1, %one ], [ %x2, %two ], [ %x, %0 ]
  store i32 %y, ptr addrspace(1) %p
  ret void
none:
  ret void
}

; CHECK: attributes [[TREES]] = { "no-jump-tables"="true" }
