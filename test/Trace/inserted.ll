; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; RUN: %opt -passes=sluice-trace -S %s | FileCheck %s
; RUN: %opt -passes=sluice-trace,sluice-trace -S %s | FileCheck %s
; RUN: sed s/nvptx64-nvidia-cuda/x86_64-linux-gnu/ %s | %opt -passes=sluice-trace -S | FileCheck %s --check-prefix=HOST
;
; HOST-NOT: __sluice

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Off until somebody sets it: no block's number has that remainder.
; CHECK: @__sluice_trace_control = addrspace(1) externally_initialized global { i64, i64, i64, i32, i32, i32, i32 } { i64 0, i64 0, i64 0, i32 -1, i32 1, i32 -1, i32 -1 }, align 8
; CHECK: @__sluice_trace_table = addrspace(1) constant {{.*}}"sluice trace table 1\0A
; CHECK: @llvm.used = appending global {{.*}}@__sluice_trace_control{{.*}}@__sluice_trace_table

; Three loads, two of them 64 bytes apart: two addresses.
; CHECK-LABEL: define ptx_kernel void @three(
; CHECK: %[[CTAID:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
; CHECK: %[[STRIDE:.*]] = load i32, {{.*}}@__sluice_trace_control, i32 0, i32 4
; CHECK: %[[REMAINDER:.*]] = urem i32 {{.*}}, %[[STRIDE]]
; CHECK: %[[FIRST:.*]] = load i32, {{.*}}@__sluice_trace_control, i32 0, i32 3
; CHECK: icmp eq i32 %[[REMAINDER]], %[[FIRST]]
; CHECK: icmp eq i32 %[[REMAINDER]],
; CHECK: icmp eq i32 %[[REMAINDER]],
; CHECK: %sluice.sampled = or i1
; CHECK-COUNT-3: load volatile float
; CHECK: br i1 %sluice.sampled, label %[[RECORD:.*]], label %[[GO:.*]], !prof
; CHECK: [[RECORD]]:
; CHECK: %[[MASK:.*]] = call i32 @llvm.nvvm.activemask()
; CHECK: %[[LANES:.*]] = call i32 @llvm.ctpop.i32(i32 %[[MASK]])
; CHECK: mul i32 %[[LANES]], 4
; CHECK: atomicrmw add {{.*}} syncscope("device") monotonic
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %[[MASK]]
; CHECK: call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %[[MASK]]
; CHECK: icmp ule i64
; CHECK-COUNT-2: ptrtoint ptr
; CHECK-NOT: ptrtoint
; CHECK: [[GO]]:
; CHECK-NEXT: ret void
define ptx_kernel void @three(ptr %a, ptr %b) "target-cpu"="sm_90" {
  %x = load volatile float, ptr %a, align 4
  %far = getelementptr i8, ptr %a, i64 64
  %y = load volatile float, ptr %far, align 4
  %z = load volatile float, ptr %b, align 4
  ret void
}

; Adjacent loads are one access, as they will be in PTX; the store is another.
; CHECK-LABEL: define ptx_kernel void @adjacent(
; CHECK: load <2 x float>
; CHECK-COUNT-2: ptrtoint ptr
; CHECK-NOT: ptrtoint
; CHECK: ret void
define ptx_kernel void @adjacent(ptr addrspace(1) align 8 %a, ptr addrspace(1) %out) "target-cpu"="sm_90" {
  %x = load float, ptr addrspace(1) %a, align 8
  %next = getelementptr i8, ptr addrspace(1) %a, i64 4
  %y = load float, ptr addrspace(1) %next, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %out, align 4
  ret void
}

; A pointer that may point anywhere.
; CHECK-LABEL: define void @generic(
; CHECK: %[[IS:.*]] = call i1 @llvm.nvvm.isspacep.global(ptr %p)
; CHECK: select i1 %[[IS]], i64 {{.*}}, i64 0
define void @generic(ptr %p) memory(argmem: read) "target-cpu"="sm_90" {
  %x = load volatile float, ptr %p, align 4
  ret void
}

; Nothing to record.
; CHECK-LABEL: define ptx_kernel void @nothing(
; CHECK-NEXT: ret void
define ptx_kernel void @nothing() "target-cpu"="sm_90" {
  ret void
}
