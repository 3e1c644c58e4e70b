// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// #pragma sluice off in a precompiled header is heeded where it is used.
//
// RUN: %sluice-cc %S/Inputs/off.h -Xclang -emit-pch -o %t.pch
// RUN: %sluice-cc -Xclang -include-pch -Xclang %t.pch %s %remarks 2>&1 | FileCheck %s --implicit-check-not=bar.sync
// CHECK: off.h:12:3: remark: loop of 'off' not throttled: {{.*}}switched off in the source

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  off<<<Rows / 256, 256>>>(A, B, x, tmp, y);
}
