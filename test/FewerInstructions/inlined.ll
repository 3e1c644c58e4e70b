; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which calls are inlined, what is fused then, and why others are not.
;
; REQUIRES: ptxas
; RUN: %opt -passes='sluice-plan<gpu=sm_90;inline-calls=auto>,sluice-fewer-instructions' -pass-remarks=sluice-fewer -pass-remarks-missed=sluice-fewer -S %s 2>&1 | FileCheck %s
; RUN: %opt -passes='sluice-plan<gpu=sm_90>,sluice-fewer-instructions' -pass-remarks=sluice-fewer -pass-remarks-missed=sluice-fewer -S %s 2>&1 | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='sluice-plan<gpu=sm_90;inline-calls=auto;test-wrong-rewrite=rounded-anew>,sluice-fewer-instructions' -S %s | FileCheck %s --check-prefix=WRONG

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: remark: {{.*}} 'decided' is inlined: the kernel has
; CHECK: remark: {{.*}} 'outer' and another function are inlined: the kernel has
; CHECK: remark: {{.*}} 'undecided' is not inlined: it is not certain which products are fused in 'undecided'
; CHECK: remark: {{.*}} 'halves' is not inlined: it computes with other numbers than float and double
; CHECK: remark: {{.*}} 'open' is not inlined: it is left open what is fused (-ffp-contract=on)
; CHECK: remark: {{.*}} 'fast' is not inlined: its results may be approximate (fast-math flags)
; CHECK-NOT: remark:
; OFF-NOT: remark: {{.*}}inlined

; The product of the kernel comes to the sum of the function by its array. The
; one that the function returns comes to a sum of the kernel.
define float @decided(ptr %x, float %a, float %b) #0 {
  %p = load float, ptr %x
  %q = load float, ptr %x
  %s = fadd contract float %p, %a
  %t = fmul contract float %s, %b
  %u = fadd contract float %t, %q
  %r = fmul contract float %u, %a
  ret float %r
}

; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK-NOT: call float @decided
; CHECK: [[M:%.*]] = call float @llvm.nvvm.mul.rn.f(float %a, float %b)
; CHECK: [[S:%.*]] = fadd float [[M]], %a
; CHECK: [[U:%.*]] = call float @llvm.fma.f32(float [[S]], float %b, float [[M]])
; CHECK: [[R:%.*]] = call float @llvm.nvvm.mul.rn.f(float [[U]], float %a)
; CHECK: fadd float [[R]], %b
; OFF-LABEL: define ptx_kernel void @calls(
; OFF: call float @decided
; WRONG-LABEL: define ptx_kernel void @calls(
; WRONG: fmul contract float %a, %b
; WRONG: fadd contract
; WRONG: ret void
define ptx_kernel void @calls(ptr %out, float %a, float %b) #0 {
  %x = alloca [8 x float]
  %p = fmul contract float %a, %b
  store float %p, ptr %x
  %r = call float @decided(ptr %x, float %a, float %b)
  %s = fadd contract float %r, %b
  store float %s, ptr %out
  ret void
}

define float @inner(ptr %x) #0 {
  %p = load float, ptr %x
  ret float %p
}
define float @outer(ptr %x) #0 {
  %p = call float @inner(ptr %x)
  %q = fmul contract float %p, %p
  ret float %q
}
; CHECK-LABEL: define ptx_kernel void @callsBoth(
; CHECK-NOT: call float @outer
; CHECK-NOT: call float @inner
; CHECK: ret void
define ptx_kernel void @callsBoth(ptr %out, float %a) #0 {
  %x = alloca [8 x float]
  store float %a, ptr %x
  %r = call float @outer(ptr %x)
  store float %r, ptr %out
  ret void
}

; LLVM makes one of the two products, and moves the sum before the branch. There
; the sum has lost its number.
define float @undecided(ptr %x, float %a, float %b, i1 %is) #0 {
  %p = fmul contract float %a, %b
  store volatile float %p, ptr %x
  br i1 %is, label %then, label %end
then:
  %q = fmul contract float %a, %b
  %s = fadd contract float %q, 3.0
  store volatile float %s, ptr %x
  br label %end
end:
  ret float %a
}
; CHECK-LABEL: define ptx_kernel void @callsUndecided(
; CHECK: call float @undecided
define ptx_kernel void @callsUndecided(ptr %out, float %a, float %b, i1 %is) #0 {
  %x = alloca [8 x float]
  %r = call float @undecided(ptr %x, float %a, float %b, i1 %is)
  store float %r, ptr %out
  ret void
}

define half @halves(ptr %x, half %a) #0 {
  %s = fadd contract half %a, %a
  ret half %s
}
; CHECK-LABEL: define ptx_kernel void @callsHalves(
; CHECK: call half @halves
define ptx_kernel void @callsHalves(ptr %out, half %a) #0 {
  %x = alloca half
  %r = call half @halves(ptr %x, half 2.0)
  store half %r, ptr %out
  ret void
}

define float @open(ptr %x, float %a) #0 {
  %s = call float @llvm.fmuladd.f32(float %a, float %a, float %a)
  ret float %s
}
; CHECK-LABEL: define ptx_kernel void @callsOpen(
; CHECK: call float @open
define ptx_kernel void @callsOpen(ptr %out, float %a) #0 {
  %x = alloca float
  %r = call float @open(ptr %x, float 2.0)
  store float %r, ptr %out
  ret void
}

define float @fast(ptr %x, float %a) #0 {
  %s = fadd reassoc contract float %a, 1.0
  ret float %s
}
; CHECK-LABEL: define ptx_kernel void @callsFast(
; CHECK: call float @fast
define ptx_kernel void @callsFast(ptr %out, float %a) #0 {
  %x = alloca float
  %r = call float @fast(ptr %x, float 2.0)
  store float %r, ptr %out
  ret void
}

; It is passed nothing of the kernel's own.
define float @known(float %a) #0 {
  %s = fadd contract float %a, 1.0
  ret float %s
}
; CHECK-LABEL: define ptx_kernel void @callsKnown(
; CHECK: call float @known
define ptx_kernel void @callsKnown(ptr %out) #0 {
  %r = call float @known(float 2.0)
  store float %r, ptr %out
  ret void
}

; Nothing is said of these: a loop of calls, what is called twice, whose address
; is taken, and what is to be a function.
define float @itself(float %a, i32 %n) #0 {
  %is = icmp eq i32 %n, 0
  br i1 %is, label %end, label %more
more:
  %m = sub i32 %n, 1
  %r = call float @itself(float %a, i32 %m)
  br label %end
end:
  %v = phi float [ %r, %more ], [ %a, %0 ]
  ret float %v
}
define float @twice(float %a) #0 {
  ret float %a
}
define float @taken(float %a) #0 {
  ret float %a
}
define float @kept(float %a) #0 noinline {
  ret float %a
}
; CHECK-LABEL: define ptx_kernel void @callsOthers(
; CHECK: call float @itself
; CHECK: call float @twice
; CHECK: call float @twice
; CHECK: call float @taken
; CHECK: call float @kept
define ptx_kernel void @callsOthers(ptr %out, float %a, i32 %n) #0 {
  store ptr @taken, ptr %out
  %r = call float @itself(float %a, i32 %n)
  %s = call float @twice(float %r)
  %t = call float @twice(float %s)
  %u = call float @taken(float %t)
  %v = call float @kept(float %u)
  store float %v, ptr %out
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx78,+sm_90" }
