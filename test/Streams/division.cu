// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a part of a text, whose length is a quotient. To divide once more
// where the loop begins is no risk, as the program has done so.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK: loop i0 {{.*}}, iterations known at entry
// CHECK-NEXT: load stream, step 1 B, 1 of 1 B, lanes div(arg2, nctaid.x*ntid.x - 1) B apart, aligned to 1{{$}}

__global__ void parts(const char *text, int *spaces, size_t length) {
  size_t part = length / (gridDim.x * blockDim.x - 1);
  const char *p = text + (blockIdx.x * blockDim.x + threadIdx.x) * part;
  int n = 0;
  for (size_t j = 0; j < part; ++j)
    n += p[j] == ' ';
  spaces[threadIdx.x] = n;
}
