// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %sluice emulate %s --check=memory,races --instruction-limit=50000000 2>&1 | FileCheck %s
// RUN: %sluice emulate %s -DFIXED --check=memory,races --instruction-limit=50000000 2>&1 | FileCheck %s --check-prefix=FIXED --allow-empty
__global__ void loop(int *out, int step) {
  int i = 0;
  while (i != 1000001)
    *(volatile int *)out = i += step;
  *out = i;
}
int main() {
  int *out;
  cudaMalloc(&out, 4);
#ifdef FIXED
  loop<<<1, 1>>>(out, 1);
#else
  loop<<<1, 1>>>(out, 0);
#endif
  cudaDeviceSynchronize();
}

// CHECK: error: instruction limit reached
// CHECK: in kernel loop
// FIXED-NOT: error:
