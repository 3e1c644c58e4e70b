; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The loop may end before an access, which the last iteration then leaves out. What
; stands behind an inner loop is surely reached only if that must end.
;
; RUN: %opt -passes='print<sluice-streams>' -disable-output %s 2>&1 | FileCheck %s
; CHECK-LABEL: kernel ends
; CHECK: most iterations known at entry
; CHECK: 4 B + 0 at <unknown>{{$}}
; CHECK: 4 B + 0 at <unknown> #1, perhaps not in the last iteration
; CHECK-LABEL: kernel waits
; CHECK: 4 B + 0 at <unknown>, perhaps not in the last iteration
; CHECK-LABEL: kernel progresses
; CHECK: 4 B + 0 at <unknown>{{$}}
; CHECK-LABEL: kernel fences
; CHECK: 4 B + 0 at <unknown>, perhaps not in the last iteration

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @ends(ptr %A, ptr %B, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next ]
  %p = getelementptr i32, ptr %A, i64 %j
  %v = load i32, ptr %p
  %stop = icmp eq i32 %v, 0
  br i1 %stop, label %exit, label %next

next:
  %q = getelementptr i32, ptr %B, i64 %j
  %w = load i32, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

define ptx_kernel void @waits(ptr %A, ptr %y) {
entry:
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next ]
  br label %inner

inner:
  %k = phi i64 [ %j, %loop ], [ %k.next, %inner ]
  %k.next = mul i64 %k, 3
  %go = icmp ugt i64 %k.next, 7
  br i1 %go, label %inner, label %next

next:
  %p = getelementptr i32, ptr %A, i64 %j
  %v = load i32, ptr %p
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

define ptx_kernel void @progresses(ptr %A, ptr %y) mustprogress {
entry:
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next ]
  br label %inner

inner:
  %k = phi i64 [ %j, %loop ], [ %k.next, %inner ]
  %k.next = mul i64 %k, 3
  %go = icmp ugt i64 %k.next, 7
  br i1 %go, label %inner, label %next

next:
  %p = getelementptr i32, ptr %A, i64 %j
  %v = load i32, ptr %p
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

define ptx_kernel void @fences(ptr %A, ptr %y) mustprogress {
entry:
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %next ]
  br label %inner

inner:
  %k = phi i64 [ %j, %loop ], [ %k.next, %inner ]
  %k.next = mul i64 %k, 3
  fence seq_cst
  %go = icmp ugt i64 %k.next, 7
  br i1 %go, label %inner, label %next

next:
  %p = getelementptr i32, ptr %A, i64 %j
  %v = load i32, ptr %p
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
