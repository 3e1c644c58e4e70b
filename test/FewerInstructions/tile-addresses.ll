; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The address that the others are offsets from: one of an access before them, or
; a new one. An address that is computed before them, but whose access is not
; made on the way, is none: it may be another there, or poison.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [1024 x i32] undef, align 4

; CHECK: remark: <unknown>:0:0: 4 addresses of shared memory are constant offsets from others before their blocks
; CHECK: remark: <unknown>:0:0: 3 addresses of shared memory are constant offsets from others before their blocks

; %p is of an access that is made where %c holds.
define void @other(i32 %x, i1 %c, i1 %d) {
; CHECK-LABEL: define void @other(
; CHECK: [[X:%.*]] = sext i32 %x to i64
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(3) @tile, i64
; CHECK: getelementptr i8, ptr addrspace(3) [[P]], i64 4
; CHECK: getelementptr i8, ptr addrspace(3) [[P]], i64 8
; CHECK: getelementptr i8, ptr addrspace(3) [[P]], i64 12
; CHECK: getelementptr i8, ptr addrspace(3) [[P]], i64 16
  %y = add nsw i32 %x, 5
  %i = sext i32 %y to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  br i1 %c, label %a, label %b
a:
  store i32 0, ptr addrspace(3) %p
  br label %b
b:
  br i1 %d, label %s1, label %b2
s1:
  %x1 = add nsw i32 %x, 1
  %i1 = sext i32 %x1 to i64
  %p1 = getelementptr i32, ptr addrspace(3) @tile, i64 %i1
  store i32 1, ptr addrspace(3) %p1
  br label %b2
b2:
  br i1 %d, label %s2, label %b3
s2:
  %x2 = add nsw i32 %x, 2
  %i2 = sext i32 %x2 to i64
  %p2 = getelementptr i32, ptr addrspace(3) @tile, i64 %i2
  store i32 2, ptr addrspace(3) %p2
  br label %b3
b3:
  br i1 %d, label %s3, label %b4
s3:
  %x3 = add nsw i32 %x, 3
  %i3 = sext i32 %x3 to i64
  %p3 = getelementptr i32, ptr addrspace(3) @tile, i64 %i3
  store i32 3, ptr addrspace(3) %p3
  br label %b4
b4:
  br i1 %d, label %s4, label %end
s4:
  %x4 = add nsw i32 %x, 4
  %i4 = sext i32 %x4 to i64
  %p4 = getelementptr i32, ptr addrspace(3) @tile, i64 %i4
  store i32 4, ptr addrspace(3) %p4
  br label %end
end:
  ret void
}

; The first is of an access in the block before all others. An addition that may
; wrap around is another address.
define void @first(i32 %x, i1 %d) {
; CHECK-LABEL: define void @first(
; CHECK: %p = getelementptr
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 -16
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 -12
; CHECK: getelementptr i8, ptr addrspace(3) %p, i64 -8
; CHECK: store i32 4, ptr addrspace(3) %p4
  %y = add nsw i32 %x, 5
  %i = sext i32 %y to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  store i32 0, ptr addrspace(3) %p
  br i1 %d, label %s1, label %b2
s1:
  %x1 = add nsw i32 %x, 1
  %i1 = sext i32 %x1 to i64
  %p1 = getelementptr i32, ptr addrspace(3) @tile, i64 %i1
  store i32 1, ptr addrspace(3) %p1
  br label %b2
b2:
  br i1 %d, label %s2, label %b3
s2:
  %x2 = add nsw i32 %x, 2
  %i2 = sext i32 %x2 to i64
  %p2 = getelementptr i32, ptr addrspace(3) @tile, i64 %i2
  store i32 2, ptr addrspace(3) %p2
  br label %b3
b3:
  br i1 %d, label %s3, label %b4
s3:
  %x3 = add nsw i32 %x, 3
  %i3 = sext i32 %x3 to i64
  %p3 = getelementptr i32, ptr addrspace(3) @tile, i64 %i3
  store i32 3, ptr addrspace(3) %p3
  br label %b4
b4:
  br i1 %d, label %s4, label %end
s4:
  %x4 = add i32 %x, 4
  %i4 = sext i32 %x4 to i64
  %p4 = getelementptr i32, ptr addrspace(3) @tile, i64 %i4
  store i32 4, ptr addrspace(3) %p4
  br label %end
end:
  ret void
}
