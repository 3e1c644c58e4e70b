; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Cases of a short switch that go one way are one condition.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: {{.*}}1 switch asks the cases that go one way by one condition
; CHECK-NOT: remark:

; CHECK-LABEL: define i32 @two(
; CHECK: [[A:%.*]] = icmp eq i32 %n, 4
; CHECK-NEXT: [[B:%.*]] = icmp eq i32 %n, 0
; CHECK-NEXT: [[ANY:%.*]] = or i1 [[A]], [[B]]
; CHECK-NEXT: br i1 [[ANY]], label %load, label %[[REST:.*]]
; CHECK: [[REST]]:
; CHECK-NEXT: switch i32 %n, label %end [
; CHECK-NEXT: i32 1, label %copy
; CHECK-NEXT: ], !prof [[WEIGHTS:![0-9]+]]
; CHECK: load:
; CHECK-NEXT: phi i32 [ %x, %0 ]
define i32 @two(i32 %n, i32 %x, ptr %p) {
  switch i32 %n, label %end [
    i32 4, label %load
    i32 0, label %load
    i32 1, label %copy
  ], !prof !0
load:
  %same = phi i32 [ %x, %0 ], [ %x, %0 ]
  %v = load i32, ptr %p
  %w = add i32 %v, %same
  br label %end
copy:
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %w, %load ], [ %x, %copy ]
  ret i32 %r
}

; Neighbours are one comparison already.
; CHECK-LABEL: define i32 @neighbours(
; CHECK-NEXT: switch i32 %n, label %end [
; CHECK-NEXT: i32 3, label %load
; CHECK-NEXT: i32 4, label %load
; CHECK-NEXT: ]
define i32 @neighbours(i32 %n, ptr %p) {
  switch i32 %n, label %end [
    i32 3, label %load
    i32 4, label %load
  ]
load:
  %v = load i32, ptr %p
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %v, %load ]
  ret i32 %r
}

; Of more cases LLVM makes a table or a tree.
; CHECK-LABEL: define i32 @many(
; CHECK-NEXT: switch
define i32 @many(i32 %n, ptr %p) {
  switch i32 %n, label %end [
    i32 0, label %load
    i32 2, label %load
    i32 4, label %load
    i32 6, label %load
  ]
load:
  %v = load i32, ptr %p
  br label %end
end:
  %r = phi i32 [ 0, %0 ], [ %v, %load ]
  ret i32 %r
}

!0 = !{!"branch_weights", i32 10, i32 20, i32 30, i32 40}
; CHECK: [[WEIGHTS]] = !{!"branch_weights", i32 10, i32 40}
