; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Which calls with constants are computed, and which are not.
;
; RUN: %opt -passes=sluice-fewer-instructions -pass-remarks=sluice -S %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-COUNT-1: remark: <unknown>:0:0: 2 calls with constants are computed

@table = internal addrspace(4) constant [3 x double] [double 1.0, double 2.0, double 4.0]
@written = internal addrspace(1) global [3 x double] [double 1.0, double 2.0, double 4.0]

; What libdevice's pow begins with: the mantissa, from 1 to 2, and log((m - 1) / (m + 1)). Of powers of
; two the reciprocal is multiplied by zero.
define internal double @begins(double %x) {
  %high = call i32 @llvm.nvvm.d2i.hi(double %x)
  %low = call i32 @llvm.nvvm.d2i.lo(double %x)
  %m0 = and i32 %high, 1048575
  %m1 = or i32 %m0, 1072693248
  %m = call double @llvm.nvvm.lohi.i2d(i32 %low, i32 %m1)
  %less = fadd double %m, -1.0
  %more = fadd double %m, 1.0
  %u = call double @llvm.nvvm.rcp.approx.ftz.d(double %more)
  %minus = fneg double %more
  %e = call double @llvm.fma.f64(double %minus, double %u, double 1.0)
  %v = call double @llvm.fma.f64(double %e, double %u, double %u)
  %q = fmul double %less, %v
  %e0 = lshr i32 %high, 20
  %e1 = add i32 %e0, -1023
  %exponent = sitofp i32 %e1 to double
  %r = fadd double %q, %exponent
  %short = bitcast i32 %high to float
  %a = call float @llvm.nvvm.fabs.f32(float %short)
  %c = fcmp olt float %a, 0x4010E90000000000
  br i1 %c, label %near, label %far
near:
  %n = fmul double %r, 2.0
  br label %end
far:
  br label %end
end:
  %result = phi double [ %n, %near ], [ %r, %far ]
  ret double %result
}

; CHECK-LABEL: define ptx_kernel void @powers(
; CHECK-NEXT: store double -2.000000e+00, ptr %out
; CHECK-NEXT: store double 4.600000e+01, ptr %out
; CHECK-NEXT: call double @begins(double 3.000000e+00)
define ptx_kernel void @powers(ptr %out) {
  %a = call double @begins(double 0.5)
  store double %a, ptr %out
  %b = call double @begins(double 8388608.0)
  %b2 = fmul double %b, 2.0
  store double %b2, ptr %out
  %c = call double @begins(double 3.0)
  store double %c, ptr %out
  ret void
}

; A loop, and a table.
define internal double @sums(i32 %n, double %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %t, %loop ]
  %at = getelementptr [3 x double], ptr addrspace(4) @table, i32 0, i32 %i
  %value = load double, ptr addrspace(4) %at
  %t = call double @llvm.fma.f64(double %value, double %x, double %s)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %t
}
define internal double @reads(i32 %i) {
  %at = getelementptr [3 x double], ptr addrspace(1) @written, i32 0, i32 %i
  %value = load double, ptr addrspace(1) %at
  ret double %value
}
; Of 0.1 * 0.1 - 0.01 it depends on who fuses it.
define internal double @fused(double %x, double %y) {
  %p = fmul double %x, %x
  %s = fadd double %p, %y
  ret double %s
}
define internal double @approximate(double %x) {
  %s = fmul afn double %x, %x
  ret double %s
}
define internal float @floats(float %x) {
  %s = fadd float %x, 1.0
  ret float %s
}
define internal double @endless(double %x) {
entry:
  br label %loop
loop:
  %s = phi double [ %x, %entry ], [ %t, %loop ]
  %t = fadd double %s, 1.0
  br label %loop
}
define internal double @writes(double %x, ptr %p) {
  store double %x, ptr %p
  ret double %x
}
define weak double @replaced(double %x) {
  ret double %x
}

; CHECK-LABEL: define ptx_kernel void @others(
; CHECK-NEXT: store double 3.500000e+00, ptr %out
; CHECK-NEXT: store double 3.250000e+00, ptr %out
; CHECK-NEXT: call double @sums(i32 5000, double 5.000000e-01)
; CHECK: call double @reads(i32 1)
; CHECK: call double @fused(double 1.000000e-01, double -1.000000e-02)
; CHECK: call double @approximate(
; CHECK: call float @floats(
; CHECK: call double @endless(
; CHECK: call double @writes(
; CHECK: call double @replaced(
define ptx_kernel void @others(ptr %out) {
  %a = call double @sums(i32 3, double 0.5)
  store double %a, ptr %out
  %a2 = call double @fused(double 0.5, double 3.0)
  store double %a2, ptr %out
  %b = call double @sums(i32 5000, double 0.5)
  store double %b, ptr %out
  %c = call double @reads(i32 1)
  store double %c, ptr %out
  %d = call double @fused(double 0.1, double -0.01)
  store double %d, ptr %out
  %e = call double @approximate(double 2.0)
  store double %e, ptr %out
  %f = call float @floats(float 2.0)
  store float %f, ptr %out
  %g = call double @endless(double 2.0)
  store double %g, ptr %out
  %h = call double @writes(double 2.0, ptr null)
  store double %h, ptr %out
  %i = call double @replaced(double 2.0)
  store double %i, ptr %out
  ret void
}

; A branch that is decided joins blocks, and 0.1 * 0.1 may be fused with a sum
; where it is. An exact product may be either.
; CHECK-LABEL: define ptx_kernel void @uses(
; CHECK-NEXT: [[C:%.*]] = call double @approximate
; CHECK-NEXT: [[A:%.*]] = call double @sums(i32 1, double 1.000000e-01)
; CHECK-NEXT: fmul contract double [[A]], 1.000000e-01
; CHECK: store double 1.000000e+00
; CHECK: call double @sums(i32 2, double 1.000000e+00)
; CHECK-NEXT: fcmp
; CHECK-NEXT: br i1
define ptx_kernel void @uses(ptr %out, double %x) {
  %n = call double @approximate(double 2.0)
  %a = call double @sums(i32 1, double 0.1)
  %p = fmul contract double %a, 0.1
  %q = fadd contract double %p, %x
  store double %q, ptr %out
  %b = call double @sums(i32 1, double 0.5)
  %r = fmul contract double %b, 2.0
  store double %r, ptr %out
  %c = call double @sums(i32 2, double 1.0)
  %is = fcmp ogt double %c, 2.0
  br i1 %is, label %more, label %end
more:
  store double %n, ptr %out
  br label %end
end:
  ret void
}
