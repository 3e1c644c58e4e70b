// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is there only when the file has been read.
//
// RUN: %throttle-cc -fplugin-arg-sluice-throttle=4 %s -Rpass=sluice 2>&1 | FileCheck %s
// CHECK: instantiated-at-end.cu:[[@LINE+6]]:3: remark: loop of 'rows<float>' throttled, N=4
// CHECK: .entry _Z4rowsIfEvPKT_PS0_
// CHECK: bar.sync
template <class T> __global__ void rows(const T *A, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j];
  y[i] = sum;
}

template <class T> void run(const T *A, T *y) { rows<<<512, 256>>>(A, y); }
void runAll(const float *A, float *y) { run(A, y); }
