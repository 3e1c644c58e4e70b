// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a bitonic sort asks one of two conditions, and swaps. One branch is
// enough. Not where a side computes what would be fused, or loads.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: for n in 0 1 5; do %same-fewer %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-choice
//
// The sort's loops are unrolled whole.
// REMARK: two-sides.cu:28:22: remark: 21 conditions are asked once: two sides of others asked for the same two ways
// REMARK: two-sides.cu:50:7: remark: 1 condition is asked once: two sides of another one asked for the same two ways
// REMARK-NOT: asked once

// CHECK-LABEL: .entry sort(
// CHECK: selp
extern "C" __global__ void sort(float *data, int n) {
  __shared__ float s[64];
  const int me = threadIdx.x;
  s[me] = data[blockIdx.x * 64 + me];
  __syncthreads();
  for (int k = 2; k <= 64; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      const int other = me ^ j;
      if (other > me) {
        const float a = s[me], b = s[other];
        if ((me & k) == 0) {
          if (a > b) {
            s[me] = b;
            s[other] = a;
          }
        } else {
          if (a < b) {
            s[me] = b;
            s[other] = a;
          }
        }
      }
      __syncthreads();
    }
  data[blockIdx.x * 64 + me] = s[me];
}

// Values that come with the ways: what is counted differs.
extern "C" __global__ void counts(const int *data, int *more, int *out, int n) {
  const int me = blockIdx.x * 64 + threadIdx.x;
  const int a = data[me], b = data[me ^ 1];
  int steps = 1;
  if (me & 2) {
    steps = 2;
    if (a <= b)
      goto swap;
  } else {
    if ((a ^ 5) > b)
      goto swap;
  }
  goto done;
swap:
  for (int k = 0; k < (n & 7); ++k)
    more[me] = more[me] * steps + a;
done:
  out[me] = b + steps;
}

extern "C" __global__ void loads(const int *data, const int *table, int *out, int n) {
  const int me = blockIdx.x * 64 + threadIdx.x;
  const int a = data[me];
  bool swaps;
  if (me & 4)
    swaps = table[(a & 63) + 1] > a;
  else
    swaps = table[a & 31] < a;
  if (swaps)
    for (int k = 0; k < (n & 7); ++k)
      out[me] = out[me] * 3 + a;
}
