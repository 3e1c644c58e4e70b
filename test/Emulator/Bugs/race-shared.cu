// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void mirror(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  mirror<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: race on shared memory
// CHECK: at {{.*}}.cu:10 in kernel mirror
// CHECK: with a {{write|read}} by thread ({{[0-9]+}},0,0) of block (0,0,0) at {{.*}}.cu:{{[0-9]+}}, nothing orders them
// FIXED-NOT: error:
