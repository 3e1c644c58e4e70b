// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads in a macro's body are all at one place, and have one hint. So they bypass
// the L1 only if that is right for each of them. A macro's arguments have places
// of their own.
//
// RUN: %sluice-cc %s | FileCheck %s

#define TERM (v[j * pitch + i] * x[indices[j * pitch + i]])
#define STREAMS v[j * pitch + i] * w[j * pitch + i]
#define NEIGHBOURS v[j * pitch + i] * v[j * pitch + i + 1]
#define GATHER(V, INDICES) V[j * pitch + i] * x[INDICES[j * pitch + i]]

// CHECK-LABEL: .entry _Z8indirect
// CHECK-NOT: no_allocate
__global__ void indirect(const float *v, const int *indices, const float *x, float *y, int n, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += TERM;
  y[i] = sum;
}

// The second reads what another thread's first has read.
// CHECK-LABEL: .entry _Z10neighbours
// CHECK: ld.global.L1::no_allocate.b32
// CHECK-NOT: no_allocate
// CHECK: ld.global.b32
// CHECK-NOT: no_allocate
__global__ void neighbours(const float *v, const int *indices, const float *x, float *y, int n, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    sum += NEIGHBOURS + x[indices[j * pitch + i]];
  y[i] = sum;
}

// CHECK-LABEL: .entry _Z7streams
// CHECK-COUNT-3: ld.global.L1::no_allocate.b32
// CHECK-NOT: no_allocate
// CHECK: ld.global.b32
// CHECK-NOT: no_allocate
__global__ void streams(const float *v, const float *w, const int *indices, const float *x, float *y, int n, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    sum += STREAMS + x[indices[j * pitch + i]];
  y[i] = sum;
}

// CHECK-LABEL: .entry _Z9arguments
// CHECK-COUNT-2: ld.global.L1::no_allocate.b32
// CHECK-NOT: no_allocate
// CHECK: ld.global.b32
// CHECK-NOT: no_allocate
__global__ void arguments(const float *v, const int *indices, const float *x, float *y, int n, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    sum += GATHER(v, indices);
  y[i] = sum;
}
