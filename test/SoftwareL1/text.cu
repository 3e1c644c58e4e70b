// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sluice throttle: rows as text. The body stays as it is but for the rows'
// elements; what it adds up in memory becomes a parameter too. clang without
// the plugin makes 16-byte accesses of shared memory of it, as the plugin does.
//
// RUN: %row-text %s -o %t.cu 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file %t.cu --match-full-lines --strict-whitespace
// RUN: %plain-cc -I%build/include %t.cu | FileCheck %s --check-prefix=PTX
// RUN: %row-text %s -o - --sluice-software-l1=off | not grep '^#include <sluice'
// RUN: %row-text %s -o - --no-offload-arch=sm_90 --cuda-gpu-arch=sm_75 --sluice-software-l1=registers > %t.old.cu 2> %t.said
// RUN: FileCheck %s --check-prefix=OLD --input-file %t.old.cu
//
// SAID: text.cu:[[#]]:5: remark: rows of the loop of 'gesummv' kept in shared memory: each lane reads 2 rows of its own
// SAID: note: the text includes sluice/rows.h; compile it with -I{{.*}}include
//
//      CHECK:#include <sluice/rows.h>
// CHECK-NEXT:constexpr int Rows = 132 * 2048, Columns = 512;
constexpr int Rows = 132 * 2048, Columns = 512;

//      CHECK:__global__ void __launch_bounds__(1024) gesummv(const float *A, const float *B, const float *x,
// CHECK-NEXT:                        float *tmp, float *y) {
// CHECK-NEXT:  __shared__ ::sluice::Buffers<4, 2> sluice_buffers;
// CHECK-NEXT:  ::sluice::open(sluice_buffers);
// CHECK-NEXT:  int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  if (i < Rows)
// CHECK-NEXT:    { // sluice: rows in shared memory: each lane reads 2 rows of its own, 4 warps of a block have buffers of 9728 B at a time
// CHECK-NEXT:      int j = 0;
// CHECK-NEXT:      auto sluice_rows = ::sluice::rows(
// CHECK-NEXT:          ::sluice::iterations(j, Columns),
// CHECK-NEXT:          ::sluice::sum(&tmp[i]),
// CHECK-NEXT:          ::sluice::reads(&A[i * Columns + j]),
// CHECK-NEXT:          ::sluice::besideRead<1>(&x[j]),
// CHECK-NEXT:          ::sluice::sum(&y[i]),
// CHECK-NEXT:          ::sluice::reads(&B[i * Columns + j]));
// CHECK-NEXT:      ::sluice::staged(sluice_buffers, sluice_rows, [&](auto &sluice_tmp, auto &sluice_A, auto &sluice_y, auto &sluice_B) { // both   matrices
// CHECK-NEXT:      sluice_tmp+=sluice_A * x[j];
// CHECK-NEXT:      sluice_y  +=sluice_B * x[j];
// CHECK-NEXT:        ++j;
// CHECK-NEXT:      });
// CHECK-NEXT:    } // row
//      PTX: .entry _Z7gesummv
//      PTX: cp.async.ca.shared.global
//      PTX: ld.shared.v4.b32
//      PTX-NOT: .local
__global__ void gesummv(const float *A, const float *B, const float *x,
                        float *tmp, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Rows)
    for (int j = 0; j < Columns; ++j) { // both   matrices
      tmp[i]+=A[i * Columns + j] * x[j];
      y[i]  +=B[i * Columns + j] * x[j];
    } // row
}

struct Texts {
  const char *From;
  char *To;
  int Length;
};

// Two loops: two buffers. Comments and blanks stay; so does a counter that is
// read behind the loop.
//      CHECK:__global__ void __launch_bounds__(256) twice(Texts t, int *seen) {
// CHECK-NEXT:  __shared__ ::sluice::Buffers<{{[0-9]+}}, 2> sluice_buffers;
// CHECK-NEXT:  __shared__ ::sluice::Buffers<{{[0-9]+}}, 1> sluice_buffers2;
// CHECK-NEXT:  ::sluice::open(sluice_buffers, sluice_buffers2);
//      CHECK:  { // sluice: rows in shared memory: each lane reads and writes 2 rows of its own{{.*}}
// CHECK-NEXT:    k = begin;
//      CHECK:        ::sluice::iterations(k, begin + t.Length),
// CHECK-NEXT:        ::sluice::writes(&t.To[k]),
// CHECK-NEXT:        ::sluice::reads(&t.From[k]));
//      CHECK:    if (sluice_From == ' ') { k++; return; }
//  OLD-LABEL: {{^}}__global__ void __launch_bounds__(256) twice(Texts t, int *seen) {
//    OLD-NOT: {{^}}  __shared__
//        OLD: if (sluice_group == sluice_turn) {
//        OLD: { // sluice: rows in registers: each thread has a row of its own
//        OLD: ::sluice::widened(sluice_rows, [&](auto &sluice_From)
__global__ void __launch_bounds__(256) twice(Texts t, int *seen) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 1024, k, spaces = 0;
  for (k = begin; k < begin + t.Length; k++) {
    t.To[k] = t.From[k] + 1;
    if (t.From[k] == ' ') continue;
    ++spaces;
  }
  for (int k = begin; k < begin + 512; ++k) spaces += t.From[k] == '\n';
  *(seen + begin / 1024) = spaces + k;
}

void run(const float *A, const float *B, const float *x, float *tmp, float *y,
         Texts t, int *seen) {
  gesummv<<<Rows / 256, 256>>>(A, B, x, tmp, y);
  twice<<<1056, 256>>>(t, seen);
}
