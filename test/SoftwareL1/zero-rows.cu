// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that a loop only writes, and another loop reads, is not staged: the
// thread's L1 has it. It is written 16 bytes at a time. One that nobody reads is
// staged.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=auto -Rpass=sluice-software -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s
//
// CHECK-NOT: staged in shared memory
// CHECK: zero-rows.cu:[[@LINE+7]]:{{[0-9]+}}: remark: 1 stream of the loop moved 16 bytes at a time
// CHECK: remark: 1 stream of the loop is staged in shared memory

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void search(unsigned char *seen, const int *next, int *out, int n) {
  unsigned char *own = seen + size_t(ME) * n;
  for (int i = 0; i < n; ++i)
    own[i] = 0;
  int at = 0, steps = 0;
  while (!own[at]) {
    own[at] = 1;
    at = next[at];
    ++steps;
  }
  out[ME] = steps;
}

extern "C" __global__ void zeros(unsigned char *rows, int n) {
  unsigned char *own = rows + size_t(ME) * n;
  for (int i = 0; i < n; ++i)
    own[i] = 0;
}
