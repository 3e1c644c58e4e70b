// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with rows that cannot be written as text are left as they are, and a
// warning says why.
//
// RUN: %row-text %s -o %t.cu > %t.said 2>&1
// RUN: FileCheck %s --input-file %t.said
// RUN: %row-text %s -o %t.turns.cu --sluice-software-l1=off
// RUN: not grep '^#include <sluice' %t.cu %t.turns.cu
//
// CHECK-DAG: warning: rows of the loop of 'whileLoop' are planned for shared memory, but not in the text: the loop at {{.*}} is no 'for' loop
// CHECK-DAG: warning: rows of the loop of 'pointers' are planned for shared memory, but not in the text: the loop at {{.*}} which is not an element that the counter numbers
// CHECK-DAG: warning: rows of the loop of 'called' are planned for shared memory, but not in the text: the loop at {{.*}} in code that is not in its text
// CHECK-DAG: warning: rows of the loop of 'loopCalled' are planned for shared memory, but not in the text: the loop at {{.*}} is in a function that the kernel calls
// CHECK-DAG: warning: rows of the loop of 'pairs' are planned for shared memory, but not in the text: the loop at {{.*}} which is not an element that the counter numbers
// CHECK-DAG: warning: rows of the loop of 'byTwos' are planned for shared memory, but not in the text: the loop at {{.*}} cannot be cut: it does not count by ones
// CHECK-DAG: warning: rows of the loop of 'boundInMemory' are planned for shared memory, but not in the text: the loop at {{.*}} cannot be cut: where it ends may change in it, or is not read from a variable
// CHECK-DAG: warning: rows of the loop of 'unrolled' are planned for shared memory, but not in the text: the loop at {{.*}} has a #pragma of its own
// CHECK-DAG: warning: rows of the loop of 'loopOfMacro' are planned for shared memory, but not in the text: the loop at {{.*}} is in a macro, where no text can be added
// CHECK-DAG: warning: rows of the loop of 'bodyOfMacro' are planned for shared memory, but not in the text: the loop at {{.*}} has a row in a macro that does more than name it
// CHECK-DAG: warning: rows of the loop of 'wraps' are planned for shared memory, but not in the text: the loop at {{.*}} which is not an element that the counter numbers
// CHECK-DAG: warning: rows of the loop of 'bindings' are planned for shared memory, but not in the text: the loop at {{.*}} uses a reference
// CHECK-DAG: warning: rows of the loop of 'addressTaken' are planned for shared memory, but not in the text: the loop at {{.*}} hands on where something is in memory
// CHECK-DAG: warning: rows of the loop of 'inStep' are planned for shared memory, but not in the text: the loop at {{.*}} has a row outside of its body
// CHECK-DAG: warning: rows of the loop of 'ofTwoCompiles' are planned for shared memory, but not in the text: the loop at {{.*}} has a directive in it
// CHECK-DAG: warning: rows of the loop of 'several<float>' are planned for shared memory, but not in the text: the loop at {{.*}} is in a template, which has one text, and its instantiations want different rows
// CHECK-DAG: warning: rows of the loop of 'several<double>' are planned for shared memory, but not in the text: the loop at {{.*}} is in a template
// CHECK-DAG: warning: rows of the loop of 'ofHeader' are planned for shared memory, but not in the text: the loop at {{.*}} is in a header, and only the main file is written

#include "Inputs/row-in-header.h"

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void whileLoop(const float *A, float *y, int n) {
  float s = 0;
  int i = ME, j = 0;
  while (j < n) {
    s = s * 0.5f + A[i * n + j];
    ++j;
  }
  y[i] = s;
}

__global__ void pointers(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  const float *p = A + i * n;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + *p++;
  y[i] = s;
}

__device__ float at(const float *A, int i, int n, int j) {
  return A[i * n + j];
}
__global__ void called(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + at(A, i, n, j);
  y[i] = s;
}

__device__ float sumOf(const float *row, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + row[j];
  return s;
}
__global__ void loopCalled(const float *A, float *y, int n) {
  int i = ME;
  y[i] = sumOf(A + i * n, n);
}

__global__ void pairs(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + A[i * 2 * n + 2 * j] * A[i * 2 * n + 2 * j + 1];
  y[i] = s;
}

__global__ void byTwos(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; j += 2)
    s = s * 0.5f + A[i * n + j];
  y[i] = s;
}

struct Sizes {
  int Columns;
};
__global__ void boundInMemory(const float *__restrict__ A, float *__restrict__ y,
                              const Sizes *__restrict__ sizes, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < sizes->Columns; ++j)
    s = s * 0.5f + A[i * n + j];
  y[i] = s;
}

__global__ void unrolled(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
#pragma unroll 2
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + A[i * n + j];
  y[i] = s;
}

#define LOOP(body)                                                             \
  for (int j = 0; j < n; ++j)                                                  \
    body;
__global__ void loopOfMacro(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  LOOP(s = s * 0.5f + A[i * n + j])
  y[i] = s;
}

#define ADD_ROW s = s * 0.5f + A[i * n + j]
__global__ void bodyOfMacro(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j)
    ADD_ROW;
  y[i] = s;
}

template <typename T>
__global__ void several(const T *A, T *y, int n) {
  T s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j)
    s = s * 2 + A[i * n + j];
  y[i] = s;
}

__global__ void wraps(const float *A, float *y, unsigned n) {
  float s = 0;
  unsigned i = ME;
  for (unsigned j = 0; j < n; ++j)
    s = s * 0.5f + A[i * n + j];
  y[i] = s;
}

struct Pair {
  float First, Second;
};
__global__ void bindings(const float *A, float *y, Pair p, int n) {
  float s = 0;
  int i = ME;
  auto [first, second] = p;
  for (int j = 0; j < n; ++j)
    s = s * first + A[i * n + j] * second;
  y[i] = s;
}

__global__ void scatters(const float *__restrict__ A, const int *__restrict__ to,
                         float *__restrict__ y, int n) {
  int i = ME;
  for (int j = 0; j < n; ++j)
    y[to[j] * n] = A[i * n + j];
}

__global__ void addressTaken(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j) {
    const float &a = A[i * n + j];
    s = s * 0.5f + a;
  }
  y[i] = s;
}

__global__ void inStep(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; s = s * 0.5f + A[i * n + j], ++j)
    ;
  y[i] = s;
}

__global__ void ofTwoCompiles(const float *A, float *y, int n) {
  float s = 0;
  int i = ME;
  for (int j = 0; j < n; ++j) {
#if __CUDA_ARCH__ >= 800
    s = s * 0.5f + A[i * n + j];
#else
    s = s * 0.5f - A[i * n + j];
#endif
  }
  y[i] = s;
}

void run(const float *A, const double *D, double *d, const Sizes *sizes,
         const int *to, float *y, int n) {
  whileLoop<<<1056, 256>>>(A, y, n);
  pointers<<<1056, 256>>>(A, y, n);
  called<<<1056, 256>>>(A, y, n);
  loopCalled<<<1056, 256>>>(A, y, n);
  pairs<<<1056, 256>>>(A, y, n);
  byTwos<<<1056, 256>>>(A, y, n);
  boundInMemory<<<1056, 256>>>(A, y, sizes, n);
  unrolled<<<1056, 256>>>(A, y, n);
  loopOfMacro<<<1056, 256>>>(A, y, n);
  bodyOfMacro<<<1056, 256>>>(A, y, n);
  several<<<1056, 256>>>(A, y, n);
  several<<<1056, 64>>>(D, d, n);
  wraps<<<1056, 256>>>(A, y, n);
  bindings<<<1056, 256>>>(A, y, Pair{1, 2}, n);
  scatters<<<1056, 256>>>(A, to, y, n);
  addressTaken<<<1056, 256>>>(A, y, n);
  inStep<<<1056, 256>>>(A, y, n);
  ofTwoCompiles<<<1056, 256>>>(A, y, n);
  ofHeader<<<1056, 256>>>(A, y, n);
}
