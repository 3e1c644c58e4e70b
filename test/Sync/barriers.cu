// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of blocks that are a warp, or less of it.
//
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -Rpass=sluice-sync -Rpass-missed=sluice-sync -o %t.ptx 2> %t.err
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err --implicit-check-not=remark:
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=off -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: bar.warp.sync
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -fplugin-arg-sluice-throttle=auto -Rpass-missed=sluice-sync -o - 2>&1 | FileCheck %s --check-prefix=ADVICE
// RUN: %same-sync %s %t block=16 int=7
// RUN: %same-sync %s %t block=4x4 int=7
// RUN: %same-sync %s %t block=32 int=7 skip=bounded
// RUN: %same-sync %s %t block=8x4 int=7 skip=bounded
// A plan keeps it from a kernel.
// RUN: printf 'sluice-plan: 19\ngpu: sm_90\nkernels:\n  - name: _Z8promisedPii\n    narrow-sync: false\n' > %t.yaml
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -fplugin-arg-sluice-plan=%t.yaml -o - | FileCheck %s --check-prefix=KEPT
// KEPT: .entry _Z8promisedPii
// KEPT-NOT: bar.warp.sync
// KEPT: .entry _Z7boundedPii

// WHY: barriers.cu:[[@LINE+8]]:3: remark: the barrier is of a warp: the block has no more threads
// CHECK-LABEL: .entry _Z8promisedPii
// CHECK-NOT: bar.sync
// CHECK: bar.warp.sync
// CHECK-NOT: bar.sync
__global__ void __launch_bounds__(32) promised(int *out, int n) {
  __shared__ int values[32];
  values[threadIdx.x] = n * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

#define ROTATE \
  __shared__ int values[1024]; \
  const int me = threadIdx.x + blockDim.x * threadIdx.y, size = blockDim.x * blockDim.y; \
  values[me] = n * me; \
  __syncthreads(); \
  for (int i = 0; i < n; ++i) { \
    const int other = values[(me + 1) % size]; \
    __syncthreads(); \
    values[me] += other; \
    __syncthreads(); \
  } \
  out[blockIdx.x * size + me] = values[me];

// WHY-COUNT-3: barriers.cu:[[@LINE+5]]:3: remark: the barrier is of a warp: the block has no more threads
// CHECK-LABEL: .entry _Z7boundedPii
// CHECK-COUNT-3: bar.warp.sync
// CHECK-NOT: bar.sync
__global__ void __launch_bounds__(16) bounded(int *out, int n) {
  ROTATE
}

// Launches that are known promise nothing of others; a remark says what would.
// ADVICE: barriers.cu:[[@LINE+4]]:3: remark: barriers stay for the block: all launches that are known have blocks of a warp, but only __launch_bounds__(32) or smaller promises it
// CHECK-LABEL: .entry _Z8launchedPii
// CHECK-NOT: bar.warp.sync
__global__ void launched(int *out, int n) {
  ROTATE
}

// More than a warp.
// CHECK-LABEL: .entry _Z4widePii
// CHECK-NOT: bar.warp.sync
__global__ void __launch_bounds__(33) wide(int *out, int n) {
  ROTATE
}

__device__ __attribute__((noinline)) void meet() { __syncthreads(); }

// Some threads may be at the call's barrier.
// WHY: barriers.cu:[[@LINE+6]]:3: remark: barriers stay for the block: a call may have one, too, at line [[@LINE+8]]
// CHECK-LABEL: .entry _Z5callsPii
// CHECK-NOT: bar.warp.sync
__global__ void __launch_bounds__(32) calls(int *out, int n) {
  __shared__ int values[1024];
  values[threadIdx.x] = n + threadIdx.x;
  __syncthreads();
  n = values[blockDim.x - 1 - threadIdx.x];
  meet();
  values[threadIdx.x] = n;
  out[threadIdx.x] = values[threadIdx.x];
}

void launch(int *out) {
  launched<<<4, 16>>>(out, 3);
  launched<<<4, dim3(8, 4)>>>(out, 3);
}
