; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; Parameters that are wrong are named, with the valid ones.
;
; RUN: not %opt -passes='print<sluice-footprints><gpu=sm_61>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=GPUSM61
; GPUSM61: print<sluice-footprints>: unknown GPU architecture 'sm_61'; the known ones are sm_70
; RUN: not %opt -passes='print<sluice-footprints><grid=0>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=GRID0
; GRID0: print<sluice-footprints>: invalid parameter 'grid=0'; valid are gpu=NAME, grid=XxYxZ, block=XxYxZ
; RUN: not %opt -passes='print<sluice-footprints><grid=2147483648>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=GRID31
; GRID31: print<sluice-footprints>: invalid parameter 'grid=2147483648'; valid are gpu=NAME
; RUN: not %opt -passes='print<sluice-footprints><block=32x>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=BLOCK32X
; BLOCK32X: print<sluice-footprints>: invalid parameter 'block=32x'
; RUN: not %opt -passes='print<sluice-footprints><block=32x8x2x2>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=BLOCK32X8X2X2
; BLOCK32X8X2X2: print<sluice-footprints>: invalid parameter 'block=32x8x2x2'
; RUN: not %opt -passes='print<sluice-footprints><size=1>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=SIZE1
; SIZE1: print<sluice-footprints>: invalid parameter 'size=1'; valid are gpu=NAME, grid=XxYxZ, block=XxYxZ
; RUN: not %opt -passes='print<sluice-footprints><gpu=sm_90;;block=1>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=GPUSM90BLOCK1
; GPUSM90BLOCK1: print<sluice-footprints>: invalid parameter ''

target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k() {
  ret void
}
