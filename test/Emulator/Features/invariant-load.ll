; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; What `!invariant.load` reads nobody may write: bytes that are read, not their
; neighbours.
;
; RUN: not %sluice emulate %s --launch=%S/Inputs/invariant-load.yaml --check=races 2>&1 | FileCheck %s
; CHECK: error: write to memory that is loaded as read-only
; CHECK-NEXT: in kernel written
; CHECK: 1 different error
; RUN: sed 's/, !invariant.load !0//' %s > %t.ll
; RUN: %sluice emulate %t.ll --launch=%S/Inputs/invariant-load.yaml --check=races 2>&1 | FileCheck %s --check-prefix=PLAIN --allow-empty
; RUN: %sluice emulate %s --launch=%S/Inputs/invariant-load.yaml 2>&1 | FileCheck %s --check-prefix=PLAIN --allow-empty
; PLAIN-NOT: error

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @written(ptr addrspace(1) %a) {
  %p = getelementptr i8, ptr addrspace(1) %a, i64 2
  %v = load i16, ptr addrspace(1) %p, !invariant.load !0
  %b = trunc i16 %v to i8
  %q = getelementptr i8, ptr addrspace(1) %a, i64 3
  store i8 %b, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @neighbour(ptr addrspace(1) %a) {
  %p = getelementptr i8, ptr addrspace(1) %a, i64 2
  %v = load i16, ptr addrspace(1) %p, !invariant.load !0
  store i16 %v, ptr addrspace(1) %a
  ret void
}

!0 = !{}
