; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; No GPU runs a block of 2048 threads.
;
; RUN: not %opt -passes='print<sluice-footprints><block=2048>' -disable-output %s 2>&1 | FileCheck %s
; CHECK: print<sluice-footprints>: {{.*2048}}

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k() {
  ret void
}
