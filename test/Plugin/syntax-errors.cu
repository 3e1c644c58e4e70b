// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each error is printed once, as clang prints it.
//
// RUN: not %plain-cc %s > %t.plain 2>&1
// RUN: not %sluice-cc %s %remarks > %t.sluice 2>&1
// RUN: diff %t.plain %t.sluice
// RUN: FileCheck %s < %t.sluice --implicit-check-not=error:
// CHECK: error: use of undeclared identifier 'undeclared'
// CHECK: error: use of undeclared identifier 'nonsense'

__global__ void kernel(float *A) {
  for (int j = 0; j < 10; ++j)
    A[j] = undeclared;
}

void run(float *A) {
  kernel<<<1, 1>>>(A);
  nonsense();
}
