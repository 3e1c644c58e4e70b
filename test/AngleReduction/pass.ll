; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass alone: which arrays stay in local memory, which branches stay.
;
; RUN: %opt -passes=sluice-angle-reduction -S %s -pass-remarks-missed=sluice-angle-reduction 2>%t.missed | FileCheck %s
; RUN: FileCheck %s --check-prefix=MISSED --implicit-check-not=remark: --input-file %t.missed

target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(1) constant [4 x i32] [i32 3, i32 5, i32 7, i32 11]

; CHECK-LABEL: @forward(
; CHECK-NOT: alloca
; CHECK: select i1 %{{.*}}, i32 7, i32 3
; CHECK: select i1 %{{.*}}, i32 11, i32 5
; CHECK: ret void
define ptx_kernel void @forward(ptr %out, i32 %x) {
entry:
  %a = alloca [4 x i32]
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %from = getelementptr i32, ptr addrspace(1) @table, i64 %i
  %v = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr %a, i64 %i
  store i32 %v, ptr %to
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 4
  br i1 %end, label %read, label %fill
read:
  %d = lshr i32 %x, 30
  %wide = zext i32 %d to i64
  %at = getelementptr i32, ptr %a, i64 %wide
  %r = load i32, ptr %at
  store i32 %r, ptr %out
  ret void
}

; Any place may be read, as far as can be told.
; MISSED: remark: {{.*}} an array of 16 bytes stays in local memory: how far the places are apart that are read is not known
; CHECK-LABEL: @unknown(
; CHECK: alloca
define ptx_kernel void @unknown(ptr %out, i32 %x) {
  %a = alloca [4 x i32]
  store i32 %x, ptr %a
  %wide = sext i32 %x to i64
  %at = getelementptr i32, ptr %a, i64 %wide
  %r = load i32, ptr %at
  store i32 %r, ptr %out
  ret void
}

; MISSED: remark: {{.*}} an array of 16 bytes stays in local memory: it is written at places that only run time can tell
; CHECK-LABEL: @written(
; CHECK: alloca
define ptx_kernel void @written(ptr %out, i32 %x) {
  %a = alloca [4 x i32]
  %d = and i32 %x, 3
  %wide = zext i32 %d to i64
  %at = getelementptr i32, ptr %a, i64 %wide
  store i32 %x, ptr %at
  %r = load i32, ptr %at
  store i32 %r, ptr %out
  ret void
}

; A float would be rounded on its way to memory. Neither is worth a word.
; CHECK-LABEL: @floats(
; CHECK: alloca
define ptx_kernel void @floats(ptr %out, i32 %x, float %f) {
  %a = alloca [4 x float]
  store float %f, ptr %a
  %d = and i32 %x, 3
  %wide = zext i32 %d to i64
  %at = getelementptr float, ptr %a, i64 %wide
  %r = load float, ptr %at
  store float %r, ptr %out
  ret void
}

declare i32 @slow(i32) nounwind memory(none)

; The second one adds 1 on both ways, and its condition is turned round.
; CHECK-LABEL: @same(
; CHECK: call i32 @slow
; CHECK: %[[P:.*]] = phi i32
; CHECK-NOT: call i32 @slow
; CHECK: %[[Q:.*]] = add i32 %[[P]], 1
; CHECK-NEXT: store i32 %[[Q]]
define ptx_kernel void @same(ptr %out, i32 %x) {
entry:
  %low = icmp ult i32 %x, 100
  br i1 %low, label %meet, label %far
far:
  %s = call i32 @slow(i32 %x)
  br label %meet
meet:
  %p = phi i32 [ 0, %entry ], [ %s, %far ]
  store i32 %p, ptr %out
  %high = icmp uge i32 %x, 100
  br i1 %high, label %far2, label %meet2
far2:
  %s2 = call i32 @slow(i32 %x)
  %t2 = add i32 %s2, 1
  br label %meet2
meet2:
  %q = phi i32 [ 1, %meet ], [ %t2, %far2 ]
  store i32 %q, ptr %out
  ret void
}

; Not the same everywhere: another value on one way, another condition, another
; constant on each way.
; CHECK-LABEL: @other(
; CHECK-COUNT-4: call i32 @slow
define ptx_kernel void @other(ptr %out, i32 %x, i32 %y) {
entry:
  %low = icmp ult i32 %x, 100
  br i1 %low, label %meet, label %far
far:
  %s = call i32 @slow(i32 %x)
  br label %meet
meet:
  %p = phi i32 [ 0, %entry ], [ %s, %far ]
  store i32 %p, ptr %out
  br i1 %low, label %meet2, label %far2
far2:
  %s2 = call i32 @slow(i32 %y)
  br label %meet2
meet2:
  %q = phi i32 [ 0, %meet ], [ %s2, %far2 ]
  store i32 %q, ptr %out
  %lower = icmp ult i32 %x, 99
  br i1 %lower, label %meet3, label %far3
far3:
  %s3 = call i32 @slow(i32 %x)
  br label %meet3
meet3:
  %r = phi i32 [ 0, %meet2 ], [ %s3, %far3 ]
  store i32 %r, ptr %out
  br i1 %low, label %meet4, label %far4
far4:
  %s4 = call i32 @slow(i32 %x)
  %t4 = add i32 %s4, 2
  br label %meet4
meet4:
  %t = phi i32 [ 1, %meet3 ], [ %t4, %far4 ]
  store i32 %t, ptr %out
  ret void
}

; The first branch is not always there, and the second writes.
; CHECK-LABEL: @apart(
; CHECK-COUNT-3: call i32 @slow
define ptx_kernel void @apart(ptr %out, i32 %x, i1 %c) {
entry:
  %low = icmp ult i32 %x, 100
  br i1 %c, label %first, label %second
first:
  br i1 %low, label %meet, label %far
far:
  %s = call i32 @slow(i32 %x)
  br label %meet
meet:
  %p = phi i32 [ 0, %first ], [ %s, %far ]
  store i32 %p, ptr %out
  br label %second
second:
  br i1 %low, label %meet2, label %far2
far2:
  %s2 = call i32 @slow(i32 %x)
  br label %meet2
meet2:
  %q = phi i32 [ 0, %second ], [ %s2, %far2 ]
  store i32 %q, ptr %out
  br i1 %low, label %meet3, label %far3
far3:
  %s3 = call i32 @slow(i32 %x)
  store i32 7, ptr %out
  br label %meet3
meet3:
  %r = phi i32 [ 0, %meet2 ], [ %s3, %far3 ]
  store i32 %r, ptr %out
  ret void
}

; A division is worth it too; what takes few instructions is left to LLVM.
; CHECK-LABEL: @quotients(
; CHECK: fdiv double
; CHECK: %[[P:.*]] = phi double
; CHECK-NOT: fdiv
; CHECK: store double %[[P]], ptr %to
; CHECK: phi double
; CHECK: phi double
; CHECK: ret void
define ptx_kernel void @quotients(ptr %out, ptr %to, double %x, double %y) {
entry:
  %c = fcmp une double %x, 0.0
  br i1 %c, label %some, label %meet
some:
  %d = fdiv double %y, %x
  br label %meet
meet:
  %p = phi double [ 1.0, %entry ], [ %d, %some ]
  store double %p, ptr %out
  br i1 %c, label %some2, label %meet2
some2:
  %d2 = fdiv double %y, %x
  br label %meet2
meet2:
  %q = phi double [ 1.0, %meet ], [ %d2, %some2 ]
  store double %q, ptr %to
  br i1 %c, label %some3, label %meet3
some3:
  %s = fadd double %y, %x
  br label %meet3
meet3:
  %r = phi double [ 1.0, %meet2 ], [ %s, %some3 ]
  store double %r, ptr %out
  br i1 %c, label %some4, label %meet4
some4:
  %s2 = fadd double %y, %x
  br label %meet4
meet4:
  %t = phi double [ 1.0, %meet3 ], [ %s2, %some4 ]
  store double %t, ptr %to
  ret void
}
