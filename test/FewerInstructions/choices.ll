; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which branches become selections.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK-COUNT-2: remark: <unknown>:0:0: 1 choice of a loop has no branches: lanes of a warp would go several ways
; CHECK-NOT: remark: {{.*}} choice

define i32 @merge(ptr %p, i32 %n) {
; CHECK-LABEL: define i32 @merge(
; CHECK: loop:
; CHECK: [[E:%.*]] = icmp eq i32 %a, %j
; CHECK-NEXT: [[S:%.*]] = fadd float %f, 1.000000e+00
; CHECK-NEXT: [[I1:%.*]] = add nsw i32 %i, 1
; CHECK-NEXT: [[J1:%.*]] = add nsw i32 %j, 1
; CHECK-NEXT: [[L:%.*]] = icmp slt i32 %a, %j
; CHECK-NEXT: [[I2:%.*]] = add nsw i32 %i, 1
; CHECK-NEXT: [[J2:%.*]] = add nsw i32 %j, 1
; CHECK-NEXT: [[IL:%.*]] = select i1 [[L]], i32 [[I2]], i32 %i
; CHECK-NEXT: [[IN:%.*]] = select i1 [[E]], i32 [[I1]], i32 [[IL]]
; CHECK-NEXT: [[JL:%.*]] = select i1 [[L]], i32 %j, i32 [[J2]]
; CHECK-NEXT: [[JN:%.*]] = select i1 [[E]], i32 [[J1]], i32 [[JL]]
; CHECK-NEXT: [[FN:%.*]] = select i1 [[E]], float [[S]], float %f
; CHECK-NEXT: br label %next
; CHECK: next:
; CHECK-NEXT: icmp slt i32 [[IN]], %n
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %in, %next ]
  %j = phi i32 [ 0, %entry ], [ %jn, %next ]
  %f = phi float [ 0.0, %entry ], [ %fn, %next ]
  %q = getelementptr i32, ptr %p, i32 %i
  %a = load i32, ptr %q
  %e = icmp eq i32 %a, %j
  br i1 %e, label %equal, label %differ
equal:
  %s = fadd float %f, 1.0
  %i1 = add nsw i32 %i, 1
  %j1 = add nsw i32 %j, 1
  br label %next
differ:
  %l = icmp slt i32 %a, %j
  br i1 %l, label %less, label %more
less:
  %i2 = add nsw i32 %i, 1
  br label %next
more:
  %j2 = add nsw i32 %j, 1
  br label %next
next:
  %in = phi i32 [ %i1, %equal ], [ %i2, %less ], [ %i, %more ]
  %jn = phi i32 [ %j1, %equal ], [ %j, %less ], [ %j2, %more ]
  %fn = phi float [ %s, %equal ], [ %f, %less ], [ %f, %more ]
  %c = icmp slt i32 %in, %n
  br i1 %c, label %loop, label %end
end:
  %r = fptosi float %fn to i32
  %t = add i32 %r, %jn
  ret i32 %t
}

; A load on one way, which stays a block: the others become one way past it.
define i32 @load(ptr %p, i32 %n) {
; CHECK-LABEL: define i32 @load(
; CHECK: loop:
; CHECK: [[L:%.*]] = icmp slt i32 %i, 17
; CHECK-NEXT: [[J:%.*]] = add i32 %i, 3
; CHECK-NEXT: [[IL:%.*]] = select i1 [[L]], i32 %i, i32 [[J]]
; CHECK-NEXT: br i1 %e, label %equal, label %next
; CHECK: equal:
; CHECK-NEXT: %v = load i32, ptr %p
; CHECK-NEXT: br label %next
; CHECK: next:
; CHECK-NEXT: phi i32 [ %v, %equal ], [ [[IL]], %loop ]
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %in, %next ]
  %e = icmp eq i32 %i, %n
  br i1 %e, label %equal, label %differ
equal:
  %v = load i32, ptr %p
  br label %next
differ:
  %l = icmp slt i32 %i, 17
  br i1 %l, label %next, label %more
more:
  %j = add i32 %i, 3
  br label %next
next:
  %in = phi i32 [ %v, %equal ], [ %i, %differ ], [ %j, %more ]
  %c = icmp slt i32 %in, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %in
}

; Loads on two ways.
define i32 @loads(ptr %p, ptr %q, i32 %n) {
; CHECK-LABEL: define i32 @loads(
; CHECK: br i1 %e
; CHECK: br i1 %l
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %in, %next ]
  %e = icmp eq i32 %i, %n
  br i1 %e, label %equal, label %differ
equal:
  %v = load i32, ptr %p
  br label %next
differ:
  %l = icmp slt i32 %i, 17
  br i1 %l, label %next, label %more
more:
  %j = load i32, ptr %q
  br label %next
next:
  %in = phi i32 [ %v, %equal ], [ %i, %differ ], [ %j, %more ]
  %c = icmp slt i32 %in, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %in
}

; Sums that would be in one block with the product, and be fused with it: behind
; the ways, and on one.
define float @product(float %x, float %y, i32 %n) {
; CHECK-LABEL: define float @product(
; CHECK: br i1 %e
; CHECK: br i1 %l
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %i1, %next ]
  %f = phi float [ 0.0, %entry ], [ %t, %next ]
  %m = fmul contract float %x, %f
  %e = icmp eq i32 %i, 7
  br i1 %e, label %seven, label %differ
seven:
  %k = xor i32 %n, 9
  br label %next
differ:
  %l = icmp slt i32 %i, 17
  br i1 %l, label %next, label %more
more:
  %j = add i32 %i, 3
  br label %next
next:
  %in = phi i32 [ %k, %seven ], [ %i, %differ ], [ %j, %more ]
  %t = fadd contract float %m, %y
  %i1 = add i32 %in, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %loop, label %end
end:
  ret float %t
}

define float @productBetween(float %x, float %y, i32 %n) {
; CHECK-LABEL: define float @productBetween(
; CHECK: br i1 %e
; CHECK: br i1 %l
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %i1, %next ]
  %f = phi float [ 0.0, %entry ], [ %t, %next ]
  %m = fmul contract float %x, %f
  %e = icmp eq i32 %i, 7
  br i1 %e, label %seven, label %differ
seven:
  %k = fadd float %y, 9.0
  br label %next
differ:
  %l = icmp slt i32 %i, 17
  br i1 %l, label %next, label %more
more:
  %g = fsub contract float %y, %m
  br label %next
next:
  %t = phi float [ %k, %seven ], [ %f, %differ ], [ %g, %more ]
  %i1 = add i32 %i, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %loop, label %end
end:
  ret float %t
}

; Outside loops it seldom matters; two ways are LLVM's; too much on the ways.
define i32 @others(i32 %a, i32 %n) {
; CHECK-LABEL: define i32 @others(
; CHECK-COUNT-6: br i1
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %e0 = icmp eq i32 %lane, 7
  br i1 %e0, label %same0, label %differ0
same0:
  %k0 = xor i32 %a, %n
  br label %meet0
differ0:
  %l0 = icmp slt i32 %a, 5
  br i1 %l0, label %meet0, label %more0
more0:
  %j0 = add i32 %a, 3
  br label %meet0
meet0:
  %b = phi i32 [ %k0, %same0 ], [ 2, %differ0 ], [ %j0, %more0 ]
  br label %loop
loop:
  %i = phi i32 [ %b, %meet0 ], [ %in, %next ]
  %e = icmp eq i32 %i, 7
  br i1 %e, label %seven, label %more
seven:
  %k = xor i32 %n, 9
  br label %meet
more:
  %j = add i32 %i, 3
  br label %meet
meet:
  %two = phi i32 [ %k, %seven ], [ %j, %more ]
  %f = icmp eq i32 %two, 9
  br i1 %f, label %nine, label %differ
nine:
  %v = xor i32 %two, %n
  br label %next
differ:
  %l = icmp slt i32 %i, 17
  %w1 = xor i32 %i, %a
  %w2 = shl i32 %w1, 3
  %w3 = add i32 %w2, %w1
  %w4 = xor i32 %w3, %n
  %w5 = lshr i32 %w4, 3
  %w6 = add i32 %w5, %w1
  %w7 = xor i32 %w6, %w3
  %w8 = sub i32 %w7, %w1
  br i1 %l, label %next, label %last
last:
  br label %next
next:
  %in = phi i32 [ %v, %nine ], [ %w8, %differ ], [ %w1, %last ]
  %c = icmp slt i32 %in, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %in
}

; Some lanes go straight on; all go the same way.
define ptx_kernel void @straight(ptr %p, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @straight(
; CHECK-COUNT-5: br i1
; CHECK: ret
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %x = phi i32 [ %lane, %entry ], [ %xn, %next ]
  %y = phi i32 [ 0, %entry ], [ %yn, %next ]
  %e = icmp eq i32 %x, 0
  br i1 %e, label %carry, label %meet
carry:
  %y1 = add i32 %y, 1
  %f = icmp eq i32 %y1, 0
  br i1 %f, label %more, label %meet
more:
  %y2 = add i32 %y1, 1
  br label %meet
meet:
  %ym = phi i32 [ %y, %loop ], [ %y1, %carry ], [ %y2, %more ]
  %u = icmp eq i32 %n, 5
  br i1 %u, label %five, label %other
five:
  %y5 = add i32 %ym, 5
  br label %next
other:
  %v = icmp slt i32 %n, 3
  br i1 %v, label %next, label %last
last:
  %y6 = sub i32 %ym, 9
  br label %next
next:
  %yn = phi i32 [ %y5, %five ], [ %ym, %other ], [ %y6, %last ]
  %xn = add i32 %x, 1
  %c = icmp slt i32 %yn, %n
  br i1 %c, label %loop, label %end
end:
  store i32 %yn, ptr %p
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
