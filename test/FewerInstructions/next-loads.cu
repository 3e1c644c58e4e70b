// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop loads first in each iteration, and the code behind it again, is
// loaded before the branch that chooses between both: once before the test that
// leads to the loop, and once at the loop's end.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not='goes before the branch' --implicit-check-not='go before the branches'
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 2 5; do %same-fewer %s %t int=$n block=64 grid=2 fill=ints=8 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=2 fill=ints=8 expect=different -fplugin-arg-sluice-test-wrong-rewrite=wrong-next

// REMARK: next-loads.cu:[[#@LINE+16]]:{{[0-9]+}}: remark: 1 load goes before the branch of its loop: the code behind the loop begins with it too [-Rpass=sluice-fewer-instructions]

// CHECK-LABEL: .entry follow
// CHECK: ld.global.b32 [[NODE:%r[0-9]+]], [[AT:.*]];
// CHECK: bra
// CHECK: bar.sync
// CHECK: ld.global.b32 [[NODE]], [[AT]];
// CHECK: ret;
// OFF-LABEL: .entry follow
// OFF-NOT: ld.global
// OFF: bra
// OFF: ret;
extern "C" __global__ void follow(int *at, const int *next, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int node = at[block];
    sum = sum * 3 + next[(node & 7) * 8 + (me & 7)];
    __syncthreads();
    if (me == 0)
      at[block] = sum + i;
    __syncthreads();
  }
  out[block * 64 + me] = sum + next[(at[block] & 7) * 8 + (me & 7)];
}

// Another place behind the loop: the load would be one more.
// CHECK-LABEL: .entry otherBehind
// CHECK-NOT: ld.global
// CHECK: bra
// CHECK: ret;
extern "C" __global__ void otherBehind(int *at, const int *next, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    const int node = at[block];
    sum = sum * 3 + next[(node & 7) * 8 + (me & 7)];
    __syncthreads();
    if (me == 0)
      at[block] = sum + i;
    __syncthreads();
  }
  out[block * 64 + me] = sum + next[(at[block + 2] & 7) * 8 + (me & 7)];
}

// Something is written, or waited for, before it.
// CHECK-LABEL: .entry writtenBefore
// CHECK-NOT: ld.global
// CHECK: bra
// CHECK: ret;
extern "C" __global__ void writtenBefore(int *at, const int *next, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    out[block * 64 + me] = i;
    __syncthreads();
    const int node = at[block];
    sum = sum * 3 + next[(node & 7) * 8 + (me & 7)];
    __syncthreads();
    if (me == 0)
      at[block] = sum + i;
    __syncthreads();
  }
  out[block * 64 + me] = sum + next[(at[block] & 7) * 8 + (me & 7)];
}

// No load waits for it.
// CHECK-LABEL: .entry noneWaits
// CHECK-NOT: ld.global
// CHECK: bra
// CHECK: ret;
extern "C" __global__ void noneWaits(int *at, const int *next, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum = sum * 3 + at[block];
    __syncthreads();
    if (me == 0)
      at[block] = sum + i;
    __syncthreads();
  }
  out[block * 64 + me] = sum + at[block];
}
