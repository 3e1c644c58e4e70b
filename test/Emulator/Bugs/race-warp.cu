// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void mirror(int *out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  __syncwarp();
#endif
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  mirror<<<1, 32>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: race on shared memory
// CHECK: in kernel mirror
// FIXED-NOT: error:
