; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Access patterns have no parameters.
;
; RUN: not %opt -passes='print<sluice-access-patterns><gpu=sm_90>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: unknown pass name

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k() {
  ret void
}
