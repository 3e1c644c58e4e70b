// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void load(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  int *in, *out;
  cudaMalloc(&in, 128);
  cudaMalloc(&out, 128);
  cudaMemset(in, 0, 128);
#ifndef FIXED
  cudaFree(in);
#endif
  load<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
#ifdef FIXED
  cudaFree(in);
#endif
}

// CHECK: error: use after free: read of 4 bytes
// CHECK: in kernel load
// CHECK: inside the allocation of 128 bytes made at {{.*}}.cu:7, freed at {{.*}}.cu:11
// FIXED-NOT: error:
