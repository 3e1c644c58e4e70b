; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Row and column of a pixel's number in an image whose width is an argument:
; where both are put together again, it is the number. The pixel below it is a
; row away. In an image that is stored by columns the distance is not known.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt -passes='print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=LINES

target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel signed
; CHECK: load 4 B at {{[^:]*}}: arg0 + 4*i0 + 4*tid.x{{$}}
; CHECK: load 4 B at {{[^:]*}}: arg0 + 4*arg1 + 4*i0 + 4*tid.x{{$}}
; LINES-LABEL: kernel signed
; LINES: loop i0 at <unknown>: 16 lines a block
; LINES: load {{.*}}: 1 lines {{.*}} 8 lines a block, stride 4 B{{$}}
define ptx_kernel void @signed(ptr %A, i32 %width) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = sdiv i32 %i, %width
  %x = srem i32 %i, %width
  %row = mul i32 %y, %width
  %below.y = add i32 %y, 1
  %row.below = mul i32 %below.y, %width
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %xj = add i32 %x, %j
  %here = add i32 %row, %xj
  %p0 = getelementptr float, ptr %A, i32 %here
  %v0 = load float, ptr %p0
  %below = add i32 %row.below, %xj
  %p1 = getelementptr float, ptr %A, i32 %below
  %v1 = load float, ptr %p1
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; CHECK-LABEL: kernel unsigned
; CHECK: load 4 B at {{[^:]*}}: arg0 + 4*i0 + 4*tid.x{{$}}
define ptx_kernel void @unsigned(ptr %A, i32 %width) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = udiv i32 %i, %width
  %x = urem i32 %i, %width
  %row = mul i32 %y, %width
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %xj = add i32 %x, %j
  %here = add i32 %row, %xj
  %p0 = getelementptr float, ptr %A, i32 %here
  %v0 = load float, ptr %p0
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}

; LINES-LABEL: kernel byColumns
; LINES: loop i0 at <unknown>: at most 256 lines a block
define ptx_kernel void @byColumns(ptr %A, i32 %width, i32 %height) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = sdiv i32 %i, %width
  %x = srem i32 %i, %width
  %column = mul i32 %x, %height
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %yj = add i32 %y, %j
  %here = add i32 %column, %yj
  %p0 = getelementptr float, ptr %A, i32 %here
  %v0 = load float, ptr %p0
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
