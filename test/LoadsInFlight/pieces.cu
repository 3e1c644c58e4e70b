// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left of an unrolled loop is taken in pieces of 8, 4, 2 and 1, whether
// clang unrolls it (8 together) or Sluice (16, as few threads are launched).
// Loops that write, that the source says not to unroll, or that could round
// another way stay. Every length gives the same.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: for n in 0 1 2 3 5 7 8 9 12 15 16 17 24 31 32 33 47 100; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done

// REMARK: pieces.cu:[[#@LINE+8]]:3: remark: the rest of the loop, fewer than 8 iterations, is not taken one by one: each would wait for its load [-Rpass=sluice-loads-in-flight]
// REMARK: pieces.cu:{{.*}}: remark: the rest of the loop, fewer than 8
// REMARK: pieces.cu:{{.*}}: remark: the rest of the loop, fewer than 8
// REMARK: pieces.cu:{{.*}}: remark: the rest of the loop, fewer than 4 iterations, is not taken one by one
// REMARK-NOT: remark

extern "C" __global__ void sums(const int *__restrict__ a, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int j = 0; j < n; ++j)
    s += a[j * 128 + i];
  out[i] = s;
}
// CHECK-LABEL: .entry sums
// CHECK-COUNT-15: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;

// Short for certain.
extern "C" __global__ void few(const int *__restrict__ a, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int j = 0; j < (n & 6); ++j)
    s += a[j * 128 + i];
  out[i] = s;
}
// CHECK-LABEL: .entry few
// CHECK-COUNT-6: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;

extern "C" __global__ void fewer(const int *__restrict__ a, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int j = 0; j < (n & 4); ++j)
    s += a[j * 128 + i];
  out[i] = s;
}
// CHECK-LABEL: .entry fewer
// CHECK-COUNT-4: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;

// It writes.
extern "C" __global__ void prefixes(const int *__restrict__ a, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int j = 0; j < n; ++j) {
    s += a[j * 128 + i];
    out[j * 128 + i] = s;
  }
}
// CHECK-LABEL: .entry prefixes
// CHECK: ret;

extern "C" __global__ void rolled(const int *__restrict__ a, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    s += a[j * 128 + i];
  out[i] = s;
}
// CHECK-LABEL: .entry rolled
// CHECK: ld.global
// CHECK-NOT: ld.global
// CHECK: ret;

// A product that is summed in the next iteration.
extern "C" __global__ void rounded(const float *__restrict__ a, float *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0, p = 0;
  for (int j = 0; j < n; ++j) {
    s += p;
    p = a[j * 128 + i] * 3.5f;
  }
  out[i] = s + p;
}
// CHECK-LABEL: .entry rounded
// CHECK: ret;

// clang takes four together, which the assembler may go on with: it is not told
// to leave the loop. The three that may be left are a piece of two and one, as
// each iteration of the loop around leaves them.
extern "C" __global__ void filter(const int *__restrict__ a, const int *__restrict__ b, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int k = 0; k < 3 * n; k += 3)
    for (int j = 0; j < n; ++j)
      s += (a[j * 128 + i] ^ (s >> 3)) * (b[j + k] & 31) + (s >> 7);
  out[i] = s;
}
// CHECK-LABEL: .entry filter
// CHECK-NOT: nounroll
// CHECK-COUNT-14: ld.global
// CHECK-NOT: {{ld.global|nounroll}}
// CHECK: ret;

// Where it is left once only, its registers cost more.
extern "C" __global__ void line(const int *__restrict__ a, const int *__restrict__ b, int *out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x, s = 0;
  for (int j = 0; j < n; ++j)
    s += (a[j * 128 + i] ^ (s >> 3)) * (b[j] & 31) + (s >> 7);
  out[i] = s;
}
// CHECK-LABEL: .entry line
// CHECK: nounroll
// CHECK: ret;
