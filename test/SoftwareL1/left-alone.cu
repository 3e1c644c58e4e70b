// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not staged: rows that lanes share, that are short or read again; loops
// that order memory or write it, or that end by their data; kernels with dynamic
// shared memory; where results may be added in any order;
// where turns are asked for.
//
// RUN: %staging-cc %s -Rpass=sluice-software 2>&1 | FileCheck %s --implicit-check-not="{{(is|are)}} staged" --implicit-check-not=cp.async
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.yaml -o %t.s
// RUN: FileCheck %s --check-prefix=WHY --input-file %t.yaml
// RUN: %staging-cc -ffast-math -DROWS %s -Rpass=sluice-software 2>&1 | FileCheck %s --implicit-check-not=cp.async
// RUN: %staging-cc -DROWS %s -fplugin-arg-sluice-throttle=2 2>&1 | FileCheck %s --implicit-check-not=cp.async
// RUN: %staging-cc -DROWS %s -Rpass=sluice-software 2>&1 | FileCheck %s --check-prefix=STAGED
//
// CHECK: .entry
// STAGED: {{(is|are)}} staged
// WHY: name: _Z5againPKfPf
// WHY: staged-why: {{.*}}a loop around it finds the rows in the L1 again
// WHY: name: _Z5briefPKfPf
// WHY: staged-why: {{.*}}its rows are too short
// WHY: name: _Z6sharedPKfPfi
// WHY: staged-why: {{.*}}neighbouring threads share lines
// WHY: name: _Z7dynamicPKfPfi
// WHY: staged-why: {{.*}}the kernel uses dynamic shared memory
// WHY: name: _Z8computesPfdi
// WHY: staged-why: {{.*}}the loop computes for longer than its stores take

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW A[ME * 512 + j]

#ifdef ROWS

__global__ void rows(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += ROW;
  y[ME] = s;
}
void run(const float *A, float *y) { rows<<<1056, 256>>>(A, y, 512); }

#else

// Its few threads' rows fit the L1.
__global__ void again(const float *__restrict__ A, float *y) {
  float s = 0;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 500; ++j)
      s = s * 0.5f + ROW * k;
  y[ME] = s;
}

__global__ void brief(const float *__restrict__ A, float *y) {
  float s = 0;
  for (int j = 0; j < 40; ++j)
    s += ROW;
  y[ME] = s;
}

__global__ void shared(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 16 + j];
  y[ME] = s;
}

__global__ void dynamic(const float *__restrict__ A, float *y, int n) {
  extern __shared__ float Own[];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += ROW;
  Own[threadIdx.x] = s;
  y[ME] = Own[threadIdx.x ^ 1];
}

__global__ void waits(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    s += ROW;
    __syncthreads();
  }
  y[ME] = s;
}

__global__ void writes(float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    s += ROW;
    A[ME * 512 + j + 1] = s;
  }
}

#define DIGIT s = (s - int(s)) * 3;
#define DIGITS DIGIT DIGIT DIGIT DIGIT

__global__ void computes(float *y, double x, int n) {
  for (int j = 0; j < n; ++j) {
    double s = x + j;
    DIGITS DIGITS
    y[ME * 512 + j] = float(s);
  }
}

__global__ void ends(const float *__restrict__ A, float *y) {
  float s = 0;
  for (int j = 0; ROW != 0; ++j)
    s += ROW;
  y[ME] = s;
}

__global__ void together(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[j * 1024 + ME];
  y[ME] = s;
}

__attribute__((annotate("sluice:off"))) __global__ void
off(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += ROW;
  y[ME] = s;
}

void run(const float *A, float *y, int n) {
  again<<<132, 64>>>(A, y);
  dynamic<<<1056, 256, 4096>>>(A, y, n);
}

#endif
