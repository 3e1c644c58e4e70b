// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void fill(float *p) { *p = 1; }

void run(float *p) { fill<<<1, 32>>>(p); }
