; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Loads of shared memory that go back into a loop ('all': whatever registers
; there are), and those that do not.
;
; RUN: %opt -passes='sluice-plan<gpu=sm_90;early-loads=all>,sluice-early-loads' -pass-remarks=sluice -S %s 2>&1 | FileCheck %s
; RUN: %opt -passes='sluice-plan<gpu=sm_90;early-loads=auto>,sluice-early-loads' -S %s | FileCheck %s --check-prefix=AUTO

target triple = "nvptx64-nvidia-cuda"

@shared = internal addrspace(3) global [64 x i32] undef, align 16
@other = internal addrspace(3) global [64 x i32] undef, align 16

; CHECK: remark: {{.*}}2 loads of shared memory are done in the loop, as clang has them hold 2 registers before it and loads of global memory want 1

; The load, what takes it apart, and one that is used behind a branch.
define ptx_kernel void @goes_back(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @goes_back(
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK: load i32, ptr addrspace(1)
; CHECK: [[Q:%.*]] = load i32, ptr addrspace(3) @shared
; CHECK-NEXT: [[HIGH:%.*]] = lshr i32 [[Q]], 16
; CHECK: mul i32 {{%.*}}, [[HIGH]]
; CHECK: load i32, ptr addrspace(3) getelementptr
; AUTO-LABEL: define ptx_kernel void @goes_back(
; AUTO-NEXT: entry:
; AUTO-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  %high = lshr i32 %q, 16
  %q1 = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @shared, i64 4), align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %k = load i32, ptr addrspace(1) %p
  %product = mul i32 %k, %high
  %sum1 = add i32 %sum, %product
  %sum2 = xor i32 %sum1, %q1
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum2, ptr addrspace(1) %out
  ret void
}

; What multiplies before the loop could be fused with a sum in it: it stays,
; and the load goes to nobody then.
define ptx_kernel void @product_stays(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @product_stays(
; CHECK-NEXT: entry:
; CHECK-NEXT: load float, ptr addrspace(3)
; CHECK-NEXT: fmul
entry:
  %q = load float, ptr addrspace(3) @shared, align 4
  %half = fmul contract float %q, 5.000000e-01
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.000000e+00, %entry ], [ %sum1, %loop ]
  %scaled = fmul contract float %sum, 3.000000e+00
  %sum1 = fadd contract float %scaled, %half
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store float %sum1, ptr addrspace(1) %out
  ret void
}

; A loop and what is left of it: both read it again.
define ptx_kernel void @two_loops(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @two_loops(
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK: load i32, ptr addrspace(3) @shared
; CHECK: rest:
; CHECK: load i32, ptr addrspace(3) @shared
; CHECK: done:
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  %next = add i32 %i, 4
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %rest
rest:
  %k = phi i32 [ %next, %loop ], [ %k1, %rest ]
  %left = phi i32 [ %sum1, %loop ], [ %left1, %rest ]
  %left1 = add i32 %left, %q
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %rest, label %done
done:
  store i32 %left1, ptr addrspace(1) %out
  ret void
}

; What no loop needs keeps it where it is.
define ptx_kernel void @needed_behind(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @needed_behind(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %last = add i32 %sum1, %q
  store i32 %last, ptr addrspace(1) %out
  ret void
}

; The loop writes it; a barrier stands between; it is volatile; a phi needs it.
define ptx_kernel void @written(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @written(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  store i32 %sum1, ptr addrspace(3) @shared
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @elsewhere(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @elsewhere(
; CHECK-NEXT: entry:
; CHECK-NEXT: br label %loop
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  store i32 %sum1, ptr addrspace(3) @other
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @barrier(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @barrier(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

; Behind the loop's own barrier another iteration may find another value.
define ptx_kernel void @barrier_in_loop(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @barrier_in_loop(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @volatile(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @volatile(
; CHECK-NEXT: entry:
; CHECK-NEXT: load volatile i32, ptr addrspace(3)
entry:
  %q = load volatile i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 1, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @begins(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @begins(
; CHECK-NEXT: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
entry:
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %q, %entry ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %n
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}

; Of another loop around both: it is written behind the loop.
define ptx_kernel void @written_around(ptr addrspace(1) %out, i32 %n) {
; CHECK-LABEL: define ptx_kernel void @written_around(
; CHECK: around:
; CHECK: load i32, ptr addrspace(3)
; CHECK-NEXT: br label %loop
; CHECK: loop:
entry:
  br label %around
around:
  %j = phi i32 [ 0, %entry ], [ %j1, %behind ]
  %q = load i32, ptr addrspace(3) @shared, align 4
  br label %loop
loop:
  %i = phi i32 [ 0, %around ], [ %next, %loop ]
  %sum = phi i32 [ 1, %around ], [ %sum1, %loop ]
  %sum1 = mul i32 %sum, %q
  store i32 %sum1, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @shared, i64 0)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %behind
behind:
  %j1 = add i32 %j, 1
  %again = icmp slt i32 %j1, %n
  br i1 %again, label %around, label %done
done:
  store i32 %sum1, ptr addrspace(1) %out
  ret void
}
