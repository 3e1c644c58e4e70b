// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %sluice-cc %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// CHECK: unknown-pragma.cu:[[@LINE+2]]:{{[0-9]+}}: warning: unknown '#pragma sluice'; the one there is: '#pragma sluice off' before a statement

#pragma sluice on
__global__ void kernel(float *A) { A[threadIdx.x] = 0; }
