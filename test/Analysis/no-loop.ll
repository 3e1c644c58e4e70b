; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A kernel without a loop has a line and no more.
;
; RUN: %opt -passes='print<sluice-access-patterns>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: kernel k
; CHECK-NOT: loop

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %A) {
  store float 0.0, ptr %A
  ret void
}
