// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not widened though all rows that can be are asked for: bytes that are
// written may be read again, in another iteration or later in the same; not all
// bytes are written; lanes exchange values; the source says how to unroll; other
// threads may write between; the loop ends by its data; results may be added in
// any order, or a product is carried over and would be fused.
//
// DEFINE: %{all-cc} = %staging-cc -fplugin-arg-sluice-software-l1=registers
// RUN: %{all-cc} %s -Rpass=sluice-software 2>&1 | FileCheck %s --implicit-check-not="bytes at a time" --implicit-check-not=".v4" --implicit-check-not="sluice.wide"
// RUN: %{all-cc} %s -Rpass-missed=sluice-software 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: %{all-cc} %s -ffast-math -DROWS -Rpass=sluice-software 2>&1 | FileCheck %s --implicit-check-not="bytes at a time"
// RUN: %{all-cc} %s -DROWS -Rpass=sluice-software 2>&1 | FileCheck %s --check-prefix=WIDE
//
// CHECK: .entry
// WIDE: bytes at a time
// WHY-DAG: stays as it was: its rows are not kept in registers: no thread reads or writes a row of its own in it
// WHY-DAG: stays as it was: its rows are not kept in registers: lanes may exchange values in it
// WHY-DAG: stays as it was: its rows are not kept in registers: its source keeps it from being unrolled
// WHY-DAG: stays as it was: its rows are not kept in registers: it has a block barrier
// WHY-DAG: stays as it was: its rows are not kept in registers: it carries a product over into its next iteration
// WHY-DAG: stays as it was: its rows are not kept in registers: its rows are too short

#define ME (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW A[ME * 512 + j]

#ifdef ROWS

__global__ void rows(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += ROW;
  y[ME] = s;
}

#else

__global__ void overlap(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 512 + j + 1] = ROW + 1;
}

__global__ void again(float *A, float *__restrict__ y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    A[ME * 512 + j] = s;
    __builtin_assume(n > 0);
    s += A[ME * 512 + (j ^ 1)];
  }
  y[ME] = s;
}

// What is left of a row that the rest of the kernel took in blocks.
__global__ void rest(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n % 4; ++j)
    s += ROW;
  y[ME] = s;
}

__global__ void mayAlias(const float *A, float *B, int n) {
  for (int j = 0; j < n; ++j)
    B[ME * 512 + j] = ROW;
}

struct Pair {
  float X, Y;
};

__global__ void half(Pair *__restrict__ A, int n) {
  for (int j = 0; j < n; ++j)
    ROW.X = j;
}

__global__ void exchange(const int *__restrict__ A, int *y, int n) {
  int s = 0;
  for (int j = 0; j < n; ++j)
    s += __nvvm_shfl_sync_idx_i32(~0u, ROW, s & 31, 31);
  y[ME] = s;
}

__global__ void rolled(const float *__restrict__ A, float *y, int n) {
  float s = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    s += ROW;
  y[ME] = s;
}

__global__ void waits(const float *A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j) {
    s += ROW;
    __syncthreads();
  }
  y[ME] = s;
}

__global__ void ends(const char *__restrict__ A, int *y) {
  int j = 0;
  while (ROW)
    ++j;
  y[ME] = j;
}

__global__ void product(const float *__restrict__ A, float *y, int n) {
  float s = 0, p = 0;
  for (int j = 0; j < n; ++j) {
    s += p;
    p = ROW * ROW;
  }
  y[ME] = s;
}

__global__ void together(const float *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += A[j * 1024 + ME];
  y[ME] = s;
}

struct alignas(16) Quad {
  float X, Y, Z, W;
};

__global__ void sixteen(const Quad *__restrict__ A, float *y, int n) {
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += ROW.X;
  y[ME] = s;
}

#endif
