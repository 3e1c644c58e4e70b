; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which bytes are compared in their words.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s
; RUN: %opt -passes=sluice-fewer-instructions -S %s | %llc -mcpu=sm_90 - -o - | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: {{.*}}: 4 bytes are compared in their words
; CHECK: remark: {{.*}}: 1 byte is compared in its word
; CHECK-NOT: remark

; The second word's bytes are loaded backwards.
; CHECK-LABEL: define ptx_kernel void @words(
; CHECK: [[A:%.*]] = load i32, ptr addrspace(1) %a, align 4
; CHECK: %b3 = getelementptr i8, ptr addrspace(1) %b, i64 3
; CHECK: [[AT:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %b3, i64 -3
; CHECK-NEXT: [[B:%.*]] = load i32, ptr addrspace(1) [[AT]], align 4
; CHECK-NEXT: [[D:%.*]] = xor i32 [[A]], [[B]]
; CHECK: [[D0:%.*]] = and i32 [[D]], 255
; CHECK-NEXT: icmp ne i32 [[D0]], 0
; CHECK: [[D1:%.*]] = and i32 [[D]], 65280
; CHECK-NEXT: icmp eq i32 [[D1]], 0
; CHECK: and i32 [[D]], 16711680
; CHECK: and i32 [[D]], -16777216
; PTX-LABEL: .entry words(
; PTX: xor.b32
; PTX-COUNT-4: and.b32
; PTX: ret
define ptx_kernel void @words(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr %out) {
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 1
  %a2 = getelementptr i8, ptr addrspace(1) %a, i64 2
  %a3 = getelementptr i8, ptr addrspace(1) %a, i64 3
  %l0 = load i8, ptr addrspace(1) %a, align 4
  %l1 = load i8, ptr addrspace(1) %a1, align 1
  %l2 = load i8, ptr addrspace(1) %a2, align 2
  %l3 = load i8, ptr addrspace(1) %a3, align 1
  %b3 = getelementptr i8, ptr addrspace(1) %b, i64 3
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 2
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 1
  %m3 = load i8, ptr addrspace(1) %b3, align 1
  %m2 = load i8, ptr addrspace(1) %b2, align 2
  %m1 = load i8, ptr addrspace(1) %b1, align 1
  %m0 = load i8, ptr addrspace(1) %b, align 4
  %c0 = icmp ne i8 %l0, %m0
  %c1 = icmp eq i8 %m1, %l1
  %c2 = icmp ne i8 %l2, %m2
  %c3 = icmp ne i8 %l3, %m3
  %o0 = or i1 %c0, %c1
  %o1 = or i1 %c2, %c3
  %o = and i1 %o0, %o1
  store i1 %o, ptr %out
  ret void
}

; Not where a word is written between its bytes, where a byte is not loaded or used for something else,
; where no byte says that a word begins there, or where different bytes are compared.
; CHECK-LABEL: define ptx_kernel void @others(
; CHECK-NOT: load i32
; CHECK: ret void
define ptx_kernel void @others(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr %out) {
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 1
  %a2 = getelementptr i8, ptr addrspace(1) %a, i64 2
  %a3 = getelementptr i8, ptr addrspace(1) %a, i64 3
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 1
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 2
  %b3 = getelementptr i8, ptr addrspace(1) %b, i64 3
  %c1 = getelementptr i8, ptr addrspace(1) %c, i64 1
  %c2 = getelementptr i8, ptr addrspace(1) %c, i64 2
  %c3 = getelementptr i8, ptr addrspace(1) %c, i64 3
; Written in between.
  %l0 = load i8, ptr addrspace(1) %a, align 4
  %l1 = load i8, ptr addrspace(1) %a1, align 1
  %l2 = load i8, ptr addrspace(1) %a2, align 2
  store i8 1, ptr addrspace(1) %a3
  %l3 = load i8, ptr addrspace(1) %a3, align 1
  %m0 = load i8, ptr addrspace(1) %b, align 4
  %m1 = load i8, ptr addrspace(1) %b1, align 1
  %m2 = load i8, ptr addrspace(1) %b2, align 2
  %m3 = load i8, ptr addrspace(1) %b3, align 1
  %w0 = icmp ne i8 %l0, %m0
  %w1 = icmp ne i8 %l1, %m1
  store i1 %w0, ptr %out
  store i1 %w1, ptr %out
; Three bytes of four.
  %n0 = load i8, ptr addrspace(1) %c, align 4
  %n1 = load i8, ptr addrspace(1) %c1, align 1
  %n2 = load i8, ptr addrspace(1) %c2, align 2
  %t0 = icmp ne i8 %n0, %m0
  %t1 = icmp ne i8 %n1, %m1
  store i1 %t0, ptr %out
  store i1 %t1, ptr %out
; The number counts.
  %o0 = load i8, ptr addrspace(1) %a, align 4
  %o1 = load i8, ptr addrspace(1) %a1, align 1
  %o2 = load i8, ptr addrspace(1) %a2, align 2
  %o3 = load i8, ptr addrspace(1) %a3, align 1
  %p0 = load i8, ptr addrspace(1) %b, align 4
  %p1 = load i8, ptr addrspace(1) %b1, align 1
  %p2 = load i8, ptr addrspace(1) %b2, align 2
  %p3 = load i8, ptr addrspace(1) %b3, align 1
  %u0 = icmp ne i8 %o0, %p0
  %u1 = icmp ne i8 %o1, %p1
  store i8 %o3, ptr %out
  store i1 %u0, ptr %out
  store i1 %u1, ptr %out
; Anywhere.
  %q0 = load i8, ptr addrspace(1) %a, align 2
  %q1 = load i8, ptr addrspace(1) %a1, align 1
  %q2 = load i8, ptr addrspace(1) %a2, align 2
  %q3 = load i8, ptr addrspace(1) %a3, align 1
  %r0 = load i8, ptr addrspace(1) %b, align 4
  %r1 = load i8, ptr addrspace(1) %b1, align 1
  %r2 = load i8, ptr addrspace(1) %b2, align 2
  %r3 = load i8, ptr addrspace(1) %b3, align 1
  %v0 = icmp ne i8 %q0, %r0
  store i1 %v0, ptr %out
; One byte and another.
  %x0 = load i8, ptr addrspace(1) %a, align 4
  %x1 = load i8, ptr addrspace(1) %a1, align 1
  %x2 = load i8, ptr addrspace(1) %a2, align 2
  %x3 = load i8, ptr addrspace(1) %a3, align 1
  %y0 = load i8, ptr addrspace(1) %c, align 4
  %y1 = load i8, ptr addrspace(1) %c1, align 1
  %y2 = load i8, ptr addrspace(1) %c2, align 2
  %y3 = load i8, ptr addrspace(1) %c3, align 1
  %z0 = icmp ne i8 %x0, %y1
  %z1 = icmp ult i8 %x1, %y1
  store i1 %z0, ptr %out
  store i1 %z1, ptr %out
  ret void
}

; The words may stand apart, with a store between them.
; CHECK-LABEL: define ptx_kernel void @apart(
; CHECK: load i32, ptr addrspace(1) %a
; CHECK: store i8 1
; CHECK: load i32, ptr addrspace(1) %b
; CHECK: ret void
define ptx_kernel void @apart(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr %out) {
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 1
  %a2 = getelementptr i8, ptr addrspace(1) %a, i64 2
  %a3 = getelementptr i8, ptr addrspace(1) %a, i64 3
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 1
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 2
  %b3 = getelementptr i8, ptr addrspace(1) %b, i64 3
  %l0 = load i8, ptr addrspace(1) %a, align 4
  %l1 = load i8, ptr addrspace(1) %a1, align 1
  %l2 = load i8, ptr addrspace(1) %a2, align 2
  %l3 = load i8, ptr addrspace(1) %a3, align 1
  store i8 1, ptr %out
  %m0 = load i8, ptr addrspace(1) %b, align 4
  %m1 = load i8, ptr addrspace(1) %b1, align 1
  %m2 = load i8, ptr addrspace(1) %b2, align 2
  %m3 = load i8, ptr addrspace(1) %b3, align 1
  %c = icmp ne i8 %l3, %m3
  store i1 %c, ptr %out
  ret void
}
