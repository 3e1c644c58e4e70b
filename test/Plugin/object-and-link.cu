// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -c, then link; and both in one command.
//
// RUN: %sluicexx --sluice-software-l1=off --cuda-gpu-arch=sm_90 -O3 -c %s -o %t.o -Rpass=sluice 2>&1 | FileCheck %s
// RUN: %sluicexx %t.o -lcudart -o %t
// RUN: %sluicexx --sluice-software-l1=off --cuda-gpu-arch=sm_90 -O3 %s -lcudart -o %t -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: remark: loop of 'gesummv' throttled

#include "Inputs/gesummv.cu"

int main() { return 0; }
