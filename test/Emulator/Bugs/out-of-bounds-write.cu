// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void fill(int *out) {
#ifdef FIXED
  out[threadIdx.x] = 1;
#else
  out[(int)threadIdx.x - 1] = 1;
#endif
}
int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  fill<<<1, 32>>>(out);
  cudaDeviceSynchronize();
}

// CHECK: error: out-of-bounds write of 4 bytes
// CHECK: at {{.*}}.cu:8 in kernel fill
// CHECK: thread (0,0,0)
// CHECK: 4 bytes before the allocation of 128 bytes made at
// FIXED-NOT: error:
