; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; The pass by its name, for a host module of any front end that launches through
; clang's stubs: with a plan, with the records in the GPU's code, and with a file
; that is not there.
;
; RUN: printf 'sluice-plan: 1\ngpu: sm_90\nkernels:\n  - {name: _Z4fillPf, carveout: 50}\n' > %t.yaml
; RUN: %opt -passes='sluice-carveout<plan=%t.yaml>' -S %s | FileCheck %s
; RUN: printf 'x__sluice_host$1$c25$s7168$d41984$9$_Z4fillPf' > %t.bin
; RUN: %opt -passes='sluice-carveout<gpu-binary=%t.bin>' -S %s | FileCheck %s --check-prefix=CLAIM
; RUN: not %opt -passes='sluice-carveout<plan=%t.none>' -S %s 2>&1 | FileCheck %s --check-prefix=ERROR
; RUN: not %opt -passes='sluice-carveout<x=1>' -S %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
;
; CHECK: call void @__sluice_set_carveout(ptr @_Z19__device_stub__fillPf, ptr {{.*}}, i32 50)
; CHECK-NEXT: call i32 @cudaLaunchKernel(
; CLAIM: call void @__sluice_set_carveout(ptr @_Z19__device_stub__fillPf, ptr {{.*}}, i32 25)
; CLAIM: call i64 @__sluice_claim_shared(
; ERROR: sluice-carveout: cannot read plan file
; UNKNOWN: unknown

target triple = "x86_64-linux-gnu"

define void @_Z19__device_stub__fillPf(ptr %x) {
  %args = alloca ptr
  %status = call i32 @cudaLaunchKernel(ptr @_Z19__device_stub__fillPf, i64 1, i32 1, i64 1, i32 1, ptr %args, i64 0, ptr null)
  ret void
}

declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
