// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are written: the loop writes shared memory and lanes write whole
// lines of one row after the other. The bytes in memory are what they are
// without it: of all element sizes and structs, where rows begin and end within
// 16 bytes, where what is written is read, where rows overlap each other by the
// kernel's arguments, and with lanes that are not there. Faults are noticed.
//
// RUN: %staging-cc %s -fplugin-arg-sluice-software-l1=staged -Rpass=sluice-software -Rpass-missed=sluice-software > %t.ptx 2> %t.remarks
// RUN: FileCheck %s --input-file %t.ptx
// RUN: FileCheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: %same-staged %s %t int=300 block=256 grid=2 kib=4096 -fplugin-arg-sluice-software-l1=staged
// RUN: %same-staged %s %t int=131 block=1024 grid=1 kib=4096 -fplugin-arg-sluice-software-l1=staged
// RUN: %same-staged %s %t int=64 block=96x2 grid=2 -fplugin-arg-sluice-software-l1=staged
// RUN: %same-staged %s %t int=5 block=100 grid=3 -fplugin-arg-sluice-software-l1=staged
// RUN: not %same-staged %s %t int=301 block=128 grid=1 -fplugin-arg-sluice-test-wrong-rewrite=torn-row -fplugin-arg-sluice-software-l1=staged
// RUN: not %same-staged %s %t int=303 block=128 grid=1 -fplugin-arg-sluice-test-wrong-rewrite=untested-row -fplugin-arg-sluice-software-l1=staged
//
// CHECK: .entry _Z5upperPKcPci(
// CHECK-COUNT-8: cp.async.cg.shared.global
// CHECK: st.shared.b8
// CHECK: bar.warp.sync
// CHECK: vote.sync.all.pred
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
// CHECK: bar.warp.sync
// REMARK-COUNT-9: {{(is|are)}} staged in shared memory
// REMARK-NOT: {{(is|are)}} staged
// REMARK: written.cu:[[#]]:3: remark: rows of its threads are not staged: its rows may overlap
// REMARK: written.cu:[[#]]:3: remark: rows of its threads are not staged: {{.*}}with gaps

#define ME                                                                     \
  (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +           \
   threadIdx.x)

__global__ void upper(const char *text, char *result, int n) {
  for (int j = 0; j < n; ++j) {
    char c = text[ME * 512 + j];
    if (c >= 'a' && c <= 'z')
      c -= 'a' - 'A';
    result[ME * 512 + j] = c;
  }
}

// Rows that begin anywhere.
__global__ void odd(const char *__restrict__ text, char *__restrict__ result,
                    int n) {
  for (int j = 0; j < n; ++j)
    result[ME * 333 + j] = text[ME * 515 + j] + 1;
}

// What is written is what is read.
__global__ void inPlace(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 301 + j] = A[ME * 301 + j] * 0.5f + j;
}

// One place in the source for what is read and what is written.
__global__ void scaled(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 303 + j] *= 0.5f;
}

struct Point {
  float X, Y, Z;
};

// One field is not read, all are written.
__global__ void fields(Point *A, int n) {
  for (int j = 0; j < n; ++j) {
    Point &P = A[ME * 307 + j];
    float X = P.X;
    P.X = P.Z;
    P.Y = X * 0.5f;
    P.Z = X + 1;
  }
}

__global__ void doubles(double *__restrict__ A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 301 + j] = j * 0.25 + threadIdx.x;
}

// They overlap or not: as the arguments are.
__global__ void shifted(float *A, int n, int distance) {
  float *from = A + ME * 400L;
  float *to = from + distance % 7;
  for (int j = 0; j < n; ++j)
    to[j] = from[j] * 0.5f + 1;
}

// Lanes that are not there, and rows of different lengths.
__global__ void uneven(short *A, const short *__restrict__ B, int n) {
  if (threadIdx.x % 3 == 1)
    return;
  for (int j = 0; j < n - int(threadIdx.x % 7) * 9; ++j)
    A[ME * 512 + j] = B[ME * 333 + j] * 3;
}

// A sum that stays in memory, as its loop may not always write it.
__global__ void beside(const float *A, float *y, int n) {
  for (int j = 0; j < n; ++j) {
    float v = A[ME * 512 + j];
    if (v > 0.25f)
      y[ME * 3] = v;
  }
}

// The next element, before it is written: one step further it is another row.
__global__ void next(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 512 + j] = A[ME * 512 + j + 1] * 0.5f;
}

// Not all of a row is written.
__global__ void gaps(float *A, int n) {
  for (int j = 0; j < n; ++j)
    A[ME * 640 + 2 * j] = j;
}

void run(const char *A, char *y, int n) { upper<<<1056, 256>>>(A, y, n); }
