// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose pitch is known only when the program runs: the results are those
// without turns, and turns are taken where the pitch is a line or more. (Where
// there are none, there is no barrier either.) The text of sluice throttle does
// the same.
//
// RUN: %sluice emulate %s --sluice-software-l1=off --sluice-sms=2 --compare --check=memory,races --trace=%t.trace
// RUN: awk -f %S/Inputs/turns.awk %t.trace | tee %t.turns | FileCheck %s
// RUN: %sluice throttle %s -o %t.cu --cuda-gpu-arch=sm_90 --sluice-sms=2 --sluice-software-l1=off -Werror
// RUN: %sluice emulate %s --sluice-throttle=off > %t.plain
// RUN: %sluice emulate %t.cu --sluice-throttle=off --check=memory,races --trace=%t.text.trace > %t.text
// RUN: diff %t.plain %t.text
// RUN: awk -f %S/Inputs/turns.awk %t.text.trace | diff %t.turns -

#include <cstdio>

#define ROW const int i = blockIdx.x * blockDim.x + threadIdx.x;

// The grid is known, so N is one number but for the test.
__global__ void plain(const float *A, const float *B, float *sums, int n) {
  ROW
  for (int j = 0; j < 8; ++j)
    sums[i] += A[i * n + j] * B[i * n + j];
}

// An argument of 64 bits after one that is passed by reference.
struct Arrays {
  const float *A, *B;
  int n;
};
__global__ void wide(Arrays in, float *sums, long pitch) {
  ROW
  for (int j = 0; j < 8; ++j)
    sums[i] += in.A[i * pitch + j] * in.B[i * pitch + j];
}

__global__ void two(const float *A, const float *B, float *sums, int n,
                    unsigned m) {
  ROW
  for (int j = 0; j < 8; ++j)
    sums[i] += A[i * n + j] * B[i * m + j];
}

// A field, and the rows by the stride of the grid. The sum stays in memory.
struct View {
  const float *A, *B;
  struct Size {
    short unused;
    int rows;
    long cols;
  } size;
};
__global__ void field(View v, float *sums, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < v.size.rows;
       i += gridDim.x * blockDim.x)
    for (int j = 0; j < n; ++j) {
      float a = v.A[i * v.size.cols + j], b = v.B[i * v.size.cols + j];
      if (a >= 0)
        sums[i] += a * b;
    }
}

// Looked up by the grid, then tested.
__global__ void anyGrid(const float *A, const float *B, float *sums, int n) {
  ROW
  for (int j = 0; j < 8; ++j)
    sums[i] += A[i * n + j] * B[i * n + j];
}

// Two loops in one region, each with a test of its own.
__global__ void region(const float *A, const float *B, float *sums, int n,
                       int m) {
  ROW
  if (sums[i] >= 0) {
    for (int j = 0; j < 8; ++j)
      sums[i] += A[i * n + j] * B[i * n + j];
    for (int j = 0; j < 8; ++j)
      sums[i] += A[i * m + j] * B[i * m + j];
  }
}

__device__ float weigh(const float *a, const float *b) {
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += a[j] * b[j];
  return sum;
}
// What is initialised by a call in turns.
__global__ void callee(const float *A, const float *B, float *sums, int n) {
  ROW
  const float w = weigh(A + i * n, B + i * n);
  sums[i] += w;
}

// A run-time number for the compiler.
static int known(int n) {
  volatile int v = n;
  return v;
}

int main() {
  const int Threads = 4096;
  const int Size = Threads * 64 + 64;
  float *A, *B, *sums;
  cudaMallocManaged(&A, Size * sizeof(float));
  cudaMallocManaged(&B, Size * sizeof(float));
  cudaMallocManaged(&sums, Threads * sizeof(float));
  for (int i = 0; i < Size; ++i) {
    A[i] = i % 17 * 0.5f;
    B[i] = i % 13 * 0.25f;
  }
  for (int i = 0; i < Threads; ++i)
    sums[i] = 0;

  // Backwards from the end the pitch is negative.
  // CHECK: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z5plainPKfS0_Pfi 16,1,1 256,1,1 0 turns
  for (int n : {64, 32, 31, 1, 0})
    plain<<<16, 256>>>(A, B, sums, known(n));
  plain<<<16, 256>>>(A + Size - 64, B + Size - 64, sums, known(-64));

  // CHECK-NEXT: _Z4wide6ArraysPfl 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z4wide6ArraysPfl 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z4wide6ArraysPfl 16,1,1 256,1,1 0 turns
  wide<<<16, 256>>>(Arrays{A, B, 1}, sums, known(32));
  wide<<<16, 256>>>(Arrays{A, B, 512}, sums, known(31));
  wide<<<16, 256>>>(Arrays{A + Size - 64, B + Size - 64, 512}, sums,
                    known(-64));

  // CHECK-NEXT: _Z3twoPKfS0_Pfij 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z3twoPKfS0_Pfij 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z3twoPKfS0_Pfij 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z3twoPKfS0_Pfij 16,1,1 256,1,1 0 turns
  two<<<16, 256>>>(A, B, sums, known(32), known(64));
  two<<<16, 256>>>(A, B, sums, known(32), known(8));
  two<<<16, 256>>>(A, B, sums, known(8), known(64));
  two<<<16, 256>>>(A, B, sums, known(8), known(8));

  // CHECK-NEXT: _Z5field4ViewPfi 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z5field4ViewPfi 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z5field4ViewPfi 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z5field4ViewPfi 16,1,1 256,1,1 0 turns
  for (int cols : {64, 32, 31, 0})
    field<<<16, 256>>>(View{A, B, {32, Threads - 5, known(cols)}}, sums,
                       known(8));

  // CHECK-NEXT: _Z7anyGridPKfS0_Pfi 6,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z7anyGridPKfS0_Pfi 7,1,1 256,1,1 2 turns
  // CHECK-NEXT: _Z7anyGridPKfS0_Pfi 13,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z7anyGridPKfS0_Pfi 13,1,1 256,1,1 0 turns
  for (int grid : {6, 7, 13})
    anyGrid<<<known(grid), 256>>>(A, B, sums, known(64));
  anyGrid<<<known(13), 256>>>(A, B, sums, known(16));

  // CHECK-NEXT: _Z6regionPKfS0_Pfii 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z6regionPKfS0_Pfii 16,1,1 256,1,1 0 turns
  // CHECK-NEXT: _Z6regionPKfS0_Pfii 16,1,1 256,1,1 0 turns
  region<<<16, 256>>>(A, B, sums, known(64), known(32));
  region<<<16, 256>>>(A, B, sums, known(64), known(4));
  region<<<16, 256>>>(A, B, sums, known(4), known(64));

  // CHECK-NEXT: _Z6calleePKfS0_Pfi 16,1,1 256,1,1 4 turns
  // CHECK-NEXT: _Z6calleePKfS0_Pfi 16,1,1 256,1,1 0 turns
  callee<<<16, 256>>>(A, B, sums, known(64));
  callee<<<16, 256>>>(A, B, sums, known(16));

  cudaDeviceSynchronize();
  for (int i = 0; i < Threads; ++i)
    printf("%a\n", double(sums[i]));
}
