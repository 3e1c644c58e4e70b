// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a thread's arrays that something else may end as well: each copy
// has its ends, and nothing is in local memory. Not where floating-point numbers
// are in the loops around, which may be fused otherwise then, nor where the most
// that a loop has is too much.
//
// RUN: %arrays-cc %s -Rpass=sluice-local-arrays -Rpass-missed=sluice-local-arrays 2>%t.remarks >%t.ptx
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: for n in 0 1 200 1408 9999; do %same-staged %s %t block=64 grid=2 int=$n || exit 1; done
//
// REMARK: early-ends.cu:[[#@LINE+20]]:3: remark: the loop is unrolled whole: arrays of 88 bytes that it goes over are in registers then
// REMARK: early-ends.cu:[[#@LINE+31]]:3: remark: an array of 88 bytes is not kept in registers: a loop over it has several ends
//
// CHECK: .entry counts
// CHECK-NOT: .local
// CHECK: .entry sums
// CHECK: .local

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
constexpr int Own = 22;

// More than LLVM unrolls whole by itself.
#define LONG(V)                                                                \
  const int v = V;                                                             \
  count += (v >> 3 ^ v * 7 ^ v >> (n & 7) ^ (v | n) * 5 ^ v << 2) & 1;         \
  count ^= (v * 11 + n ^ v >> 9) & 6;

extern "C" __global__ void counts(const int *in, int *out, int n) {
  int before[Own];
  int count = 0;
  for (int q = 0; q < Own && ME * Own + q < n; ++q) {
    LONG(in[ME * Own + q])
    before[q] = count;
  }
  const int all = __nvvm_shfl_sync_bfly_i32(~0u, count, 1, 31);
  for (int q = 0; q < Own && ME * Own + q < n; ++q)
    out[ME * Own + q] = before[q] + all;
}

extern "C" __global__ void sums(const float *in, float *out, int n) {
  float before[Own];
  float sum = 0;
  for (int q = 0; q < Own && ME * Own + q < n; ++q) {
    int count = 0;
    LONG(q + n)
    sum += in[ME * Own + q] * 0.5f + count;
    before[q] = sum;
  }
  for (int q = 0; q < Own && ME * Own + q < n; ++q)
    out[ME * Own + q] = before[q] * sum;
}

extern "C" __global__ void many(const int *in, int *out, int n) {
  int before[40];
  int count = 0;
  for (int q = 0; q < 40 && ME * 40 + q < n; ++q) {
    LONG(in[ME * 40 + q])
    before[q] = count;
  }
  for (int q = 0; q < 40 && ME * 40 + q < n; ++q)
    out[ME * 40 + q] = before[q] + count;
}
