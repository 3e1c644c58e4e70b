// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running sum by one thread of a block: what it reads of one shared array goes
// before what it writes to another one, so that it waits once for several.
//
// RUN: %early-cc %s -Rpass=sluice-early-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-early %s %t int=1 block=64 grid=2
// RUN: %same-early %s %t int=1 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=passed-alias

// REMARK: shared.cu:[[#@LINE+17]]:{{[0-9]+}}: remark: 8 loads go before stores that they do not depend on [-Rpass=sluice-early-loads]

// CHECK-LABEL: .entry runningSum
// CHECK: bar.sync
// CHECK-COUNT-2: ld.shared.v4
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ret;
extern "C" __global__ void runningSum(const int *in, int *out, int n) {
  __shared__ int counts[64], starts[65];
  const int me = threadIdx.x;
  counts[me] = in[blockIdx.x * 64 + me] & 15;
  __syncthreads();
  if (me == 0) {
    int sum = n;
    for (int i = 0; i < 64; ++i) {
      starts[i] = sum;
      sum += counts[i];
    }
    starts[64] = sum;
  }
  __syncthreads();
  out[blockIdx.x * 64 + me] = starts[me + 1] - starts[me ^ 1];
}

// What is written is read: it stays in turn.
// CHECK-LABEL: .entry inPlace
// CHECK: ret;
extern "C" __global__ void inPlace(const int *in, int *out, int n) {
  __shared__ int counts[65];
  const int me = threadIdx.x;
  counts[me] = in[blockIdx.x * 64 + me] & 15;
  __syncthreads();
  if (me == 0)
    for (int i = 0; i < 63; ++i)
      counts[(i + n) & 63] += counts[i];
  __syncthreads();
  out[blockIdx.x * 64 + me] = counts[me];
}
