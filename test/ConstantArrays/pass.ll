; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name: through casts, several steps and constant parts of an
; address. Volatile loads, phis and constant addresses stay.
;
; RUN: %opt -passes=sluice-constant-arrays -S %s | FileCheck %s
;
; CHECK: @table = addrspace(4) constant [256 x i32] zeroinitializer, align 16
; CHECK: define ptx_kernel void @k(
; CHECK: [[BASE:%.*]] = call ptr asm "mov.b64 {{.*}}$0, $1;", "=l,l"(ptr addrspacecast (ptr addrspace(4) @table to ptr))
; CHECK-NEXT: [[PART:%.*]] = getelementptr i8, ptr [[BASE]], i64 64
; CHECK: [[AT:%.*]] = getelementptr inbounds i32, ptr [[BASE]], i32 %tid
; CHECK: [[FIELD:%.*]] = getelementptr i32, ptr [[AT]], i32 %j
; CHECK: load i32, ptr [[FIELD]], align 4, !invariant.load
; CHECK: [[BEHIND:%.*]] = getelementptr i32, ptr [[PART]], i32 %tid
; CHECK: load i32, ptr [[BEHIND]], align 4, !invariant.load
; CHECK: load volatile i32, ptr addrspace(4) %at
; CHECK: load i32, ptr addrspace(4) getelementptr
; CHECK: load i32, ptr addrspace(4) %either

target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) constant [256 x i32] zeroinitializer, align 4
@other = addrspace(4) constant [256 x i32] zeroinitializer, align 4

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %j, i1 %c) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr inbounds i32, ptr addrspace(4) @table, i32 %tid
  %generic = addrspacecast ptr addrspace(4) %at to ptr
  %field = getelementptr i32, ptr %generic, i32 %j
  %v0 = load i32, ptr %field
  store volatile i32 %v0, ptr addrspace(1) %out
  %behind = getelementptr i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @table, i64 64), i32 %tid
  %v1 = load i32, ptr addrspace(4) %behind
  store volatile i32 %v1, ptr addrspace(1) %out
  %v2 = load volatile i32, ptr addrspace(4) %at
  store volatile i32 %v2, ptr addrspace(1) %out
  %v3 = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @table, i64 12)
  store volatile i32 %v3, ptr addrspace(1) %out
  %ot = getelementptr i32, ptr addrspace(4) @other, i32 %tid
  %either = select i1 %c, ptr addrspace(4) %at, ptr addrspace(4) %ot
  %v4 = load i32, ptr addrspace(4) %either
  store volatile i32 %v4, ptr addrspace(1) %out
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
