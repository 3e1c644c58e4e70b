; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A selection that keeps what the one before it keeps is part of it.
;
; RUN: %opt -passes=sluice-fewer-instructions,verify -S %s | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; The first condition has two values to choose.
define void @two(i1 %far, i1 %closer, i32 %d, i32 %shortest, i32 %k, i32 %parent, ptr %to) {
; CHECK-LABEL: define void @two(
; CHECK: [[IS:%.*]] = xor i1 %far, true
; CHECK-NEXT: [[BOTH:%.*]] = select i1 [[IS]], i1 %closer, i1 false
; CHECK-NEXT: select i1 [[BOTH]], i32 %d, i32 %shortest
; CHECK: [[IS2:%.*]] = xor i1 %far, true
; CHECK-NEXT: [[BOTH2:%.*]] = select i1 [[IS2]], i1 %closer, i1 false
; CHECK-NEXT: select i1 [[BOTH2]], i32 %k, i32 %parent
  %one = select i1 %closer, i32 %d, i32 %shortest
  %s = select i1 %far, i32 %shortest, i32 %one
  %other = select i1 %closer, i32 %k, i32 %parent
  %p = select i1 %far, i32 %parent, i32 %other
  store i32 %s, ptr %to
  %next = getelementptr i8, ptr %to, i64 4
  store i32 %p, ptr %next
  ret void
}

; The same with both conditions the other way round.
define float @mirrored(i1 %near, i1 %farther, float %d, float %shortest) {
; CHECK-LABEL: define float @mirrored(
; CHECK: [[IS:%.*]] = xor i1 %farther, true
; CHECK-NEXT: [[BOTH:%.*]] = select i1 %near, i1 [[IS]], i1 false
; CHECK-NEXT: [[S:%.*]] = select i1 [[BOTH]], float %d, float %shortest
; CHECK-NEXT: ret float [[S]]
  %one = select i1 %farther, float %shortest, float %d
  %s = select i1 %near, float %one, float %shortest
  ret float %s
}

; Not where the inner one is used again, nor where they keep different values.
define i32 @left(i1 %a, i1 %b, i32 %x, i32 %y, i32 %z, ptr %to) {
; CHECK-LABEL: define i32 @left(
; CHECK-NOT: xor
  %one = select i1 %b, i32 %x, i32 %y
  %s = select i1 %a, i32 %y, i32 %one
  store i32 %one, ptr %to
  %two = select i1 %b, i32 %x, i32 %z
  %t = select i1 %a, i32 %y, i32 %two
  %sum = add i32 %s, %t
  ret i32 %sum
}
