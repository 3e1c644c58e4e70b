// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in registers give the bytes that rows read directly give: of all element
// sizes, of structs, with odd pitches and beginnings, with widths that are no
// multiple of a block or less than one, read and written, in place, with and
// without turns. That rows are taken to be aligned is noticed.
//
// DEFINE: %{same} = %same-staged %s %t -fplugin-arg-sluice-software-l1=registers
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=registers -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %{same} int=300 block=128 grid=2
// RUN: %{same} int=301 block=96x2 grid=1
// RUN: %{same} int=35 block=100 grid=3
// RUN: %{same} int=3 block=64 grid=1
// RUN: %{same} int=0 block=64 grid=1
// RUN: %{same} int=131 block=256 grid=1 -fplugin-arg-sluice-throttle=4
// RUN: %{same} int=300 block=128 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=wide-misaligned
//
// CHECK-COUNT-13: bytes at a time

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)

__global__ void whole(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}

// A pitch and a beginning that are known when it runs: some rows are aligned.
__global__ void pitch(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + A[ME * (n + 1) + 1 + j];
  y[ME] = s;
}

__global__ void bytes(const signed char *__restrict__ A, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 3 + A[ME * 515 + j];
  y[ME] = s;
}

__global__ void halves(const unsigned short *__restrict__ A, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 3 + A[ME * 332 + j];
  y[ME] = s;
}

__global__ void doubles(const double *__restrict__ A, double *y, int n) {
  double s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5 + A[ME * 301 + j];
  y[ME] = s;
}

struct Point {
  float X, Y, Z;
};

__global__ void fields(const Point *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + A[ME * 152 + j].X * 2 + A[ME * 152 + j].Z;
  y[ME] = s;
}

// Rows of different lengths, and of two types.
__global__ void uneven(const float *__restrict__ A,
                       const unsigned char *__restrict__ B, float *y, int n) {
  if (threadIdx.x % 3 == 1)
    return;
  float s = 0;
  for (int j = 0; j < n - int(threadIdx.x % 7) * 9; ++j)
    s = s * 0.5f + A[ME * 512 + j] * B[ME * 528 + j];
  y[ME] = s;
}

// Code that not each iteration runs, and values that later iterations need.
__global__ void branches(const unsigned char *__restrict__ A, int *y, int n) {
  int Words = 0, Last = 0, Before = 32;
  for (int j = 0; j < n; ++j) {
    int c = A[ME * 528 + j];
    if (c % 4 == 0 && Before % 4 != 0)
      y[ME] = ++Words;
    Last = Before;
    Before = c;
  }
  y[ME] = Words * 7 + Last + Before;
}

__global__ void upper(const char *__restrict__ A, char *__restrict__ B, int n) {
  for (int j = 0; j < n; ++j) {
    char c = A[ME * 516 + j];
    B[ME * 512 + j] = c >= 'a' && c <= 'z' ? c - 32 : c;
  }
}

__global__ void inPlace(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 508 + j] = A[ME * 508 + j] * 2 + 1;
}

struct Cell {
  short A, B, C;
};

// Three elements a step, stored not in the order of their addresses.
__global__ void cells(const Cell *__restrict__ In, Cell *__restrict__ Out,
                      int n) {
  for (int j = 0; j < n; ++j) {
    Cell c = In[ME * 304 + j];
    Out[ME * 304 + j].C = c.A;
    if (c.B > 5)
      c.B = c.A;
    Out[ME * 304 + j].A = c.B;
    Out[ME * 304 + j].B = c.C;
  }
}

// Backwards and forwards in the same row: only what is read can be kept.
__global__ void sums(const int *__restrict__ A, long *__restrict__ B, int n) {
  long s = 0;
  for (int j = 0; j < n; ++j) {
    s += A[ME * 512 + j];
    B[ME * 302 + j] = s;
  }
}

__global__ void scaled(double *__restrict__ A, const double *__restrict__ x,
                       int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 302 + j] += x[j];
}

void run(const float *A, float *y, int *z, int n) {
  whole<<<1056, 256>>>(A, y, n);
}
