// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows beside what is no row. Where a gather spreads as they do, they are kept
// in registers: of a sparse matrix's rows a quarter of the requests are left.
// Beside atomic operations rows are staged that nobody writes while the kernel
// runs, and no others.
//
// RUN: %staging-cc %s -Rpass=sluice-software 2>&1 >/dev/null | FileCheck %s
// RUN: %staging-cc %s -fplugin-arg-sluice-emit-plan=%t.plan.yaml -o %t.s
// RUN: FileCheck %s --check-prefix=WHY --input-file %t.plan.yaml
// RUN: %same-staged %s %t int=300 block=128 grid=2
// RUN: %same-staged %s %t int=67 block=100 grid=1
// RUN: %same-staged %s %t int=300 block=128 grid=2 -fplugin-arg-sluice-software-l1=registers
//
// CHECK: 2 streams of the loop moved 16 bytes at a time
// CHECK: stream{{.*}} of the loop {{(is|are)}} staged
// CHECK: 2 streams of the loop moved 16 bytes at a time
// CHECK-NOT: of the loop
// WHY: name: _Z6sparsePKfPKiS0_Pfi
// WHY: staged-why: {{.*}} is to no row of a thread
// WHY: widened:
// WHY: name: _Z7countedPKcPii
// WHY: staged:
// WHY: name: _Z7writtenPKcPii
// WHY: staged-why: {{.*}}it has an atomic operation

#define ME (blockIdx.x * blockDim.x + threadIdx.x)

// Its rows begin where something read from memory says.
__global__ void sparse(const float *__restrict__ values,
                       const int *__restrict__ columns,
                       const float *__restrict__ x, float *y, int n) {
  const int begin = columns[ME] & 1023, end = begin + n;
  float s = 0;
  for (int j = begin; j < end; ++j)
    s += values[ME * 600 + j] * x[columns[ME * 600 + j] & 1023];
  y[ME] = s;
}

__global__ void counted(const char *__restrict__ text,
                        int *__restrict__ counts, int n) {
  for (int j = 0; j < n; ++j)
    atomicAdd(&counts[text[ME * 512 + j] & 15], 1);
}

// Another thread may write the text, and count it then.
__global__ void written(const char *text, int *counts, int n) {
  for (int j = 0; j < n; ++j)
    atomicAdd(&counts[text[ME * 512 + j] & 15], 1);
}

// How long a list of neighbours is each thread reads: it is short, mostly.
// WHY: name: _Z10neighboursPKiS0_Pi
// WHY-NOT: widened:
// WHY: name: _Z4rows
__global__ void neighbours(const int *__restrict__ starts, const int *__restrict__ list, int *out) {
  const int begin = starts[ME] & 1023, end = begin + (starts[ME + 1] & 31);
  int least = ME;
  for (int j = begin; j < end; ++j)
    least = min(least, starts[list[j] & 1023]);
  out[ME] = least;
}

// Of a matrix there are two lists.
// WHY: widened:
__global__ void rows(const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values,
                     const float *__restrict__ x, float *y) {
  const int begin = starts[ME] & 1023, end = begin + (starts[ME + 1] & 31);
  float s = 0;
  for (int j = begin; j < end; ++j)
    s += values[j] * x[columns[j] & 1023];
  y[ME] = s;
}

void run(const float *A, const int *c, float *y, int *n, const char *t) {
  sparse<<<1056, 256>>>(A, c, A, y, 512);
  counted<<<1056, 256>>>(t, n, 512);
  written<<<1056, 256>>>(t, n, 512);
  neighbours<<<1056, 256>>>(c, c, n);
  rows<<<1056, 256>>>(c, c, A, A, y);
}
