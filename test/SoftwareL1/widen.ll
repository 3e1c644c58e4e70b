; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What is decided before the loop. Iterations go before the first whole block, as
; many as the row's beginning says; the second row must then be at one, too. Of
; rows that are known to begin with blocks only the number is asked. It is asked
; before all else: a short row should cost no more.
;
; RUN: %opt -passes='sluice-plan<software-l1=registers>,function(loop-simplify),sluice-software-l1,verify' %s -S -o %t.ll -pass-remarks=sluice-software 2> %t.remarks
; RUN: FileCheck %s --input-file %t.ll
; RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks
; RUN: %opt -passes='sluice-plan<software-l1=off>,function(loop-simplify),sluice-software-l1' %s -S | FileCheck %s --check-prefix=NONE
;
; REMARK: 2 streams of the loop moved 16 bytes at a time, 4 iterations at a time
; REMARK: 1 stream of the loop moved 16 bytes at a time, 4 iterations at a time
; NONE-NOT: sluice.wide
;
; Three floats a step: -3 * (start / 4) modulo 4.
; CHECK-LABEL: define {{.*}}@points
; CHECK: %[[LONG:[0-9]+]] = icmp uge i64 %{{.*}}, 7
; CHECK: br i1 %[[LONG]], label %[[TESTS:.*]], label %[[OLD:[^,]*]]
; CHECK: [[TESTS]]:
; CHECK: %[[A:[0-9]+]] = ptrtoint ptr %{{.*}} to i64
; CHECK: %[[B:[0-9]+]] = ptrtoint ptr %{{.*}} to i64
; CHECK: %[[WITHIN:[0-9]+]] = and i64 %[[A]], 15
; CHECK: %[[UNITS:[0-9]+]] = lshr i64 %[[WITHIN]], 2
; CHECK: %[[MINUS:[0-9]+]] = sub i64 0, %[[UNITS]]
; CHECK: %[[TIMES:[0-9]+]] = mul i64 %[[MINUS]], 3
; CHECK: %[[FIRST:[0-9]+]] = and i64 %[[TIMES]], 3
; CHECK: %[[MOVED:[0-9]+]] = mul i64 %[[FIRST]], 12
; CHECK: %[[ATA:[0-9]+]] = add i64 %[[A]], %[[MOVED]]
; CHECK: %[[MOVEDB:[0-9]+]] = mul i64 %[[FIRST]], 4
; CHECK: %[[ATB:[0-9]+]] = add i64 %[[B]], %[[MOVEDB]]
; CHECK: %[[BITS:[0-9]+]] = or i64 %[[ATA]], %[[ATB]]
; CHECK: %[[LOW:[0-9]+]] = and i64 %[[BITS]], 15
; CHECK: %[[ALIGNED:[0-9]+]] = icmp eq i64 %[[LOW]], 0
; CHECK: br i1 %[[ALIGNED]], label %sluice.wide.enter, label %[[OLD]]
; A block, and the most that may be before it.
; CHECK: sluice.wide.enter:
; CHECK-NEXT: icmp eq i64 %[[FIRST]], 0
; CHECK: %sluice.begin = phi i64 [ %[[FIRST]],
; CHECK-COUNT-4: load <4 x float>, ptr %{{.*}}, align 16
;
; CHECK-LABEL: define {{.*}}@known
; CHECK-NOT: ptrtoint
; CHECK-NOT: sluice.peeled
; CHECK: load <4 x float>, ptr %{{.*}}, align 16
; CHECK: }

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @points(ptr noalias %A, ptr noalias %B, ptr noalias %y, i64 %n) #0 {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %tx to i64
  %row = mul nuw nsw i64 %thread, 600
  %begin = getelementptr float, ptr %A, i64 %row
  %beginb = getelementptr float, ptr %B, i64 %row
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %j3 = mul nuw nsw i64 %j, 12
  %px = getelementptr i8, ptr %begin, i64 %j3
  %x = load float, ptr %px
  %pz = getelementptr i8, ptr %px, i64 8
  %z = load float, ptr %pz
  %py = getelementptr i8, ptr %px, i64 4
  %w = load float, ptr %py
  %pb = getelementptr float, ptr %beginb, i64 %j
  %b = load float, ptr %pb
  %xz = fmul float %x, %z
  %wb = fmul float %w, %b
  %both = fadd float %xz, %wb
  %more = fadd float %sum, %both
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %loop, label %exit

exit:
  %out = getelementptr float, ptr %y, i64 %thread
  store float %more, ptr %out
  ret void
}

define ptx_kernel void @known(ptr noalias align 16 %A, ptr noalias %y, i64 %n) #0 {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %thread = zext i32 %tx to i64
  %row = mul nuw nsw i64 %thread, 600
  %begin = getelementptr float, ptr %A, i64 %row
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %pa = getelementptr float, ptr %begin, i64 %j
  %a = load float, ptr %pa
  %more = fadd float %sum, %a
  %j.next = add nuw nsw i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %loop, label %exit

exit:
  %out = getelementptr float, ptr %y, i64 %thread
  store float %more, ptr %out
  ret void
}

attributes #0 = { "target-cpu"="sm_70" "nvvm.reqntid"="256" }
