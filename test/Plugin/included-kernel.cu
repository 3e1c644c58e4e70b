// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remark stands in the file that has the loop.
//
// RUN: %sluice-cc %s %remarks 2>&1 | FileCheck %s
// CHECK: included-kernel.cu:[[@LINE+5]]:
// CHECK: gesummv.cu:2:
// CHECK: gesummv.h:13:3: remark: loop of 'gesummv' throttled
// CHECK-NEXT: for (int j = 0; j < Columns; ++j) {

#include "Inputs/gesummv.cu"
