// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that launch kernels: the device runtime is linked to linked device
// code.
//
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -rdc=true %s -o %t
// RUN: %t
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -dc %s -o %t.o
// RUN: llvm-readelf -p __nv_module_id %t.o | FileCheck %s
// CHECK: __nv_{{[0-9a-f]+}}
// RUN: not %sluice-nvcc -arch=sm_90 -cudadevrt none %t.o -o %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: nvlink error   : Undefined reference

__global__ void child(int *A) { A[threadIdx.x] = 1; }
__global__ void parent(int *A) { child<<<1, 32>>>(A); }
int main() { parent<<<1, 1>>>(nullptr); }
