// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that LLVM's pass leaves alone: where sums are less than a quarter of
// the loads and stores, and in three loops or more, of which turns may be one.
//
// RUN: %sluice-cc %s %remarks -fplugin-arg-sluice-throttle=off -o %t.ptx 2>&1 | FileCheck %s --implicit-check-not="remark: what"
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %sluice-cc %s -Rpass=sluice-promote -fplugin-arg-sluice-throttle=4 -o %t.turns.ptx 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: %same-results %s %t int=20 int.4=3 int.5=2 block=64
// RUN: %same-results %s %t int=20 int.4=3 int.5=2 block=64 -fplugin-arg-sluice-throttle=4
// RUN: %same-results %s %t int=20 int.4=3 int.5=2 block=64 -ffp-contract=fast
// RUN: %same-results %s %t int=20 int.4=3 int.5=2 block=64 -ffast-math

// One of five.
// CHECK-DAG: few-sums.cu:[[@LINE+19]]:3: remark: what the loop adds up in memory stays in registers where it overlaps nothing that the loop reads or writes
// PTX-LABEL: .entry _Z4rank
// C against two rows of A and two of B: two comparisons each.
// PTX-COUNT-8: setp.{{[a-z]+}}.u64
// PTX-NOT: setp.{{[a-z]+}}.u64
// The loop as it was, and the one without a store.
// PTX: Loop Header
// PTX-COUNT-4: ld.global
// PTX: st.global
// PTX: Loop Header
// PTX-COUNT-4: ld.global
// PTX-NOT: st.global
// PTX: bra
// PTX: st.global
// PTX: ret;
__global__ void rank(const float *A, const float *B, float *C, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    C[i * 1024 + j] += A[i * n + k] * B[j * n + k] * 2.0f +
                       B[i * n + k] * A[j * n + k] * 2.0f;
}

// One of nine.
// CHECK-DAG: few-sums.cu:[[@LINE+5]]:3: remark: what the loop adds up in memory stays in registers
__global__ void many(const float *A, const float *B, const float *C,
                     const float *D, const float *E, const float *F,
                     const float *G, const float *H, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[j] * B[j] + C[j] * D[j] + E[j] * F[j] + G[j] * H[j];
}

// Nine tests are too many.
// CHECK-DAG: few-sums.cu:[[@LINE+6]]:3: remark: what the loop adds up in memory stays there: no test of addresses before it would tell
__global__ void tooMany(const float *A, const float *B, const float *C,
                        const float *D, const float *E, const float *F,
                        const float *G, const float *H, const float *I,
                        float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j)
    y[i] += A[j] * B[j] + C[j] * D[j] + E[j] * F[j] + G[j] * H[j] * I[j];
}

// In three loops.
// CHECK-DAG: few-sums.cu:[[@LINE+6]]:7: remark: what the loop adds up in memory stays in registers
__global__ void batches(const float *A, const float *x, float *y, int n,
                        int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int batch = 0; batch < count; ++batch)
    for (int row = 0; row < n; ++row)
      for (int j = 0; j < n; ++j)
        y[(batch * n + row) * 1024 + i] += A[(i + row) * 64 + j] * x[j];
}

// In four.
// CHECK-DAG: few-sums.cu:[[@LINE+7]]:9: remark: what the loop adds up in memory stays in registers
__global__ void deeper(const float *A, const float *x, float *y, int n,
                       int count, int times) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int time = 0; time < times; ++time)
    for (int batch = 0; batch < count; ++batch)
      for (int row = 0; row < n; ++row)
        for (int j = 0; j < n; ++j)
          y[(batch * n + row) * 1024 + i] += A[(i + time) * 64 + j] * x[j];
}

// In two, and turns are a third.
// CHECK-DAG: few-sums.cu:[[@LINE+6]]:5: remark: what the loop adds up in memory stays in registers
// TURNS: few-sums.cu:[[@LINE+5]]:5: remark: what the loop adds up in memory stays in registers
__global__ void turns(const float *A, const float *x, float *y, int n,
                      int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < n; ++j)
      y[i] += A[i * 64 + j] * x[j + k];
}

// It reads a row of the array that it adds up in, for which LLVM has no test:
// no second version is made for what it reads besides.
// CHECK-DAG: few-sums.cu:[[@LINE+8]]:3: remark: what the loop adds up in memory stays there: no test of addresses before it would tell
// PTX-LABEL: .entry _Z6within
// PTX: st.global
// PTX-NOT: st.global
// PTX: ret;
__global__ void within(float *y, const float *x, const float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    y[i] += y[i + j * 512] * x[j] * x[i + j] * z[j] * z[i + j];
}
