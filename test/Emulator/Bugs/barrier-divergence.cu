// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void half(int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
#ifdef FIXED
  __syncthreads();
#else
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = 1;
    __syncthreads(); // one
  } else {
    tile[threadIdx.x] = 2;
    __syncthreads(); // two
  }
#endif
  out[threadIdx.x] = tile[threadIdx.x];
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  half<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: barrier divergence
// CHECK: at {{.*}}.cu:15 in kernel half
// CHECK: other threads wait at {{.*}}.cu:12
// FIXED-NOT: error:
