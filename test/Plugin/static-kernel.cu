// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %sluice-cc %s -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: remark: loop of 'gesummv' throttled
// CHECK: .entry _ZL7gesummv
// CHECK: bar.sync

#define __global__ static __attribute__((global))
#include "Inputs/gesummv.cu"
