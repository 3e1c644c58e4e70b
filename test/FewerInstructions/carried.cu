// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element that a loop has chosen is kept with its index, and not read again.
// Not where the loop writes memory, nor where the chosen element was not read,
// nor where the source switches Sluice off.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: for n in 0 1 2 9 31; do %same-fewer %s %t int=$n fill=ints=50 block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=31 fill=ints=50 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-choice
//
// REMARK-COUNT-3: the element that the loop has chosen is kept with its index
// REMARK-NOT: the element that the loop has chosen

extern "C" __global__ void least(const int *d, int *out, int n) {
  const int *row = d + threadIdx.x;
  int best = 0;
#pragma unroll 1
  for (int j = 1; j < n; ++j)
    if (row[j] < row[best])
      best = j;
  out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}
// CHECK-LABEL: .entry least(
// CHECK: Loop Header
// CHECK: ld.global
// CHECK-NOT: ld.global
// CHECK: bra

// Two conditions.
extern "C" __global__ void greatest(const int *d, int *out, int n) {
  const int *row = d + threadIdx.x;
  int best = n & 3;
  for (int j = 1; j < n; ++j)
    if (row[j] > row[best] || (row[j] == row[best] && (j & 1)))
      best = j;
  out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

// Of an array of the thread's.
extern "C" __global__ void ofThread(const int *d, int *out, int n) {
  int own[32], sum = 0;
  for (int j = 0; j < 32; ++j)
    own[j] = d[threadIdx.x * 2 + j] ^ n;
  for (int i = 0; i < n; ++i) {
    int best = 0;
    for (int j = 1; j < (n & 31); ++j)
      if (own[j] > own[best])
        best = j;
    own[best] = i;
    sum += best;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void writes(const int *d, int *out, int n) {
  int *row = out + (blockIdx.x * blockDim.x + threadIdx.x);
  int best = 0;
  for (int j = 0; j < n && j < 1; ++j) {
    row[0] = best + j;
    if (d[j] < row[best])
      best = j;
  }
  row[0] = best;
}

extern "C" __global__ void notRead(const int *d, int *out, int n) {
  int best = 0, sum = 0;
  for (int j = 0; j < n; ++j) {
    sum += d[best];
    if (sum & 1)
      best = j;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void off(const int *d, int *out, int n) {
  int best = 0;
#pragma sluice off
  for (int j = 1; j < n; ++j)
    if (d[j] < d[best])
      best = j;
  out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}
