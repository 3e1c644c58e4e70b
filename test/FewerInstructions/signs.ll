; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which sums with a value that a condition negates are multiplied by a sign.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: <unknown>:0:0: 2 sums with a value that a condition negates are multiply-adds with a sign, which is made once for each condition

define float @both(i1 %c, float %x, float %y, float %o) {
; CHECK-LABEL: define float @both(
; CHECK-NEXT: [[S:%.*]] = select i1 %c, float -1.000000e+00, float 1.000000e+00
; CHECK-NEXT: [[R:%.*]] = call contract float @llvm.fma.f32(float [[S]], float %x, float %o)
; CHECK-NEXT: [[T:%.*]] = call float @llvm.fma.f32(float [[S]], float %y, float [[R]])
; CHECK-NEXT: ret float [[T]]
  %nx = fneg float %x
  %sx = select i1 %c, float %nx, float %x
  %r = fadd contract float %sx, %o
  %ny = fneg float %y
  %sy = select i1 %c, float %ny, float %y
  %t = fadd float %r, %sy
  ret float %t
}

; The other way about, and differences. The operand of one is another.
define float @other(i1 %c, float %x, float %o) {
; CHECK-LABEL: define float @other(
; CHECK-NEXT: [[S:%.*]] = select i1 %c, float -1.000000e+00, float 1.000000e+00
; CHECK-NEXT: [[N:%.*]] = fneg float [[S]]
; CHECK-NEXT: [[R:%.*]] = call float @llvm.fma.f32(float [[N]], float %x, float %o)
; CHECK-NEXT: [[M:%.*]] = fneg float [[S]]
; CHECK-NEXT: [[NO:%.*]] = fneg float %o
; CHECK-NEXT: [[T:%.*]] = call float @llvm.fma.f32(float [[M]], float [[R]], float [[NO]])
; CHECK-NEXT: [[U:%.*]] = call float @llvm.fma.f32(float [[S]], float [[T]], float %o)
; CHECK-NEXT: [[V:%.*]] = fneg float [[S]]
; CHECK-NEXT: [[W:%.*]] = call float @llvm.fma.f32(float [[V]], float [[U]], float %o)
; CHECK-NEXT: ret float [[W]]
  %nx = fneg float %x
  %sx = select i1 %c, float %x, float %nx
  %r = fadd float %sx, %o
  %nr = fneg float %r
  %sr = select i1 %c, float %r, float %nr
  %t = fsub float %sr, %o
  %nt = fneg float %t
  %st = select i1 %c, float %t, float %nt
  %u = fsub float %o, %st
  %nu = fneg float %u
  %su = select i1 %c, float %nu, float %u
  %w = fsub float %o, %su
  ret float %w
}

; One sum alone: the sign would be an instruction more.
define float @alone(i1 %c, i1 %d, float %x, float %y, float %o) {
; CHECK-LABEL: define float @alone(
; CHECK-NOT: fma
; CHECK: ret
  %nx = fneg float %x
  %sx = select i1 %c, float %nx, float %x
  %r = fadd float %sx, %o
  %ny = fneg float %y
  %sy = select i1 %d, float %ny, float %y
  %t = fadd float %r, %sy
  ret float %t
}

; Doubles keep the bits of what is not a number; products and constants may be
; fused; flags let sums be reordered; the chosen value is used elsewhere, too.
define double @doubles(i1 %c, double %x, double %y, double %o) {
; CHECK-LABEL: define double @doubles(
; CHECK-NOT: fma
; CHECK: ret
  %nx = fneg double %x
  %sx = select i1 %c, double %nx, double %x
  %r = fadd double %sx, %o
  %ny = fneg double %y
  %sy = select i1 %c, double %ny, double %y
  %t = fadd double %r, %sy
  ret double %t
}

define float @fused(i1 %c, float %x, float %y, float %a, ptr %p) {
; CHECK-LABEL: define float @fused(
; CHECK-NOT: fma
; CHECK: ret
  %o = fmul contract float %x, %y
  %nx = fneg float %x
  %sx = select i1 %c, float %nx, float %x
  %r = fadd contract float %sx, %o
  %ny = fneg float %y
  %sy = select i1 %c, float %ny, float %y
  %t = fadd contract float %sy, %o
  %q = fsub contract float %r, %t
  %nq = fneg float %q
  %sq = select i1 %c, float %nq, float %q
  %one = fadd contract float %sq, 1.0
  %na = fneg float %a
  %sa = select i1 %c, float %na, float %a
  store float %sa, ptr %p
  %e = fadd float %sa, %one
  %ne = fneg float %e
  %se = select i1 %c, float %ne, float %e
  %f = fadd reassoc float %se, %a
  ret float %f
}
