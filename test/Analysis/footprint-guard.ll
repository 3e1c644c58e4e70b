; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An equality on the thread's index that dominates an access lets one thread
; through: as a branch, as one of several conditions, as an early return of the
; others. One that holds behind both branches, an inequality, and one of what is
; read from memory let through as many as there are.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=LINES

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel equal
; CHECK: load 4 B {{.*}} (where 0 is tid.x - 5)
; LINES-LABEL: kernel equal
; LINES: load {{.*}}: 1 lines and 1 sectors a warp, 1 lines a block
define ptx_kernel void @equal(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %tx, 5
  br i1 %first, label %rows, label %exit

rows:
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %rows ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel lane
; CHECK: load 4 B {{.*}} (where 0 is -arg2 + mod(tid.x, 32))
; LINES-LABEL: kernel lane
; LINES: load {{.*}}: 1 lines and 1 sectors a warp, 8 lines a block
define ptx_kernel void @lane(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tx, 31
  %other = icmp ne i32 %lane, %n
  %none = icmp eq i32 %n, 7
  %leaves = select i1 %none, i1 true, i1 %other
  br i1 %leaves, label %exit, label %rows

rows:
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %rows ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel inLoop
; CHECK: load 4 B {{[^(]*}}{{$}}
; CHECK: store 4 B {{.*}} (where 0 is tid.x)
; LINES-LABEL: kernel inLoop
; LINES: load {{.*}}: 32 lines and 32 sectors a warp, 256 lines a block
; LINES: store {{.*}}: 1 lines and 1 sectors a warp, 1 lines a block
define ptx_kernel void @inLoop(ptr %A, ptr %y) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = mul i32 %tx, 512
  %first = icmp eq i32 %tx, 0
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %next ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  br i1 %first, label %write, label %next

write:
  %q = getelementptr float, ptr %y, i32 %i
  store float %v, ptr %q
  br label %next

next:
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel unequal
; CHECK: load 4 B {{[^(]*}}{{$}}
; LINES-LABEL: kernel unequal
; LINES: load {{.*}}: 32 lines and 32 sectors a warp, 256 lines a block
define ptx_kernel void @unequal(ptr %A, ptr %y, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %below = icmp ult i32 %tx, %n
  br i1 %below, label %rows, label %exit

rows:
  %p.y = getelementptr i32, ptr %y, i32 %tx
  %kind = load i32, ptr %p.y
  %chosen = icmp eq i32 %kind, 3
  br i1 %chosen, label %begin, label %exit

begin:
  %last = icmp eq i32 %tx, 9
  br i1 %last, label %extra, label %walk

extra:
  store i32 0, ptr %p.y
  br label %walk

walk:
  %row = mul i32 %tx, 512
  br label %loop

loop:
  %j = phi i32 [ 0, %walk ], [ %j.next, %loop ]
  %i = add i32 %row, %j
  %p = getelementptr float, ptr %A, i32 %i
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
