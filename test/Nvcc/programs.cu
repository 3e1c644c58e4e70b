// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Real compiles: Sluice is at work without -O, and outputs are what they should
// be.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -Rpass=sluice %source/examples/gesummv.cu -o app 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: 2 streams of the loop are staged
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -rdc=true -Rpass=sluice -c %source/examples/gesummv.cu 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: llvm-readelf -S gesummv.o | FileCheck %s --check-prefix=RELOCATABLE
// RELOCATABLE: __nv_relfatbin
// RUN: %sluice-nvcc --sluice-strict -arch=sm_90 -G -c %source/examples/gesummv.cu -o debug.o
//
// RUN: %sluice-nvcc --sluice-strict -ptx %s -o fast.ptx -arch=sm_90 --use_fast_math
// RUN: FileCheck %s --check-prefix=FAST < fast.ptx
// RUN: %sluice-nvcc --sluice-strict -ptx %s -o exact.ptx -arch=sm_90
// RUN: FileCheck %s --check-prefix=EXACT < exact.ptx
// RUN: %sluice-nvcc --sluice-strict -ptx %s -o parts.ptx -arch=sm_90 -prec-div=false -fmad=false
// RUN: FileCheck %s --check-prefix=PARTS < parts.ptx
//
// RUN: %sluice-nvcc --sluice-strict -cubin %s -arch=sm_90 -res-usage 2>&1 | FileCheck %s --check-prefix=USAGE
// USAGE: ptxas info {{.*}}Used {{[0-9]+}} registers
// RUN: llvm-readelf -h programs.cubin | FileCheck %s --check-prefix=CUBIN
// CUBIN: Machine: NVIDIA CUDA architecture
// RUN: %sluice-nvcc --sluice-strict -fatbin %s -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90,code=sm_90
// RUN: ls programs.fatbin
// RUN: %sluice-nvcc --sluice-strict -E %s -arch=sm_90 | FileCheck %s --check-prefix=TEXT
// TEXT: onHost
// TEXT: onDevice
// RUN: %sluice-nvcc --sluice-strict -MM %s | FileCheck %s --check-prefix=HEADERS
// HEADERS: programs.o: {{.*}}programs.cu
// RUN: %sluice-nvcc --sluice-strict -keep -keep-dir kept -c %s -arch=sm_90 -o kept.o
// RUN: diff kept/programs.ptx exact.ptx
// RUN: ls kept.o kept/programs.sm_90.cubin
// RUN: %sluice-nvcc --sluice-strict -run %s -DMAIN -arch=sm_90 | FileCheck %s --check-prefix=RUNS

// RUNS: ran

__global__ void mathematics(float *A) {
  int I = threadIdx.x;
  // FAST: sin.approx.ftz.f32
  // EXACT-NOT: sin.approx
  A[I] = sinf(A[I]);
  // FAST: div.approx.ftz.f32
  // EXACT: div.rn.f32
  // PARTS: div.full.f32
  A[I + 32] = A[I + 64] / A[I + 96];
  // FAST: sqrt.approx.ftz.f32
  // EXACT: sqrt.rn.f32
  A[I + 128] = sqrtf(A[I + 160]);
  // FAST: fma.rn.ftz.f32
  // EXACT: fma.rn.f32
  // PARTS: mul.rn.f32
  // PARTS: add.rn.f32
  A[I + 192] = A[I + 224] * A[I + 256] + A[I + 288];
}

#ifdef __CUDA_ARCH__
static const char *Side = "onDevice";
#else
static const char *Side = "onHost";
#endif

#ifdef MAIN
#include <cstdio>
int main() { std::puts("ran"); }
#endif
