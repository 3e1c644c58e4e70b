// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of global memory go before a kernel's first barriers. Not where a thread of the block may have written what they
// read, or may have waited for another block: before the barrier, on a way that does not come to the load, in a loop's
// iteration before, or by an atomic or a volatile access; nor where the source switches Sluice off.
//
// RUN: %early-cc %s -Rpass=sluice-early-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %same-early %s %t int=1 block=64 grid=1 fill=ints=4
// RUN: %same-early %s %t int=1 block=64 grid=1 fill=ints=4 expect=different -fplugin-arg-sluice-test-wrong-rewrite=passed-alias

// REMARK: barriers.cu:[[@LINE+8]]:{{[0-9]+}}: remark: 2 loads go before the first barrier: nothing is written by then [-Rpass=sluice-early-loads]
// REMARK-NOT: first barrier

__global__ void phases(int *a, int *b, int n) {
  __shared__ int tile[64], edge[64], corner[64];
  const int t = threadIdx.x;
  tile[t] = a[t];
  __syncthreads();
  edge[63 - t] = b[t * n];
  __syncthreads();
  corner[t] = b[64 + t] + edge[t];
  __syncthreads();
  a[t] = tile[63 - t] + corner[63 - t];
}
// CHECK-LABEL: .entry _Z6phases
// CHECK-COUNT-3: ld.global
// CHECK: bar.sync
// CHECK-NOT: ld.global
// CHECK: ret;

__global__ void written(int *a, int *b, int n) {
  const int t = threadIdx.x;
  b[t] = n + t;
  __syncthreads();
  a[t] = b[63 - t];
}
// CHECK-LABEL: .entry _Z7written
// CHECK: bar.sync
// CHECK: ld.global

__global__ void elsewhere(int *a, int *b, int n) {
  const int t = threadIdx.x;
  if (t < 32 && n > 9) {
    b[t] = n;
    __syncthreads();
    return;
  }
  __syncthreads();
  a[t] = b[63 - t];
}
// CHECK-LABEL: .entry _Z9elsewhere
// CHECK: bar.sync
// CHECK: ld.global

__global__ void again(int *a, int *b, int n) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n + 2; i++) {
    __syncthreads();
    a[t] += b[(t + i) & 63];
    __syncthreads();
    b[t] = a[t];
  }
}
// CHECK-LABEL: .entry _Z5again
// CHECK: bar.sync
// CHECK: ld.global

__global__ void waited(volatile int *flag, int *b, int *a) {
  if (threadIdx.x == 0)
    while (*flag < 0)
      ;
  __syncthreads();
  a[threadIdx.x] = b[threadIdx.x];
}
// CHECK-LABEL: .entry _Z6waited
// CHECK: bar.sync
// CHECK: ld.global

__global__ void counted(int *a, int *b, int n) {
  __shared__ int last;
  if (threadIdx.x == 0)
    last = atomicAdd(a, n);
  __syncthreads();
  a[64 + threadIdx.x] = b[threadIdx.x] + last * 0;
}
// CHECK-LABEL: .entry _Z7counted
// CHECK: bar.sync
// CHECK: ld.global

// By assembly that is not said to access memory, but may wait.
__global__ void asked(int *flag, int *b, int *a) {
  int asked;
  asm("ld.acquire.gpu.s32 %0, [%1];" : "=r"(asked) : "l"(flag));
  __syncthreads();
  a[64 + threadIdx.x] = b[threadIdx.x] + asked;
}
// CHECK-LABEL: .entry _Z5asked
// CHECK: bar.sync
// CHECK: ld.global

__attribute__((annotate("sluice:off"))) __global__ void off(int *a, int *b, int n) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = a[t];
  __syncthreads();
  a[t] = tile[63 - t] + b[t * n];
}
// CHECK-LABEL: .entry _Z3off
// CHECK: bar.sync
// CHECK: ld.global
