// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// promote=on: what an innermost loop adds up in memory stays in a register where
// it overlaps nothing that the loop touches, which is tested before the loop;
// else the loop is as it was. Not where the source says so.
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=on -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %sluice-cc -fplugin-arg-sluice-fewer-instructions=off %s -fplugin-arg-sluice-throttle=off -fplugin-arg-sluice-promote=off -o %t.off.ptx && %plain-cc %s | diff - %t.off.ptx
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=on
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=on -fplugin-arg-sluice-throttle=4

// CHECK-DAG: loops.cu:[[@LINE+9]]:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes [-Rpass=sluice-promote]
// A version without stores in the loop, and the loop as it was.
// PTX-LABEL: .entry _Z3sum
// PTX: setp
// PTX: st.global
// PTX: st.global
// PTX: ret;
__global__ void sum(const float *A, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64] * x[j];
}

// Two sums, of which each could be the other's.
// CHECK-DAG: loops.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void two(const float *A, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    y[i] += A[i * 64 + j];
    z[i] += A[i * 64 + j] * 2;
  }
}

// CHECK-DAG: loops.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays there: no test of addresses before it would tell
__global__ void gathered(const float *A, const int *index, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  n = n < 64 ? n : 64;
  for (int j = 0; j < n; ++j)
    y[i] += A[index[i * 64 + j] & 1023];
}

// Others wait for what is written.
// CHECK-DAG: loops.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there
__global__ void barrier(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    y[i] += A[i * 64 + j];
    __syncthreads();
  }
}

// One place of shared memory in all iterations: no sum, and no remark.
// CHECK-NOT: [[@LINE+4]]:3: remark: what
__global__ void shared(const float *A, float *y) {
  __shared__ float first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    if (threadIdx.x == 0)
      first = A[j];
    __syncthreads();
    y[i * 64 + j] = first;
    __syncthreads();
  }
}

// Nor is the last value that stays.
// CHECK-NOT: [[@LINE+3]]:3: remark: what
__global__ void last(const float *A, const int *index, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    y[i] = A[index[j] & 1023];
}

// Nor is a constant, with a barrier so that it stays.
// CHECK-NOT: [[@LINE+3]]:3: remark: what
__global__ void constant(float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    y[i] = 0;
    __syncthreads();
  }
}

// Nothing adds up: no remark.
// CHECK-NOT: [[@LINE+3]]:3: remark: what
__global__ void copies(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    y[i * 64 + j] = A[i * 64 + j];
}

// Volatile and atomic ones are left alone.
__global__ void notPlain(const float *A, volatile float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    y[i] = y[i] + A[i * 64 + j];
  for (int j = 0; j < 64; ++j)
    __nvvm_atom_add_gen_i((int *)&z[i], int(A[i * 64 + j]));
}

// CHECK-NOT: [[@LINE+4]]:3: remark: what
__attribute__((annotate("sluice:off")))
__global__ void offKernel(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    y[i] += A[i * 64 + j];
}

__global__ void offLoop(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma sluice off
  // CHECK-NOT: [[@LINE+1]]:3: remark: what
  for (int j = 0; j < 64; ++j)
    y[i] += A[i * 64 + j];
}
// PTX-LABEL: .entry _Z9offKernel
