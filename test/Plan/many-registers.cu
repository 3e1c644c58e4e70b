// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A long kernel of so many registers that few warps share the L1 is left alone
// once the assembler's first level shows it; its twin of few registers is
// assembled as it will be, and throttled.
//
// RUN: %sluice plan %s --cuda-gpu-arch=sm_90 -DSUMS=96 | FileCheck %s --check-prefix=MANY
// RUN: %sluicexx -O3 --cuda-gpu-arch=sm_90 --cuda-device-only -S -o /dev/null \
// RUN:   -DSUMS=96 -Rpass-missed=sluice %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %sluice plan %s --cuda-gpu-arch=sm_90 -DSUMS=4 | FileCheck %s --check-prefix=FEW

// MANY: registers-from: assembler, at least
// MANY-NOT: throttle: {{[248]}}
// REMARK: registers or more, by the assembler)
// FEW: registers-from: assembler{{$}}
// FEW: throttle: 2

__global__ void sums(const float *A, const float *B, float *out) {
  float sum[SUMS];
#pragma unroll
  for (int k = 0; k < SUMS; ++k)
    sum[k] = B[k * 64 + threadIdx.x];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 8
  for (int j = 0; j < 64; ++j) {
    float a = A[row * 64 + j];
    out[row * SUMS + j % SUMS] = a; // so the next load waits for it
#pragma unroll
    for (int k = 0; k < SUMS; ++k)
      sum[k] += a * sum[(k + 1) % SUMS];
  }
#pragma unroll
  for (int k = 0; k < SUMS; ++k)
    out[row * SUMS + k] = sum[k];
}

void run(const float *A, const float *B, float *out) {
  sums<<<1024, 256>>>(A, B, out);
}
