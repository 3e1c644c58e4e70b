; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The reciprocal of a divisor that a loop keeps stands in a block before the loop, which is made
; where there is none.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The branch leads to the loop or past it. %n may be poison where nothing is divided.
define ptx_kernel void @unsigned(ptr addrspace(1) %x, i32 %n, i32 noundef %end, i1 noundef %c) {
; CHECK-LABEL: define ptx_kernel void @unsigned(
; CHECK: br i1 %c, label %[[BEFORE:[^ ]+]], label %done
; CHECK: [[BEFORE]]:
; CHECK-NEXT: [[N:%.*]] = freeze i32 %n
; CHECK-NEXT: [[SIZE:%.*]] = call i32 @llvm.umax.i32(i32 [[N]], i32 1)
; CHECK-NEXT: [[LESS:%.*]] = sub i32 0, [[N]]
; CHECK-NEXT: [[NEGATED:%.*]] = call i32 @llvm.umax.i32(i32 [[LESS]], i32 1)
; CHECK-NEXT: [[M:%.*]] = udiv i32 -1, [[SIZE]]
; CHECK-NEXT: br label %loop
; CHECK: %i = phi i32 [ %next, %loop ], [ 0, %[[BEFORE]] ]
; CHECK-NEXT: [[I:%.*]] = freeze i32 %i
; CHECK-NEXT: [[Q:%.*]] = call i32 @llvm.nvvm.mulhi.ui(i32 [[I]], i32 [[M]])
; CHECK-NEXT: [[P:%.*]] = mul i32 [[Q]], [[NEGATED]]
; CHECK-NEXT: [[R:%.*]] = add i32 [[P]], [[I]]
; CHECK-NEXT: [[S:%.*]] = add i32 [[R]], [[NEGATED]]
; CHECK-NEXT: [[REST:%.*]] = call i32 @llvm.umin.i32(i32 [[R]], i32 [[S]])
; CHECK-NEXT: [[MORE:%.*]] = icmp ne i32 [[REST]], [[R]]
; CHECK-NEXT: [[ONE:%.*]] = add i32 [[Q]], 1
; CHECK-NEXT: [[QUOTIENT:%.*]] = select i1 [[MORE]], i32 [[ONE]], i32 [[Q]]
; CHECK-NEXT: getelementptr i32, ptr addrspace(1) %x, i32 [[QUOTIENT]]
; CHECK-NEXT: store i32 [[REST]]
entry:
  br i1 %c, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = udiv i32 %i, %n
  %p = mul i32 %q, %n
  %r = sub i32 %i, %p
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %q
  store i32 %r, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A divisor that is a quotient itself, and is one of two in turn.
define ptx_kernel void @chain(ptr addrspace(1) %x, i32 noundef %n, i32 noundef %end) {
; CHECK-LABEL: define ptx_kernel void @chain(
; CHECK: outer:
; CHECK: call i32 @llvm.nvvm.mulhi.ui
; CHECK: udiv i32 -1
; CHECK: loop:
; CHECK-NOT: {{udiv|urem}}
; CHECK: call i32 @llvm.nvvm.mulhi.ui
; CHECK-NOT: {{udiv|urem}}
; CHECK: ret void
entry:
  br label %outer
outer:
  %o = phi i32 [ 1, %entry ], [ %o.next, %rest ]
  %q = udiv i32 %o, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %r = urem i32 %i, %q
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  store i32 %r, ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %rest
rest:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %end
  br i1 %again, label %outer, label %done
done:
  ret void
}
