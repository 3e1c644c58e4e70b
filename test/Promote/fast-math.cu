// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -ffast-math clang may add in any order, by which it makes use of a sum
// that needs no store in each iteration. Promoted, sums keep the order that they
// have in memory, to the last bit.
//
// RUN: %sluice-cc %s -ffast-math %remarks -fplugin-arg-sluice-throttle=off -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %plain-cc %s -ffast-math | FileCheck %s --check-prefix=PTX
// RUN: %same-results %s %t -ffast-math -fplugin-arg-sluice-throttle=off
// RUN: %same-results %s %t -ffast-math -fplugin-arg-sluice-throttle=4
// RUN: %same-results %s %t -ffast-math -ffp-contract=off -fplugin-arg-sluice-throttle=off
// RUN: %same-results %s %t -fassociative-math -fno-signed-zeros -fno-trapping-math -fplugin-arg-sluice-throttle=off
//
// Division by what all iterations share stays one: no reciprocal is made of it.
// RUN: %same-results %s %t -freciprocal-math -fplugin-arg-sluice-throttle=off

// CHECK-DAG: fast-math.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void difference(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] -= A[i * 128 + j];
}

// CHECK-DAG: fast-math.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays in registers
__global__ void scaled(const float *A, const float *x, const float *z,
                       float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] += A[i * 128 + j] * x[i] * z[i];
}

// CHECK-DAG: fast-math.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void quotient(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] += A[i * 128 + j] / x[i];
}

// CHECK-DAG: fast-math.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void products(const float *A, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] += A[i * 128 + j] * x[j] + A[j] * x[i];
}

// CHECK-DAG: fast-math.cu:[[@LINE+3]]:3: remark: what the loop adds up in memory stays in registers
__global__ void two(const float *A, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j) {
    y[i] += A[i * 128 + j] + 0.25f;
    z[i] = (z[i] - A[i * 128 + j]) * 0.5f - 0.25f;
  }
}

// Another sum is in a register already, in an order of clang's own, which stores
// in the loop have a part in.
// CHECK-DAG: fast-math.cu:[[@LINE+4]]:3: remark: what the loop adds up in memory stays there: as the compiler may join or reorder floating-point operations of several iterations
__global__ void other(const float *A, const float *x, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 128; ++j) {
    y[i] += A[i * 128 + j];
    sum -= A[j] * x[i];
  }
  z[i] = sum;
}

// What LLVM puts into a fused operation's addend in memory it has to find in a
// register too: two of them an iteration, and nothing else.
// PTX-LABEL: .entry _Z5fused
// PTX-NOT: {{mul|add|sub|mul\.rn|add\.rn|sub\.rn}}.f32
__global__ void fused(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] += A[i * 128 + j] * x[j] + A[j] * x[i];
}

// PTX-LABEL: .entry _Z9fusedLess
// PTX-NOT: {{mul|add|sub|mul\.rn|add\.rn|sub\.rn}}.f32
__global__ void fusedLess(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] -= A[i * 128 + j] * x[j] + A[j] * x[i];
}

// PTX-LABEL: .entry _Z8fusedMin
// PTX-NOT: {{mul|add|sub|mul\.rn|add\.rn|sub\.rn}}.f32
__global__ void fusedMin(const float *A, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 128; ++j)
    y[i] = A[i * 128 + j] * x[j] + A[j] * x[i] - y[i];
}
