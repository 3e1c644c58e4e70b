// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose threads get no lines though all that can be are asked for: nothing
// that a line serves; results that would be rounded another way; no shared memory
// that is left, or dynamic one; a call that may not be repeated. And no loop gets
// lines that are not asked for.
//
// DEFINE: %{lines-cc} = %staging-cc %s -fplugin-arg-sluice-transforms=off -fplugin-arg-sluice-software-l1=shared
// RUN: %{lines-cc} -Rpass=sluice-software -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s --implicit-check-not="threads keep lines"
// RUN: %{lines-cc} -ffast-math -DROWS -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=FAST --implicit-check-not="threads keep lines"
// RUN: %{lines-cc} -DROWS -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=LINES
// RUN: %staging-cc %s -DROWS | FileCheck %s --check-prefix=AUTO --implicit-check-not=__sluice_lines
//
// LINES: threads keep lines
// AUTO: .entry
// FAST: its results may be added up in any order
// CHECK-DAG: no-lines.cu:[[#@LINE+20]]:3: remark: the loop at no-lines.cu:[[#@LINE+20]]:3 stays as it was: its threads have no lines: it accesses nothing that a line can serve
// CHECK-DAG: stays as it was: its threads have no lines: the kernel uses dynamic shared memory
// CHECK-DAG: stays as it was: its threads have no lines: the shared memory that is left has no line for each thread
// CHECK-DAG: stays as it was: its threads have no lines: whether it fuses a product with a sum depends on what is moved
// CHECK-DAG: stays as it was: its threads have no lines: it has too many accesses

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

#ifdef ROWS
__global__ void rows(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  y[ME] = s;
}
#else

__global__ void shared(float *y, int n) {
  __shared__ float own[256];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s = s * 0.5f + own[(threadIdx.x + j) % 256];
  y[ME] = s;
}

__global__ void dynamic(const float *A, float *y, int n) {
  extern __shared__ float Own[];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  Own[threadIdx.x] = s;
  y[ME] = Own[threadIdx.x ^ 1];
}

__global__ void full(const float *A, float *y, int n) {
  __shared__ float own[10000];
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[ME * 512 + j];
  own[threadIdx.x] = s;
  y[ME] = own[threadIdx.x ^ 1];
}

__global__ void branches(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    float p = A[ME * 512 + j] * 3;
    if (y[j] > 1)
      y[ME + j] = p + s;
    s = p;
    if (s > 4)
      s = y[0];
  }
  y[ME] = s;
}

#define TEN(I)                                                                 \
  s += A[s % 7 + I] + A[s % 9 + I] + A[s % 11 + I] + A[s % 13 + I] +           \
       A[s % 15 + I];                                                          \
  s += A[s % 3 + I] + A[s % 5 + I] + A[s % 19 + I] + A[s % 23 + I] +           \
       A[s % 25 + I];

__global__ void many(const unsigned *A, unsigned *y, int n) {
  unsigned s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
  }
  y[ME] = s;
}

void run(const float *A, float *y, int n) {
  dynamic<<<8, 256, 4096>>>(A, y, n);
}

#endif
