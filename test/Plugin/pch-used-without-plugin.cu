// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A precompiled header made with the plugin is clang's own.
//
// RUN: %sluice-cc %S/Inputs/gesummv.h -Xclang -emit-pch -o %t.pch
// RUN: %plain-cc -Xclang -include-pch -Xclang %t.pch %s > %t.ptx
// RUN: %plain-cc %S/Inputs/gesummv.h -Xclang -emit-pch -o %t.pch
// RUN: %plain-cc -Xclang -include-pch -Xclang %t.pch %s | diff - %t.ptx

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
}
