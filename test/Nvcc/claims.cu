// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fewer blocks on an SM, where device code is linked: the host gets the GPU's
// code as nvcc's does. One kernel in two objects asks for them in both.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -dc -Rpass=sluice -DMAIN %s -o main.o 2> said
// RUN: FileCheck %s --check-prefix=SAID < said
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -dc %s -o other.o
// RUN: %sluice-nvcc -arch=sm_90 main.o other.o -o app
// RUN: ./app | FileCheck %s --check-prefix=RAN
// RUN: llvm-nm main.o | FileCheck %s
// CHECK: cudaFuncSetAttribute
//
// Host code need not be optimised.
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -O0 -g -DMAIN -c %s -o debug.o
// RUN: llvm-nm debug.o | FileCheck %s
// SAID: remark: thread blocks of 'sums<float>' limited to M=4 of 8
// SAID: remark: launches of 'void sums<float>{{.*}} claim
// RAN: launched
//
// clang's own objects for linked device code do not have it.
// RUN: %sluicexx -O3 --cuda-gpu-arch=sm_90 -fgpu-rdc -Rpass-missed=sluice -DMAIN -c %s -o clang.o 2>&1 | FileCheck %s --check-prefix=CLANG
// CLANG: thread blocks of 'sums<float>' not limited: with -fgpu-rdc the host compile does not get the GPU's code

template <typename T>
__global__ void __launch_bounds__(256) sums(const T *A, const T *B, T *Sums) {
  int Row = blockIdx.x * 256 + threadIdx.x;
  T Sum = 0;
  for (int Column = 0; Column < 1024; ++Column) {
    Sum += A[Row * 1024 + Column] * B[Row * 1024 + Column];
    __syncthreads();
  }
  Sums[Row] = Sum;
}

#ifdef MAIN
#include <cstdio>
void launchOther(float *A);
int main() {
  sums<<<132 * 16, 256>>>((float *)nullptr, (float *)nullptr,
                          (float *)nullptr);
  launchOther(nullptr);
  std::puts("launched");
}
#else
void launchOther(float *A) { sums<<<132 * 16, 256>>>(A, A, A); }
#endif
