; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which assembly is rewritten. What it gives then: packed.cu.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 1 SIMD instruction computes in whole words: this GPU has none for it

define i32 @sum(i32 %a, i32 %b) {
; CHECK-LABEL: define i32 @sum(
; CHECK-NEXT: [[A:%.*]] = and i32 %a, 2139062143
; CHECK-NEXT: [[B:%.*]] = and i32 %b, 2139062143
; CHECK-NEXT: [[S:%.*]] = add i32 [[A]], [[B]]
; CHECK-NEXT: [[X:%.*]] = xor i32 %a, %b
; CHECK-NEXT: [[H:%.*]] = and i32 [[X]], -2139062144
; CHECK-NEXT: [[R:%.*]] = xor i32 [[S]], [[H]]
; CHECK-NEXT: ret i32 [[R]]
  %r = call i32 asm "vadd4.u32.u32.u32 $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  ret i32 %r
}

; A mask of 1s, which the header makes by a product.
define i32 @mask(i32 %a, i32 %b) {
; CHECK-LABEL: define i32 @mask(
; CHECK-NOT: asm
; CHECK-NOT: mul
; CHECK: [[M:%.*]] = call i32 @llvm.nvvm.prmt(i32 {{%.*}}, i32 0, i32 48025)
; CHECK-NEXT: ret i32 [[M]]
  %r = call i32 asm "vset2.s32.s32.gt $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %m = mul i32 %r, 65535
  ret i32 %m
}

; The chip has it, of unsigned numbers.
define i32 @difference(i32 %a, i32 %b, i32 %c) {
; CHECK-LABEL: define i32 @difference(
; CHECK-NEXT: call i32 asm "vabsdiff4.u32.u32.u32.add $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 %c)
; CHECK-NEXT: [[A:%.*]] = xor i32 %a, -2139062144
; CHECK-NEXT: [[B:%.*]] = xor i32 %b, -2139062144
; CHECK-NEXT: call i32 asm "vabsdiff4.u32.u32.u32.add $0,$1,$2,$3;", "=r,r,r,r"(i32 [[A]], i32 [[B]], i32 %c)
  %r = call i32 asm "vabsdiff4.u32.u32.u32.add $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 %c)
  %s = call i32 asm "vabsdiff4.s32.s32.s32.add $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 %c)
  %t = add i32 %r, %s
  ret i32 %t
}

; Lanes that are chosen, types that differ, operations on one number, sums of
; lanes other than differences, other operands, volatile assembly.
define i32 @others(i32 %a, i32 %b, i16 %h) {
; CHECK-LABEL: define i32 @others(
; CHECK-NEXT: asm "vadd4.u32.u32.u32 $0.b01,$1,$2,$3;"
; CHECK-NEXT: asm "vadd4.u32.s32.u32 $0,$1,$2,$3;"
; CHECK-NEXT: asm "vadd.u32.u32.u32 $0,$1,$2,$3;"
; CHECK-NEXT: asm "vadd4.u32.u32.u32.add $0,$1,$2,$3;"
; CHECK-NEXT: asm "vset4.u32.u32.eq.add $0,$1,$2,$3;"
; CHECK-NEXT: asm "vset4.u32.u32.hi $0,$1,$2,$3;"
; CHECK-NEXT: asm "vadd4.u32.u32.u32 $0,$1,$2,$3;", "=r,r,h,r"
; CHECK-NEXT: asm "vadd4.u32.u32.u32 $0,$2,$1,$3;"
; CHECK-NEXT: asm sideeffect
; CHECK-NEXT: asm "v $0,$1,$2,$3;"
; CHECK-NEXT: asm " $0,$1,$2,$3;"
; CHECK-NEXT: ret
  %1 = call i32 asm "vadd4.u32.u32.u32 $0.b01,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %2 = call i32 asm "vadd4.u32.s32.u32 $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %3 = call i32 asm "vadd.u32.u32.u32 $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %4 = call i32 asm "vadd4.u32.u32.u32.add $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %5 = call i32 asm "vset4.u32.u32.eq.add $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %6 = call i32 asm "vset4.u32.u32.hi $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %7 = call i32 asm "vadd4.u32.u32.u32 $0,$1,$2,$3;", "=r,r,h,r"(i32 %a, i16 %h, i32 0)
  %8 = call i32 asm "vadd4.u32.u32.u32 $0,$2,$1,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %9 = call i32 asm sideeffect "vadd4.u32.u32.u32 $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %10 = call i32 asm "v $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  %11 = call i32 asm " $0,$1,$2,$3;", "=r,r,r,r"(i32 %a, i32 %b, i32 0)
  ret i32 %1
}
