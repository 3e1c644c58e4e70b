; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which calls are made once, and where.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 3 calls are made once before loops and branches: all ways through make them
; CHECK: remark: <unknown>:0:0: 1 call is made once before a loop: all ways through make it
; CHECK: remark: <unknown>:0:0: 3 calls are made once before loops and branches: all ways through make them
; CHECK: remark: <unknown>:0:0: 4 calls are made once before loops and branches: all ways through make them
; CHECK-NOT: remark

declare double @slow(double, i32) #0
declare double @reads(double) #1
declare double @waits(double) #2
declare double @shuffles(double) #3
declare void @other()

; Both ways through the loop make it, and so does what follows the loop: before
; the branch around the loop, and not before the one that leads past all of it.
define double @both(double %x, i32 %n, i1 %c, i1 %d) {
; CHECK-LABEL: define double @both(
; CHECK-NOT: call
; CHECK: begin:
; CHECK-NEXT: [[R:%.*]] = call double @slow(double 5.000000e-01, i32 23)
; CHECK-NEXT: br i1 %d, label %loop.preheader, label %end
; CHECK-NOT: call
; CHECK: %s1 = fadd double %s, [[R]]
; CHECK-NOT: call
; CHECK: %s2 = fsub double %s, [[R]]
; CHECK-NOT: call
; CHECK: fmul double {{%.*}}, [[R]]
entry:
  br i1 %c, label %begin, label %none
begin:
  br i1 %d, label %loop, label %end
loop:
  %i = phi i32 [ %n, %begin ], [ %j, %next ]
  %s = phi double [ %x, %begin ], [ %t, %next ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %one, label %two
one:
  %a = call double @slow(double 0.5, i32 23)
  %s1 = fadd double %s, %a
  br label %next
two:
  %b = call double @slow(double 0.5, i32 23)
  %s2 = fsub double %s, %b
  br label %next
next:
  %t = phi double [ %s1, %one ], [ %s2, %two ]
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %loop, label %end
end:
  %e = phi double [ %x, %begin ], [ %t, %next ]
  %f = call double @slow(double 0.5, i32 23)
  %g = fmul double %e, %f
  ret double %g
none:
  ret double %x
}

; A loop with no block of its own before it, which may not be entered.
define double @guarded(double %x, i32 %n, i1 %c) {
; CHECK-LABEL: define double @guarded(
; CHECK: entry:
; CHECK-NEXT: br i1 %c, label %[[PRE:.*]], label %end
; CHECK: [[PRE]]:
; CHECK-NEXT: call double @slow(double %x, i32 %n)
; CHECK-NEXT: br label %loop
; CHECK-NOT: call
; CHECK: ret
entry:
  br i1 %c, label %loop, label %end
loop:
  %i = phi i32 [ %n, %entry ], [ %j, %loop ]
  %s = phi double [ %x, %entry ], [ %t, %loop ]
  %a = call double @slow(double %x, i32 %n)
  %t = fadd double %s, %a
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %loop, label %end
end:
  %e = phi double [ %x, %entry ], [ %t, %loop ]
  ret double %e
}

; Three ways, one of which leaves by a trap: that does not matter. The operand
; is made in the first block.
define double @ways(double %x, i32 %n) {
; CHECK-LABEL: define double @ways(
; CHECK: entry:
; CHECK-NEXT: %y = fadd double %x, 1.000000e+00
; CHECK-NEXT: call double @slow(double %y, i32 1)
; CHECK-NEXT: switch
; CHECK-NOT: call double
; CHECK: ret
entry:
  %y = fadd double %x, 1.0
  switch i32 %n, label %a [ i32 1, label %b
                            i32 2, label %c
                            i32 3, label %d ]
a:
  %va = call double @slow(double %y, i32 1)
  br label %end
b:
  %vb = call double @slow(double %y, i32 1)
  %wb = fadd double %vb, 1.0
  br label %end
c:
  %vc = call double @slow(double %y, i32 1)
  %wc = fadd double %vc, 2.0
  br label %end
d:
  call void @other() noreturn
  unreachable
end:
  %r = phi double [ %va, %a ], [ %wb, %b ], [ %wc, %c ]
  ret double %r
}

; One is made out of the other.
define double @chain(double %x, i1 %c) {
; CHECK-LABEL: define double @chain(
; CHECK: entry:
; CHECK-NEXT: [[FIRST:%.*]] = call double @slow(double %x, i32 1)
; CHECK-NEXT: call double @slow(double [[FIRST]], i32 2)
; CHECK-NEXT: br i1 %c
entry:
  br i1 %c, label %a, label %b
a:
  %va = call double @slow(double %x, i32 1)
  %wa = call double @slow(double %va, i32 2)
  br label %end
b:
  %vb = call double @slow(double %x, i32 1)
  %wb = call double @slow(double %vb, i32 2)
  %ub = fadd double %wb, 1.0
  br label %end
end:
  %r = phi double [ %wa, %a ], [ %ub, %b ]
  ret double %r
}

; One way does not make it.
define double @onlyone(double %x, i32 %n) {
; CHECK-LABEL: define double @onlyone(
; CHECK: one:
; CHECK-NEXT: call double @slow
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %j, %next ]
  %s = phi double [ %x, %entry ], [ %t, %next ]
  %odd = trunc i32 %i to i1
  br i1 %odd, label %one, label %next
one:
  %a = call double @slow(double 0.5, i32 23)
  %s1 = fadd double %s, %a
  br label %next
next:
  %t = phi double [ %s1, %one ], [ %s, %loop ]
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %loop, label %end
end:
  ret double %t
}

; Other operands, or ones that are made on the way.
define double @operands(double %x, i1 %c) {
; CHECK-LABEL: define double @operands(
; CHECK: a:
; CHECK-NEXT: call double @slow(double %x, i32 1)
; CHECK: b:
; CHECK: call double @slow(double %x, i32 2)
; CHECK: call double @slow(double %y, i32 1)
entry:
  br i1 %c, label %a, label %b
a:
  %va = call double @slow(double %x, i32 1)
  br label %end
b:
  %y = fadd double %x, 1.0
  %vb = call double @slow(double %x, i32 2)
  %vc = call double @slow(double %y, i32 1)
  %wb = fadd double %vb, %vc
  br label %end
end:
  %r = phi double [ %va, %a ], [ %wb, %b ]
  ret double %r
}

; In a loop that ends before the call it would be made more often.
define double @before(double %x, i32 %n) {
; CHECK-LABEL: define double @before(
; CHECK: end:
; CHECK-NEXT: call double @slow
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %j, %loop ]
  %y = phi double [ %x, %entry ], [ %z, %loop ]
  %z = fadd double %y, 1.0
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %loop, label %end
end:
  %r = call double @slow(double %z, i32 1)
  ret double %r
}

; Calls that read memory, may not end, or wait for other lanes.
define double @unfit(double %x, i1 %c) {
; CHECK-LABEL: define double @unfit(
; CHECK: a:
; CHECK-NEXT: call double @reads
; CHECK-NEXT: call double @waits
; CHECK-NEXT: call double @shuffles
; CHECK: b:
; CHECK-NEXT: call double @reads
; CHECK-NEXT: call double @waits
; CHECK-NEXT: call double @shuffles
entry:
  br i1 %c, label %a, label %b
a:
  %a1 = call double @reads(double %x)
  %a2 = call double @waits(double %x)
  %a3 = call double @shuffles(double %x)
  %a4 = fadd double %a1, %a2
  %a5 = fadd double %a3, %a4
  br label %end
b:
  %b1 = call double @reads(double %x)
  %b2 = call double @waits(double %x)
  %b3 = call double @shuffles(double %x)
  %b4 = fsub double %b1, %b2
  %b5 = fsub double %b3, %b4
  br label %end
end:
  %r = phi double [ %a5, %a ], [ %b5, %b ]
  ret double %r
}

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { nounwind willreturn memory(read) }
attributes #2 = { nounwind memory(none) }
attributes #3 = { nounwind willreturn memory(none) convergent }
