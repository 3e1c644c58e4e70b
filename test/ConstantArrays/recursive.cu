// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that calls itself, or by way of another, stays as it is: its stack
// is as large as the program says, and a frame that grows may be one too many.
//
// RUN: %constants-cc %s -Rpass=sluice 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --allow-empty --input-file %t.remarks --implicit-check-not=remark:
//
// CHECK: .func {{.*}}down
// CHECK: ld.const
// CHECK: .entry around
// CHECK-NOT: ld.const
// CHECK: ld.b32
// REMARK: recursive.cu:[[#@LINE+16]]:{{.*}}: remark: 'table' in constant memory is read through the L1

__constant__ int table[256];

__device__ __attribute__((noinline)) int up(const int *a, int n);

__device__ __attribute__((noinline)) int down(const int *a, int n) {
  const int s = table[a[n] & 255];
  return n < 1 ? s : s * up(a, n - 1) + n;
}

__device__ __attribute__((noinline)) int up(const int *a, int n) {
  return n < 1 ? 1 : down(a, a[n]) + down(a, n - 2);
}

extern "C" __global__ void around(const int *a, int *out) {
  out[threadIdx.x] = table[a[threadIdx.x] & 255] + down(a, threadIdx.x);
}
