// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files of one name: the remark stands in the one that has the loop.
//
// RUN: rm -rf %t && mkdir -p %t/a %t/b
// RUN: seq 30 | sed 's,^,// ,' > %t/a/kernel.h
// RUN: cp %S/Inputs/gesummv.h %t/b/kernel.h
// RUN: %sluice-cc -I%t %s -Rpass=sluice 2>&1 >/dev/null | FileCheck %s
// CHECK: b/kernel.h:13:3: remark: loop of 'gesummv' throttled

#include "a/kernel.h"
#include "b/kernel.h"

void run(const float *A, const float *B, const float *x, float *tmp, float *y) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
}
