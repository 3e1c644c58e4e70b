// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void last(int *out) {
#ifdef FIXED
  atomicMax(out, (int)blockIdx.x);
#else
  out[0] = blockIdx.x;
#endif
}
int main() {
  int *out;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  last<<<4, 1>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: race on global memory
// CHECK: at {{.*}}.cu:8 in kernel last
// CHECK: block (1,0,0), thread (0,0,0)
// CHECK: with a write by thread (0,0,0) of block (0,0,0) at {{.*}}.cu:8, nothing orders them
// FIXED-NOT: error:
