// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings are printed once, with -w not at all, and with -Werror as errors; the
// code, in which there is nothing to do, is clang's.
//
// RUN: %plain-cc -Wall %s 2> %t.plain > %t.plain.ptx
// RUN: %sluice-cc -Wall %s 2> %t.sluice > %t.sluice.ptx
// RUN: diff %t.plain %t.sluice
// RUN: grep -c .entry %t.plain.ptx && diff %t.plain.ptx %t.sluice.ptx
// RUN: FileCheck %s < %t.sluice --implicit-check-not=warning:
// RUN: %sluice-cc -Wall -w %s 2>&1 >/dev/null | count 0
// RUN: not %plain-cc -Wall -Werror %s 2> %t.plain >/dev/null
// RUN: not %sluice-cc -Wall -Werror %s 2> %t.sluice >/dev/null
// RUN: diff %t.plain %t.sluice

// CHECK: [[@LINE+1]]:2: warning: "careful"
#warning "careful"

__global__ void kernel(float *A) {
  // CHECK: [[@LINE+1]]:7: warning: unused variable 'x'
  int x;
  A[threadIdx.x] = 0;
}

template <typename T> __global__ void generic(T *A) {
  // CHECK: [[@LINE+1]]:5: warning: unused variable 'y'
  T y;
  A[threadIdx.x] = 0;
}

void run(float *A) {
  kernel<<<1, 32>>>(A);
  generic<<<1, 32>>>(A);
}
