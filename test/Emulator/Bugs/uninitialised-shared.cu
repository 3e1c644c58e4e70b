// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void mirror(int *out) {
  __shared__ int tile[64];
#ifdef FIXED
  tile[threadIdx.x] = threadIdx.x;
#else
  if (threadIdx.x < 32)
    tile[threadIdx.x] = threadIdx.x;
#endif
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
  int *out;
  cudaMalloc(&out, 256);
  mirror<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: uninitialised read of 4 bytes
// CHECK: at {{.*}}.cu:13 in kernel mirror
// CHECK: in shared memory, offset
// FIXED-NOT: error:
