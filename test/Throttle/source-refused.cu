// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sluice throttle cannot write as text: it says so in a warning, and the
// text stays as it is. The names that it declares are not in the source.
//
// RUN: %sluice-text %s -I%S/Inputs -Werror -o %t.cu 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t.cu
// RUN: grep -c '^ *// sluice:' %t.cu | FileCheck %s --check-prefix=REGIONS
// REGIONS: {{^}}1{{$}}
// RUN: %plain-cc %t.cu -I%S/Inputs -o %t.text.ptx
// RUN: %plain-cc %s -I%S/Inputs -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.text.ptx %t.plain.ptx 8inHeader:same 6inBody:same 10inArgument:same 6partly:same 6hidden:same 9differentILi8:same 9differentILi512:same 3allI:same 5taken:1

#include "source-header.h"
// CHECK-DAG: source-header.h:6:3: warning: loop of 'inHeader' not throttled: N=4 is planned, but the region at source-header.h:6:3 is in a header, and only the main file is written

#define ADD_ROWS                                                               \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                               \
  for (int j = 0; j < 512; ++j)                                                \
    y[i] += A[i * 512 + j] * B[i * 512 + j];

// CHECK-DAG: [[@LINE+2]]:3: warning: loop of 'inBody' not throttled: N=4 is planned, but the region at source-refused.cu:[[@LINE+2]]:3 is in a macro, where no text can be added
__global__ void inBody(const float *A, const float *B, float *y) {
  ADD_ROWS
}

#define TWICE(...) __VA_ARGS__ y[i] += 1;
// CHECK-DAG: warning: loop of 'inArgument' not throttled: N=4 is planned, but the region at source-refused.cu:[[@LINE+3]]:9 is in a macro
__global__ void inArgument(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  TWICE(for (int j = 0; j < 512; ++j) y[i] += A[i * 512 + j] * B[i * 512 + j];)
}

// CHECK-DAG: warning: loop of 'partly' not throttled: N=4 is planned, but the region at source-refused.cu:[[@LINE+4]]:3 has a part of an #if in it
__global__ void partly(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef BACKWARDS
  for (int j = 0; j < 512; ++j)
#else
  for (int j = 511; j >= 0; --j)
#endif
    y[i] += A[i * 512 + j] * B[i * 512 + j];
}

// CHECK-DAG: warning: loop of 'hidden' not throttled: N=4 is planned, but the region at source-refused.cu:[[@LINE+4]]:3 is where 'blockDim' is a name of the source
__global__ void hidden(const float *A, const float *B, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float blockDim = 2;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j] * blockDim;
}

// CHECK-DAG: warning: loop of 'different<512>' not throttled: N=4 is planned, but the template has one text, and its instantiations want different turns
// CHECK-DAG: remark: loop of 'different<8>' not throttled: {{.*}} fits the L1
template <int N>
__global__ void different(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * N + j] * B[i * N + j];
}

// CHECK-DAG: warning: loop of 'all<AddRows, AddRows>' ({{.*}}) not throttled: N=4 is planned, but the region at source-refused.cu:[[@LINE+11]]:4 is not plain text
struct AddRows {
  const float *A, *B;
  float *y;
  __device__ void operator()(int i) const {
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j] * B[i * 512 + j];
  }
};
template <class... F> __global__ void all(F... functions) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  (functions(i), ...);
}

// CHECK-DAG: remark: loop of 'taken' throttled, N=4
// TEXT-LABEL: {{^}}__global__ void taken(
// TEXT: // sluice: warps take turns, N=4
// TEXT: if (sluice_group3 == sluice_turn3) {
constexpr int sluice_turn2 = 1;
__global__ void taken(const float *A, const float *B, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sluice_group = 2;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j] * B[i * 512 + j] * sluice_group * sluice_turn2;
}

void run(const float *A, const float *B, float *y) {
  inHeader<<<1056, 256>>>(A, B, y);
  inBody<<<1056, 256>>>(A, B, y);
  inArgument<<<1056, 256>>>(A, B, y);
  partly<<<1056, 256>>>(A, B, y);
  hidden<<<1056, 256>>>(A, B, y);
  different<8><<<1056, 256>>>(A, B, y);
  different<512><<<1056, 256>>>(A, B, y);
  all<<<1056, 256>>>(AddRows{A, B, y}, AddRows{B, A, y + 1});
  taken<<<1056, 256>>>(A, B, y);
}
