// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of nvcc and of sluice-nvcc make one program, with device code that
// is whole and with such that is linked, whoever links.
//
// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -dc -DMAIN %s -o %t/main.o
// RUN: %nvcc -arch=sm_90 -dc %s -o %t/nvcc.o
// RUN: %sluice-nvcc -arch=sm_90 %t/main.o %t/nvcc.o -o %t/a
// RUN: %t/a | FileCheck %s
// RUN: %nvcc -arch=sm_90 %t/main.o %t/nvcc.o -o %t/b
// RUN: %t/b | FileCheck %s
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -dc %s -o %t/sluice.o
// RUN: %nvcc -arch=sm_90 -dc -DMAIN %s -o %t/nvccmain.o
// RUN: %sluice-nvcc -arch=sm_90 -lib %t/sluice.o -o %t/libdevice_part.a
// RUN: %sluice-nvcc -arch=sm_90 %t/nvccmain.o -L%t -ldevice_part -o %t/c
// RUN: %t/c | FileCheck %s
//
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -c -DMAIN -DWHOLE %s -o %t/whole.o
// RUN: %nvcc -arch=sm_90 -c -DWHOLE %s -o %t/other.o
// RUN: %nvcc -arch=sm_90 %t/whole.o %t/other.o -o %t/d
// RUN: %t/d | FileCheck %s
// RUN: %sluice-nvcc -arch=sm_90 -cudart shared -Xlinker -rpath=%cuda/lib64 %t/whole.o %t/other.o -o %t/e
// RUN: %t/e | FileCheck %s
//
// Without its device code the linker of device code complains.
// RUN: not %sluice-nvcc -arch=sm_90 %t/main.o -o %t/none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: nvlink error   : Undefined reference to '{{.*}}weight
//
// CHECK: launched
#include <cstdio>

#ifdef WHOLE
#ifdef MAIN
__device__ float weight(int I) { return I; }
#endif
#else
extern __device__ float weight(int I);
#endif

void launchOther(float *A);

#ifdef MAIN
__global__ void kernel(float *A) { A[threadIdx.x] = weight(threadIdx.x); }

int main() {
  // No GPU is needed: every launch is refused in the same way.
  kernel<<<1, 32>>>(nullptr);
  launchOther(nullptr);
  std::puts("launched");
}
#else
#ifndef WHOLE
__device__ float weight(int I) { return 2 * I; }
#endif
__global__ void other(float *A) { A[threadIdx.x] = 3; }
void launchOther(float *A) { other<<<1, 32>>>(A); }
#endif
