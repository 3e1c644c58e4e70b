; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; An outer loop's footprint has the lines of its inner loops.
;
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: loop i0 at <unknown>: {{[0-9]+}} lines a block
; CHECK: loop i1 at <unknown>{{.*}}: 8 lines a block, no reuse
; CHECK-NEXT: load at <unknown>: 1 lines and 4 sectors a warp, 8 lines a block, stride 262144 B

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %r = mul i32 %i, 1024
  %row = add i32 %r, %tx
  br label %inner

inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %c = mul i32 %j, 65536
  %n = add i32 %row, %c
  %p = getelementptr float, ptr %A, i32 %n
  %v = load float, ptr %p
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 16
  br i1 %more, label %inner, label %latch

latch:
  %q = getelementptr float, ptr %A, i32 %row
  store float %v, ptr %q
  %i.next = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %i.next, 64
  br i1 %again, label %outer, label %exit

exit:
  ret void
}
