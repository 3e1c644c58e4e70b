// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's -verify sees each diagnostic once.
//
// RUN: %sluice-cc -Xclang -verify %s -o /dev/null

__global__ void kernel(float *A) {
  A[threadIdx.x] = undeclared; // expected-error {{use of undeclared identifier 'undeclared'}}
}
