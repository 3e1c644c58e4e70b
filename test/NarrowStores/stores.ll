; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What floating-point arithmetic computes is moved before a part of it is
; stored, at all levels; integers are not.
;
; RUN: %llc -O3 -mcpu=sm_90 -mattr=+ptx88 %s -o - | FileCheck %s
; RUN: %llc -O0 -mcpu=sm_90 -mattr=+ptx88 %s -o - | FileCheck %s
; RUN: %llc -O3 -mcpu=sm_90 -mattr=+ptx88 %s -o - -pass-remarks=sluice-narrow-stores 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
; RUN: %llc -O3 -mcpu=sm_90 -mattr=+ptx88 %s -o - | grep -c 'begin inline' | FileCheck %s --check-prefix=COUNT

; One for each of the first seven functions, whose other bytes are shifted.
; COUNT: {{^}}7{{$}}
; REMARK-COUNT-7: remark: {{.*}}the low bits of a floating-point number are stored: it is moved first, as ptxas converts it to an integer otherwise
; REMARK-NOT: remark

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @bytes_of_float(ptr addrspace(1) %p, float %a) {
; CHECK-LABEL: .entry bytes_of_float(
; CHECK: mul.rn.f32 [[X:%r[0-9]+]],
; CHECK: mov.b32 [[Y:%r[0-9]+]], [[X]];
; CHECK: st.global.b8 [{{.*}}], [[Y]];
  %x = fmul float %a, %a
  store float %x, ptr addrspace(1) %p, align 1
  ret void
}

define ptx_kernel void @bytes_of_double(ptr addrspace(1) %p, double %a) {
; CHECK-LABEL: .entry bytes_of_double(
; CHECK: mul.rn.f64 [[X:%rd[0-9]+]],
; CHECK: mov.b64 [[Y:%rd[0-9]+]], [[X]];
; CHECK: st.global.b16 [{{.*}}], [[Y]];
  %x = fmul double %a, %a
  store double %x, ptr addrspace(1) %p, align 2
  ret void
}

define ptx_kernel void @low_word(ptr addrspace(3) %p, double %a) {
; CHECK-LABEL: .entry low_word(
; CHECK: fma.rn.f64 [[X:%rd[0-9]+]],
; CHECK: mov.b64 [[Y:%rd[0-9]+]], [[X]];
; CHECK: st.shared.b32 [{{.*}}], [[Y]];
  %x = call double @llvm.fma.f64(double %a, double %a, double 1.0)
  %bits = bitcast double %x to i64
  %low = trunc i64 %bits to i32
  store i32 %low, ptr addrspace(3) %p, align 4
  ret void
}

define ptx_kernel void @low_half(ptr %p, i32 %a) {
; CHECK-LABEL: .entry low_half(
; CHECK: cvt.rn.f32.s32 [[X:%r[0-9]+]],
; CHECK: mov.b32 [[Y:%r[0-9]+]], [[X]];
; CHECK: st.volatile{{(.global)?}}.b16 [{{.*}}], [[Y]];
  %x = sitofp i32 %a to float
  %bits = bitcast float %x to i32
  %low = trunc i32 %bits to i16
  store volatile i16 %low, ptr %p, align 2
  ret void
}

define ptx_kernel void @byte_of_half(ptr addrspace(1) %p, half %a) {
; CHECK-LABEL: .entry byte_of_half(
; CHECK: mul.rn.f16 [[X:%rs[0-9]+]],
; CHECK: mov.b16 [[Y:%rs[0-9]+]], [[X]];
; CHECK: st.global.b8 [{{.*}}], [[Y]];
  %x = fmul half %a, %a
  %bits = bitcast half %x to i16
  %low = trunc i16 %bits to i8
  store i8 %low, ptr addrspace(1) %p, align 1
  ret void
}

define ptx_kernel void @one_of_two(ptr addrspace(1) %p, float %a, i1 %c) {
; CHECK-LABEL: .entry one_of_two(
; CHECK: selp.f32 [[X:%r[0-9]+]],
; CHECK: mov.b32 [[Y:%r[0-9]+]], [[X]];
; CHECK: st.global.b8 [{{.*}}], [[Y]];
  %y = fmul float %a, %a
  %x = select i1 %c, float %a, float %y
  %bits = bitcast float %x to i32
  %low = trunc i32 %bits to i8
  store i8 %low, ptr addrspace(1) %p, align 1
  ret void
}

define ptx_kernel void @in_a_loop(ptr addrspace(1) %p, float %a, i32 %n) {
; CHECK-LABEL: .entry in_a_loop(
; CHECK: st.global.b8
; CHECK: ret;
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %a, %entry ], [ %y, %loop ]
  %bits = bitcast float %x to i32
  %low = trunc i32 %bits to i8
  %q = getelementptr i8, ptr addrspace(1) %p, i32 %i
  store i8 %low, ptr addrspace(1) %q, align 1
  %y = fadd float %x, %a
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

define ptx_kernel void @integers(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, float %a) {
; CHECK-LABEL: .entry integers(
; CHECK-NOT: begin inline
; CHECK: st.volatile.global.b8
; CHECK: st.volatile.global.b16
; CHECK: st.volatile.global.b32
; CHECK: st.volatile.global.b8
; CHECK: ret;
  %sum = add i64 %n, 5
  %byte = trunc i64 %sum to i8
  store volatile i8 %byte, ptr addrspace(1) %p, align 1
  %two = load volatile i32, ptr addrspace(1) %q, align 4
  %half = trunc i32 %two to i16
  store volatile i16 %half, ptr addrspace(1) %p, align 2
  %product = mul i64 %n, 7
  %word = trunc i64 %product to i32
  store volatile i32 %word, ptr addrspace(1) %p, align 4
  %x = fmul float %a, %a
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 24
  %top = trunc i32 %high to i8
  store volatile i8 %top, ptr addrspace(1) %p, align 1
  ret void
}

; Parts of pairs and whole numbers are stored as they are.
define ptx_kernel void @whole(ptr addrspace(1) %p, float %a, <2 x float> %b) {
; CHECK-LABEL: .entry whole(
; CHECK-NOT: begin inline
; CHECK: ret;
  %x = fmul float %a, %a
  store float %x, ptr addrspace(1) %p, align 4
  store <2 x float> %b, ptr addrspace(1) %p, align 4
  ret void
}
