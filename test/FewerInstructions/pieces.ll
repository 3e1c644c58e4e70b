; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A number that may begin at any byte is read in the pieces that are used of it, if an access of its
; alignment reads each of them.
;
; RUN: %opt -passes=sluice-fewer-instructions -S %s | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | %llc -mcpu=sm_90 - -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The first, the third twice; not the rest.
define ptx_kernel void @bytes(ptr addrspace(1) %x) {
; CHECK-LABEL: define ptx_kernel void @bytes(
; CHECK-NEXT: [[AT0:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %x, i64 0
; CHECK-NEXT: [[R:%.*]] = load i8, ptr addrspace(1) [[AT0]], align 1
; CHECK-NEXT: [[AT2:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %x, i64 2
; CHECK-NEXT: [[B:%.*]] = load i8, ptr addrspace(1) [[AT2]], align 1
; CHECK-NEXT: store volatile i8 [[R]]
; CHECK-NEXT: store volatile i8 [[B]]
; CHECK-NEXT: store volatile i8 [[B]]
; CHECK-NEXT: ret void
; PTX-LABEL: .entry bytes(
; PTX-COUNT-2: ld.global.b8
; PTX-NOT: shl
; PTX: ret
  %p = load i32, ptr addrspace(1) %x, align 1
  %r = trunc i32 %p to i8
  %high = lshr i32 %p, 16
  %b = trunc i32 %high to i8
  %again = trunc i32 %high to i8
  store volatile i8 %r, ptr addrspace(1) %x
  store volatile i8 %b, ptr addrspace(1) %x
  store volatile i8 %again, ptr addrspace(1) %x
  ret void
}

; Two of 16 bits, and one of 8 within one of those.
define ptx_kernel void @words(ptr addrspace(1) %x, ptr addrspace(1) %y) {
; CHECK-LABEL: define ptx_kernel void @words(
; CHECK: load i16, ptr addrspace(1) %{{.*}}, align 2
; CHECK: [[AT5:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %x, i64 5
; CHECK-NEXT: load i8, ptr addrspace(1) [[AT5]], align 1
  %p = load i64, ptr addrspace(1) %x, align 2
  %low = trunc i64 %p to i16
  %s = lshr i64 %p, 40
  %byte = trunc i64 %s to i8
  store i16 %low, ptr addrspace(1) %y
  store i8 %byte, ptr addrspace(1) %y
  ret void
}

; Numbers with zeros above, some bits of a byte, and the last byte by a shift alone.
define ptx_kernel void @zeros(ptr addrspace(1) %x, ptr addrspace(1) %y) {
; CHECK-LABEL: define ptx_kernel void @zeros(
; CHECK-COUNT-3: load i8, ptr addrspace(1)
; CHECK: [[ONE:%[0-9]+]] = zext i8 %4 to i32
; CHECK-NEXT: and i32 [[ONE]], 15
; PTX-LABEL: .entry zeros(
; PTX-COUNT-3: ld.global.b8
; PTX-NOT: shl
; PTX: ret
  %p = load i32, ptr addrspace(1) %x, align 1
  %r = and i32 %p, 255
  %shifted = lshr i32 %p, 8
  %g = and i32 %shifted, 15
  %a = lshr i32 %p, 24
  store volatile i32 %r, ptr addrspace(1) %y
  store volatile i32 %g, ptr addrspace(1) %y
  store volatile i32 %a, ptr addrspace(1) %y
  ret void
}

; More of it is used, a piece is none of an access, it is aligned, or volatile.
define ptx_kernel void @stays(ptr addrspace(1) %x) {
; CHECK-LABEL: define ptx_kernel void @stays(
; CHECK: %p = load i32, ptr addrspace(1) %x, align 1
; CHECK: %q = load i32, ptr addrspace(1) %x, align 1
; CHECK: %t = load i64, ptr addrspace(1) %x, align 2
; CHECK: %w = load i32, ptr addrspace(1) %x, align 1
; CHECK: %z = load i32, ptr addrspace(1) %x, align 1
; CHECK: %u = load i32, ptr addrspace(1) %x, align 4
; CHECK: %v = load volatile i32, ptr addrspace(1) %x, align 1
  %p = load i32, ptr addrspace(1) %x, align 1
  %p8 = trunc i32 %p to i8
  store i8 %p8, ptr addrspace(1) %x
  store i32 %p, ptr addrspace(1) %x
  %q = load i32, ptr addrspace(1) %x, align 1
  %q4 = lshr i32 %q, 4
  %q8 = trunc i32 %q4 to i8
  store i8 %q8, ptr addrspace(1) %x
  %t = load i64, ptr addrspace(1) %x, align 2
  %t32 = trunc i64 %t to i32
  store i32 %t32, ptr addrspace(1) %x
  %w = load i32, ptr addrspace(1) %x, align 1
  %w2 = and i32 %w, 65535
  store i32 %w2, ptr addrspace(1) %x
  %z = load i32, ptr addrspace(1) %x, align 1
  %z2 = and i32 %z, 65280
  store i32 %z2, ptr addrspace(1) %x
  %u = load i32, ptr addrspace(1) %x, align 4
  %u8 = trunc i32 %u to i8
  store i8 %u8, ptr addrspace(1) %x
  %v = load volatile i32, ptr addrspace(1) %x, align 1
  %v8 = trunc i32 %v to i8
  store i8 %v8, ptr addrspace(1) %x
  ret void
}

; Nothing beyond the number is read: a piece that is not there whole, and a shift
; past its end, whose result may be anything. One that nothing uses is no reason.
define ptx_kernel void @ends(ptr addrspace(1) %x, ptr addrspace(1) %y) {
; CHECK-LABEL: define ptx_kernel void @ends(
; CHECK: %short = load i24, ptr addrspace(1) %x, align 2
; CHECK: %past = load i32, ptr addrspace(1) %x, align 1
; CHECK-NOT: %unused
; CHECK: load i8, ptr addrspace(1) %{{.*}}, align 1
; CHECK: ret void
  %short = load i24, ptr addrspace(1) %x, align 2
  %short.s = lshr i24 %short, 16
  %short.t = trunc i24 %short.s to i16
  store i16 %short.t, ptr addrspace(1) %y
  %past = load i32, ptr addrspace(1) %x, align 1
  %past.s = lshr i32 %past, 40
  %past.t = trunc i32 %past.s to i8
  store i8 %past.t, ptr addrspace(1) %y
  %unused = load i32, ptr addrspace(1) %x, align 1
  %unused.s = lshr i32 %unused, 24
  %used = trunc i32 %unused to i8
  store i8 %used, ptr addrspace(1) %y
  ret void
}
