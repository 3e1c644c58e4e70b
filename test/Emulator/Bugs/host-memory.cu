// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void load(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  static int in[32];
  int *device, *out;
  cudaMalloc(&out, 128);
  cudaMalloc(&device, 128);
  cudaMemcpy(device, in, 128, cudaMemcpyHostToDevice);
#ifdef FIXED
  load<<<1, 32>>>(device, out);
#else
  load<<<1, 32>>>(in, out);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: read of 4 bytes of host memory
// CHECK: in kernel load
// FIXED-NOT: error:
