// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are promoted by default. What cannot be, what the source keeps as it is,
// and what -O0 compiles, is clang's code to the last letter.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %source/test/Throttle/Inputs/barriers.py %t.ptx %t.plain.ptx 3sum:0 offKernel:same offLoop:same barrier:same gathered:same typed:0 conditional:same expected:same atomics:same copies:same registers:same restricted:same short:same
// RUN: %same-results %s %t skip=gathered,typed
// RUN: %plain-cc %s -O0 > %t.plain.O0.ptx
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -O0 2>/dev/null | diff %t.plain.O0.ptx -
//
// With the option it is the same, and quiet.
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off -fplugin-arg-sluice-promote=on -o %t.on.ptx 2>&1 | count 0
// RUN: diff %t.ptx %t.on.ptx

// CHECK-DAG: default.cu:[[@LINE+9]]:3: remark: what the loop adds up in memory stays in registers
// One of the loops stores after its last iteration.
// PTX-LABEL: .entry _Z3sum
// PTX: bra
// PTX: st.global
// PTX: st.global
// PTX: ret;
__global__ void sum(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64];
}
// PTX-LABEL: .entry _Z9offKernel

__attribute__((annotate("sluice:off")))
__global__ void offKernel(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64];
}

__global__ void offLoop(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma sluice off
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64] * 3;
}

// CHECK-DAG: default.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: the loop has a barrier
__global__ void barrier(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) {
    y[i] += A[i * 64 + j % 64] * A[i];
    __syncthreads();
  }
}

// CHECK-DAG: default.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: no test
__global__ void gathered(const float *A, const int *index, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[index[j]] * A[j];
}

// Where ints are read nobody knows, but none is a float.
// CHECK-DAG: default.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void typed(const float *A, const int *p, const int *q, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64] * p[j & n] * q[j & n];
}

// CHECK-DAG: default.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: it is not written in each iteration [-Rpass-missed=sluice-promote]
__global__ void conditional(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    if (A[j] > 0)
      y[i] += A[i * 64 + j % 64];
}

// CHECK-DAG: default.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays there: its iterations are too few
__global__ void expected(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; __builtin_expect_with_probability(j < n, 1, 0.6); ++j)
    y[i] += A[i * 64 + j % 64];
}

__global__ void atomics(const float *A, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    __nvvm_atom_add_gen_i(&y[i], int(A[i * 64 + j % 64]));
}

__global__ void copies(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j)
    y[i * 64 + j] = A[i * 64 + j] * 2;
}

__global__ void registers(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += A[i * 64 + j % 64] * A[j];
  y[i] = sum;
}

__global__ void restricted(const float *__restrict__ A, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 64 + j % 64] * A[j];
}

// CHECK-DAG: default.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays there: its iterations are too few to pay for a test of addresses [-Rpass-missed=sluice-promote]
__global__ void short4(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 4; ++j)
    y[i] += A[i * 4 + j] * A[j];
}

void run(const float *A, const int *index, float *y, int n) {
  sum<<<1, 64>>>(A, y, n);
  offKernel<<<1, 64>>>(A, y, n);
  offLoop<<<1, 64>>>(A, y, n);
  barrier<<<1, 64>>>(A, y, n);
  gathered<<<1, 64>>>(A, index, y, n);
  typed<<<1, 64>>>(A, index, index, y, n);
  conditional<<<1, 64>>>(A, y, n);
  expected<<<1, 64>>>(A, y, n);
  atomics<<<1, 64>>>(A, (int *)y, n);
  copies<<<1, 64>>>(A, y);
  registers<<<1, 64>>>(A, y, n);
  restricted<<<1, 64>>>(A, y, n);
  short4<<<1, 64>>>(A, y);
}
