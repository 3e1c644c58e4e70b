// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staged rows give the bytes that rows read directly give: of all element sizes,
// of structs, with pitches and beginnings that are no multiple of 16 bytes, with
// lanes that are not there, that have left, or whose rows are shorter, with more
// warps than buffers, and where the loop is too short. Faults in copying are
// noticed.
//
// RUN: %staging-cc %s -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %same-staged %s %t int=300 block=256 grid=2
// RUN: %same-staged %s %t int=131 block=1024 grid=1 kib=4096
// RUN: %same-staged %s %t int=64 block=96x2 grid=2
// RUN: %same-staged %s %t int=5 block=100 grid=3
//
// Before sm_80 copies go through registers.
// RUN: %same-staged %s %t int=131 block=256 grid=2 --no-offload-arch=sm_90 --offload-arch=sm_75
// RUN: %same-staged %s %t int=64 block=96x2 grid=2 --no-offload-arch=sm_90 --offload-arch=sm_75
//
// RUN: %same-staged %s %t int=300 block=128 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=stale-chunk
// RUN: not %same-staged %s %t int=301 block=128 grid=1 skip=whole -fplugin-arg-sluice-test-wrong-rewrite=short-row
// RUN: not %same-staged %s %t int=300 block=128 grid=1 -fplugin-arg-sluice-test-wrong-rewrite=absent-lane
// RUN: not %same-staged %s %t int=300 block=128 grid=1 -fplugin-arg-sluice-test-wrong-rewrite=early-read 2>&1 | FileCheck %s --check-prefix=EARLY
//
// EARLY: read of 4 bytes where an asynchronous copy is under way
// EARLY-NEXT: in kernel whole
// CHECK-COUNT-9: {{(is|are)}} staged in shared memory

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)

__global__ void whole(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}

// A pitch and a beginning that are known when it runs.
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
    s = s * 3 + A[ME * 333 + j];
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
    s = s * 0.5f + A[ME * 150 + j].X * 2 + A[ME * 150 + j].Z;
  y[ME] = s;
}

// Lanes that are not there, and rows of different lengths.
__global__ void uneven(const float *__restrict__ A, float *y, int n) {
  if (threadIdx.x % 3 == 1)
    return;
  float s = 0;
  for (int j = 0; j < n - int(threadIdx.x % 7) * 9; ++j)
    s = s * 0.5f + A[ME * 512 + j];
  y[ME] = s;
}

// Two groups of lanes of a warp run it one after the other.
__global__ void apart(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  if (threadIdx.x % 2) {
    for (int j = 0; j < n; ++j)
      s = s * 0.5f + A[ME * 512 + j];
  } else {
    for (int j = 0; j < n; ++j)
      s = s * 0.25f + A[ME * 300 + j];
  }
  y[ME] = s;
}

void run(const float *A, float *y, int *z, int n) {
  whole<<<1056, 256>>>(A, y, n);
}
