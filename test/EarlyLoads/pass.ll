; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which loads go before which stores.
;
; RUN: %opt -passes=sluice-early-loads -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 1 load goes before stores that it does not depend on

; Pointers that do not overlap: the load, and what computes its address.
define void @apart(ptr noalias %a, ptr noalias %b, float %x, i64 %i) {
; CHECK-LABEL: define void @apart(
; CHECK-NEXT: [[I:%.*]] = add i64 %i, 1
; CHECK-NEXT: [[P:%.*]] = getelementptr float, ptr %b, i64 [[I]]
; CHECK-NEXT: [[V:%.*]] = load float, ptr [[P]]
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: getelementptr
; CHECK-NEXT: store float [[V]]
  store float %x, ptr %a
  store float %x, ptr %a
  %i1 = add i64 %i, 1
  %p = getelementptr float, ptr %b, i64 %i1
  %v = load float, ptr %p
  %q = getelementptr float, ptr %a, i64 1
  store float %v, ptr %q
  ret void
}

; They may overlap.
define void @may_overlap(ptr %a, ptr %b, float %x) {
; CHECK-LABEL: define void @may_overlap(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  %v = load float, ptr %b
  store float %v, ptr %a
  ret void
}

; Types of C++ that do not overlap are not enough: programs read floats as ints.
define void @types(ptr %a, ptr %b, float %x) {
; CHECK-LABEL: define void @types(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: load i32, ptr %b
  store float %x, ptr %a, !tbaa !1
  store float %x, ptr %a, !tbaa !1
  %v = load i32, ptr %b, !tbaa !2
  store i32 %v, ptr %b, !tbaa !2
  ret void
}

; Up to the store that writes what is read, and not before it.
define void @half_way(ptr noalias %a, ptr noalias %b, ptr noalias %c, float %x) {
; CHECK-LABEL: define void @half_way(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %b
; CHECK-NEXT: [[V:%.*]] = load float, ptr %b
; CHECK-NEXT: store float %x, ptr %c
; CHECK-NEXT: store float %x, ptr %c
; CHECK-NEXT: store float [[V]]
  store float %x, ptr %a
  store float %x, ptr %b
  store float %x, ptr %c
  store float %x, ptr %c
  %v = load float, ptr %b
  store float %v, ptr %a
  ret void
}

; One store is not worth it.
define void @one(ptr noalias %a, ptr noalias %b, float %x, i64 %i) {
; CHECK-LABEL: define void @one(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: add i64
; CHECK-NEXT: getelementptr
; CHECK-NEXT: load float
; CHECK-NEXT: load float, ptr %b
; CHECK-NEXT: ret void
  store float %x, ptr %a
  %i1 = add i64 %i, 1
  %p = getelementptr float, ptr %b, i64 %i1
  %v = load float, ptr %p
  %w = load float, ptr %b
  ret void
}

; An index that stays behind a store keeps what it is the index of.
define void @index(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @index(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: [[I:%.*]] = load i64, ptr %a
; CHECK-NEXT: getelementptr
; CHECK-NEXT: load float
  store float %x, ptr %a
  store float %x, ptr %a
  %i = load i64, ptr %a
  %p = getelementptr float, ptr %b, i64 %i
  %v = load float, ptr %p
  store float %v, ptr %a
  ret void
}

; And one that goes takes it along.
define void @index_apart(ptr noalias %a, ptr noalias %b, ptr noalias %n, float %x) {
; CHECK-LABEL: define void @index_apart(
; CHECK-NEXT: load i64, ptr %n
; CHECK-NEXT: getelementptr
; CHECK-NEXT: load float
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
  store float %x, ptr %a
  store float %x, ptr %a
  %i = load i64, ptr %n
  %p = getelementptr float, ptr %b, i64 %i
  %v = load float, ptr %p
  store float %v, ptr %a
  ret void
}

; A barrier, a fence, an atomic, a call, a volatile store: nothing passes.
define void @barrier(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @barrier(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load float, ptr %b
  store float %v, ptr %a
  ret void
}

define void @fence(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @fence(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  fence seq_cst
  %v = load float, ptr %b
  store float %v, ptr %a
  ret void
}

define void @atomic(ptr noalias %a, ptr noalias %b, ptr noalias %c, float %x) {
; CHECK-LABEL: define void @atomic(
; CHECK-COUNT-2: store float %x, ptr %a
; CHECK-NEXT: atomicrmw
; CHECK-NEXT: load float, ptr %b
; CHECK-COUNT-2: store float %x, ptr %a
; CHECK-NEXT: load atomic
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  %o = atomicrmw add ptr %c, i32 1 monotonic
  %v = load float, ptr %b
  store float %v, ptr %a
  store float %x, ptr %a
  store float %x, ptr %a
  %p = load atomic i32, ptr %c monotonic, align 4
  %w = load float, ptr %b
  store float %w, ptr %a
  ret void
}

define void @call(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @call(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: call void @may_exit()
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  call void @may_exit() memory(none)
  %v = load float, ptr %b
  store float %v, ptr %a
  ret void
}

define void @volatile(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @volatile(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store volatile float %x, ptr %a
; CHECK-NEXT: load float, ptr %b
; CHECK-NEXT: store float
; CHECK-NEXT: load volatile float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  store volatile float %x, ptr %a
  %v = load float, ptr %b
  store float %v, ptr %a
  %w = load volatile float, ptr %b
  store volatile float %w, ptr %a
  ret void
}

; Shared memory answers soon, and so does what the assembler knows itself.
define void @near(ptr noalias %a, ptr addrspace(3) noalias %b, float %x) {
; CHECK-LABEL: define void @near(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: load float, ptr addrspace(3) %b
  store float %x, ptr %a
  store float %x, ptr %a
  %v = load float, ptr addrspace(3) %b
  store float %v, ptr %a
  ret void
}

; A division may not be done where it was not.
define void @division(ptr noalias %a, ptr noalias %b, i64 %i, float %x) {
; CHECK-LABEL: define void @division(
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: store float %x, ptr %a
; CHECK-NEXT: udiv
  store float %x, ptr %a
  store float %x, ptr %a
  %d = udiv i64 7, %i
  %p = getelementptr float, ptr %b, i64 %d
  %v = load float, ptr %p
  store float %v, ptr %a
  ret void
}

; 16 registers at most are held across a store: the fifth load of 16 bytes stays.
define void @held(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @held(
; CHECK-COUNT-4: load <4 x float>
; CHECK-COUNT-2: store float %x, ptr %a
; CHECK: load <4 x float>
; CHECK: ret void
  store float %x, ptr %a
  store float %x, ptr %a
  %v0 = load <4 x float>, ptr %b
  %p1 = getelementptr i8, ptr %b, i64 16
  %v1 = load <4 x float>, ptr %p1
  %p2 = getelementptr i8, ptr %b, i64 32
  %v2 = load <4 x float>, ptr %p2
  %p3 = getelementptr i8, ptr %b, i64 48
  %v3 = load <4 x float>, ptr %p3
  %p4 = getelementptr i8, ptr %b, i64 64
  %v4 = load <4 x float>, ptr %p4
  ret void
}

; Assembly that computes is passed, and volatile assembly is not.
define void @assembly(ptr noalias %a, ptr noalias %b, float %x) {
; CHECK-LABEL: define void @assembly(
; CHECK-NEXT: load float, ptr %b
; CHECK-COUNT-2: store float %x, ptr %a
; CHECK-NEXT: call float asm "
; CHECK: store float
; CHECK: store float
; CHECK-NEXT: call float asm sideeffect
; CHECK-NEXT: load float, ptr %b
  store float %x, ptr %a
  store float %x, ptr %a
  %y = call float asm "neg.f32 $0, $1;", "=f,f"(float %x) nounwind memory(none)
  %v = load float, ptr %b
  store float %v, ptr %a
  store float %v, ptr %a
  %z = call float asm sideeffect "neg.f32 $0, $1;", "=f,f"(float %x) nounwind memory(none)
  %w = load float, ptr %b
  store float %w, ptr %a
  ret void
}

declare void @may_exit()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

!0 = !{!"C++ TBAA"}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"float", !5, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !0, i64 0}
