; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Scopes of __restrict__ that begin in the loop, with a function inlined there,
; speak of one iteration: another may write what is read. Those that begin before
; it speak of all.
;
; RUN: %opt -passes='print<sluice-streams>' -disable-output %s 2>&1 | FileCheck %s
; CHECK-LABEL: kernel each
; CHECK: load stream
; CHECK: may overlap what is written
; CHECK-LABEL: kernel all
; CHECK: load stream
; CHECK-NOT: may overlap
; CHECK: store stream

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @each(ptr %A, ptr %B) {
entry:
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  tail call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %p = getelementptr float, ptr %A, i64 %j
  %v = load float, ptr %p, !alias.scope !2
  %q = getelementptr float, ptr %B, i64 %j
  store float %v, ptr %q, !noalias !2
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

define ptx_kernel void @all(ptr %A, ptr %B) {
entry:
  tail call void @llvm.experimental.noalias.scope.decl(metadata !2)
  br label %loop

loop:
  %j = phi i64 [ 0, %entry ], [ %j.next, %loop ]
  %p = getelementptr float, ptr %A, i64 %j
  %v = load float, ptr %p, !alias.scope !2
  %q = getelementptr float, ptr %B, i64 %j
  store float %v, ptr %q, !noalias !2
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

!0 = distinct !{!0, !"f"}
!1 = distinct !{!1, !0, !"f: A"}
!2 = !{!1}
