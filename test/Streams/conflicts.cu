// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store that may be to what is read. In place it is known where; of another array a
// test before the loop can tell, but not of a place that is read from memory. One
// that moves by another step has no place along the stream. A store to shared memory
// is no conflict.
//
// RUN: %loop-ir %s | %opt -passes='print<sluice-streams>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: kernel {{.*}}upper
// CHECK: load stream
// CHECK: may overlap what is written at {{[^,]*$}}
// CHECK: store stream
// CHECK: may overlap what is read at {{[^,]*$}}
// CHECK-LABEL: kernel {{.*}}apart
// CHECK-NOT: may overlap
// CHECK-LABEL: kernel {{.*}}inPlace
// CHECK: load stream
// CHECK: may overlap what is written at {{.*}}, + 0{{$}}
// CHECK: store stream
// CHECK: may overlap what is read at {{.*}}, + 0{{$}}
// CHECK-LABEL: kernel {{.*}}shift
// CHECK: load stream
// CHECK: may overlap what is written at {{.*}}, + 8{{$}}
// CHECK: store stream
// CHECK: may overlap what is read at {{.*}}, + -8{{$}}
// CHECK-LABEL: kernel {{.*}}faster
// CHECK: load stream
// CHECK: may overlap what is written at {{[^,]*$}}
// CHECK: store stream
// CHECK: may overlap what is read at {{[^,]*$}}
// CHECK-LABEL: kernel {{.*}}scatter
// CHECK: load stream
// CHECK: may overlap what is written at {{.*}}, cannot be tested
// CHECK: no stream
// CHECK-LABEL: kernel {{.*}}sum
// CHECK: load stream
// CHECK: may overlap what is written at {{[^,]*$}}
// CHECK: no stream
// CHECK-LABEL: kernel {{.*}}shared
// CHECK: load stream
// CHECK-NOT: may overlap

__global__ void upper(const char *t, char *o, int n) {
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    o[i + j] = t[i + j] - 32;
}

__global__ void apart(const char *__restrict__ t, char *__restrict__ o, int n) {
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    o[i + j] = t[i + j] - 32;
}

__global__ void inPlace(char *t, int n) {
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    t[i + j] -= 32;
}

__global__ void shift(int *t, int n) {
  size_t i = threadIdx.x * size_t(n);
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    t[i + j + 2] = t[i + j] + 1;
}

__global__ void faster(int *t, int n) {
  size_t i = threadIdx.x * size_t(n);
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    t[i + 2 * size_t(j)] = t[i + j] + 1;
}

__global__ void scatter(const int *A, int *y, int n) {
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    y[A[i + j]] = 1;
}

__global__ void sum(const int *A, int *y, int n) {
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    y[threadIdx.x] += A[i + j];
}

__global__ void shared(const int *A, int *y, int n) {
  __shared__ int s[256];
  size_t i = threadIdx.x * size_t(n);
  for (int j = 0; j < n; ++j)
    s[A[i + j] & 255] = j;
  y[threadIdx.x] = s[threadIdx.x];
}
