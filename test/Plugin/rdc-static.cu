// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -fgpu-rdc a static kernel's name gets a suffix in the IR.
//
// RUN: %sluice-cc -fgpu-rdc %s -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: remark: loop of 'gesummv' throttled
// CHECK: .entry _ZL7gesummv{{.*}}__intern__
// CHECK: bar.sync

#define __global__ static __attribute__((global))
#include "Inputs/gesummv.cu"
