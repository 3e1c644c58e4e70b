; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Each operation has the one before twice, so that as a form it would be twice
; as large: what is too large becomes an unknown value, which differs from
; thread to thread. Whose memory it is stays. A few of them are followed.
;
; RUN: %opt -passes='print<sluice-access-patterns>,print<sluice-footprints><block=256>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: load 4 B at <unknown>: arg0 + 4*i0 + 128*xor({{.*}}v0{{.*}} (too large to follow){{$}}
; CHECK-NEXT: load 4 B at <unknown> #1: arg1 + 4*i0 + 128*xor(div
; CHECK-NOT: too large
; CHECK: load at <unknown>: 32 lines and 32 sectors a warp, 256 lines a block, stride 4 B (at most)

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A, ptr %B) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s0 = lshr i32 %tx, 3
  %x0 = xor i32 %s0, %tx
  %s1 = lshr i32 %x0, 3
  %x1 = xor i32 %s1, %x0
  %s2 = lshr i32 %x1, 3
  %x2 = xor i32 %s2, %x1
  %s3 = lshr i32 %x2, 3
  %x3 = xor i32 %s3, %x2
  %s4 = lshr i32 %x3, 3
  %x4 = xor i32 %s4, %x3
  %s5 = lshr i32 %x4, 3
  %x5 = xor i32 %s5, %x4
  %s6 = lshr i32 %x5, 3
  %x6 = xor i32 %s6, %x5
  %s7 = lshr i32 %x6, 3
  %x7 = xor i32 %s7, %x6
  %s8 = lshr i32 %x7, 3
  %x8 = xor i32 %s8, %x7
  %s9 = lshr i32 %x8, 3
  %x9 = xor i32 %s9, %x8
  %s10 = lshr i32 %x9, 3
  %x10 = xor i32 %s10, %x9
  %s11 = lshr i32 %x10, 3
  %x11 = xor i32 %s11, %x10
  %s12 = lshr i32 %x11, 3
  %x12 = xor i32 %s12, %x11
  %s13 = lshr i32 %x12, 3
  %x13 = xor i32 %s13, %x12
  %long = mul i32 %x13, 32
  %short = mul i32 %x1, 32
  br label %loop

loop:
  %j = phi i32 [ 0, %entry ], [ %j.next, %loop ]
  %n = add i32 %long, %j
  %p = getelementptr float, ptr %A, i32 %n
  %v = load float, ptr %p
  %m = add i32 %short, %j
  %q = getelementptr float, ptr %B, i32 %m
  %w = load float, ptr %q
  %j.next = add nuw nsw i32 %j, 1
  %more = icmp ult i32 %j.next, 512
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
