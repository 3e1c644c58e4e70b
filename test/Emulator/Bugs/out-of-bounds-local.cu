// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void pick(int *out, int at) {
  int table[8];
  for (int i = 0; i < 8; ++i)
    table[i] = i * i + threadIdx.x;
  volatile int *p = table;
  out[threadIdx.x] = p[at];
}
int main() {
  int *out;
  cudaMalloc(&out, 128);
#ifdef FIXED
  pick<<<1, 32>>>(out, 7);
#else
  pick<<<1, 32>>>(out, 100);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: out-of-bounds local read of 4 bytes
// CHECK: at {{.*}}.cu:9 in kernel pick
// FIXED-NOT: error:
