// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void load(const int *in, int *out) { out[threadIdx.x] = in ? in[threadIdx.x] : 0; }
__global__ void loadAlways(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }
int main() {
  int *out;
  cudaMalloc(&out, 128);
#ifdef FIXED
  load<<<1, 32>>>(nullptr, out);
#else
  loadAlways<<<1, 32>>>(nullptr, out);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: null pointer read of 4 bytes
// CHECK: in kernel loadAlways
// FIXED-NOT: error:
