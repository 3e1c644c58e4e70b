// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is read before the loop where no iteration gets there: the only one
// is left out, or there is none, and the array is null.
//
// RUN: %sluice emulate %s -O2 --compare 2>&1 | FileCheck %s
// CHECK: buffers are the same

#include "skipped.cu"

int main() {
  int *out;
  cudaMalloc(&out, sizeof(int));
  forces<<<1, 1>>>(nullptr, out, 1);
  forces<<<1, 1>>>(nullptr, out, 0);
}
