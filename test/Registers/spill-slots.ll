; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What waits in a slot, and where it is loaded: numbers of 32 and 64 bits, once for uses that are close, at the end of the
; block from which a phi takes one. In its own block a product stays in its register, for the sum that it may be fused
; with. Pointers and small integers stay everywhere.
;
; RUN: %opt -passes='sluice-plan<test-spills=64>,sluice-register-limit,verify' -S %s | FileCheck %s
; RUN: %opt -passes='sluice-plan<test-spills=64>,sluice-register-limit' %s | %llc -o /dev/null
; RUN: %opt -passes='sluice-plan<test-spills=64;transforms=off>,sluice-register-limit' -S %s | FileCheck %s --check-prefix=ALONE
;
; ALONE: @__sluice_slots.k
; CHECK: @__sluice_slots.k = internal addrspace(3) global [1024 x i8] poison, align 16
; CHECK-LABEL: define ptx_kernel void @k(
; CHECK: %local = alloca i32
; CHECK: %[[ME:[0-9]+]] = add i32 %{{[0-9]+}}, %0
; CHECK: %[[FITS:[0-9]+]] = icmp ule i32 %{{[0-9]+}}, 64
; CHECK: br i1 %[[FITS]], label %entry.split, label %entry.split.unspilled
; CHECK: entry.split:
; CHECK: %pointer = load ptr, ptr %p
; CHECK-NOT: store volatile ptr
; CHECK: %small = load i16
; CHECK-NOT: store volatile i16
; CHECK: %wide = load i64, ptr %pointer
; CHECK: %[[AT8:[0-9]+]] = mul i32 %[[ME]], 8
; CHECK: store volatile i64 %wide, ptr addrspace(3) %{{[0-9]+}}, align 8
; CHECK: %number = load i32, ptr %pointer
; CHECK: store volatile i32 %number, ptr addrspace(3) %{{[0-9]+}}, align 4
; CHECK: %product = fmul contract float
; CHECK: store volatile float %product
; CHECK: %sum = fadd contract float %product, %x
; CHECK: then:
; CHECK: %number.again = load volatile i32
; CHECK-NEXT: %one = add i32 %number.again, 1
; CHECK-NEXT: %two = mul i32 %one, %number.again
; CHECK: %product.again = load volatile float
; CHECK-NEXT: store float %product.again, ptr %p
; CHECK: %wide.again = load volatile i64
; CHECK-NEXT: br label %end
; CHECK: else:
; CHECK: br label %end
; CHECK: end:
; CHECK: phi i64 [ %wide.again, %then ], [ 0, %else ]
; CHECK: entry.split.unspilled:
; CHECK-NOT: volatile
; CHECK: ret void
; CHECK: }

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, float %x, i1 %c) #0 {
entry:
  %local = alloca i32
  store i32 1, ptr %local
  %pointer = load ptr, ptr %p
  %small = load i16, ptr %p
  %wide = load i64, ptr %pointer
  %number = load i32, ptr %pointer
  %y = load float, ptr %local
  %product = fmul contract float %x, %y
  %sum = fadd contract float %product, %x
  store float %sum, ptr %p
  br i1 %c, label %then, label %else
then:
  %one = add i32 %number, 1
  %two = mul i32 %one, %number
  store i32 %two, ptr %pointer
  store i16 %small, ptr %pointer
  store float %product, ptr %p
  br label %end
else:
  br label %end
end:
  %merged = phi i64 [ %wide, %then ], [ 0, %else ]
  store i64 %merged, ptr %p
  ret void
}

attributes #0 = { "target-cpu"="sm_90" }
