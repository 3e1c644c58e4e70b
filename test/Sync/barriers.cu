// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of blocks that are a warp, or less of it.
//
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -Rpass=sluice-sync -Rpass-missed=sluice-sync -o %t.ptx 2> %t.err
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.err --implicit-check-not=remark:
// RUN: %sync-cc %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: bar.warp.sync
// RUN: %same-sync %s %t block=16 int=7
// RUN: %same-sync %s %t block=32 int=7
// More threads than any launch has that is known; the promised one could not.
// RUN: %same-sync %s %t block=96 int=7 skip=promised
// RUN: %same-sync %s %t block=8x4 int=7 skip=promised
// A plan keeps it from a kernel.
// RUN: printf 'sluice-plan: 19\ngpu: sm_90\nkernels:\n  - name: _Z8promisedPii\n    narrow-sync: false\n' > %t.yaml
// RUN: %sync-cc %s -fplugin-arg-sluice-sync=auto -fplugin-arg-sluice-plan=%t.yaml -o - | FileCheck %s --check-prefix=KEPT
// KEPT: .entry _Z8promisedPii
// KEPT-NOT: bar.warp.sync
// KEPT: .entry _Z8launchedPii

// All of them, without a test.
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

// WHY: barriers.cu:[[@LINE+16]]:3: remark: the barrier is of a warp where the block is one, as in all launches that are known
// WHY: barriers.cu:[[@LINE+18]]:5: remark: the barrier is of a warp where
// WHY: barriers.cu:[[@LINE+19]]:5: remark: the barrier is of a warp where
// CHECK-LABEL: .entry _Z8launchedPii
// CHECK: %ntid.x
// CHECK: %ntid.z
// CHECK: setp.gt.u32 [[TEST:%p[0-9]+]], {{.*}}, 32
// CHECK: @[[TEST]] bra
// CHECK: bar.warp.sync
// CHECK: bar.sync 0
// CHECK: bar.warp.sync
// CHECK: bar.sync 0
__global__ void launched(int *out, int n) {
  __shared__ int values[1024];
  const int me = threadIdx.x + blockDim.x * threadIdx.y, size = blockDim.x * blockDim.y;
  values[me] = n * me;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    const int other = values[(me + 1) % size];
    __syncthreads();
    values[me] += other;
    __syncthreads();
  }
  out[blockIdx.x * size + me] = values[me];
}

// One launch is larger: nothing is to be won there, and it stays.
// CHECK-LABEL: .entry _Z5largePii
// CHECK-NOT: bar.warp.sync
__global__ void large(int *out, int n) {
  __shared__ int values[1024];
  values[threadIdx.x] = n;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

__device__ __attribute__((noinline)) void meet() { __syncthreads(); }

// Some threads may be at the call's barrier.
// WHY: barriers.cu:[[@LINE+6]]:3: remark: barriers stay for the block: a call may have one, too, at line [[@LINE+8]]
// CHECK-LABEL: .entry _Z5callsPii
// CHECK-NOT: bar.warp.sync
__global__ void calls(int *out, int n) {
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
  large<<<4, 16>>>(out, 3);
  large<<<4, 64>>>(out, 3);
  calls<<<4, 32>>>(out, 3);
}
