// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose live values need so many registers that few warps share the
// L1 is left alone without asking the assembler; its twin, in which fewer
// values are live, is assembled and throttled.
//
// RUN: %sluice plan %s --cuda-gpu-arch=sm_90 | FileCheck %s
// RUN: %sluicexx -O3 --cuda-gpu-arch=sm_90 --cuda-device-only -S -o /dev/null \
// RUN:   -Rpass-missed=sluice --sluice-remarks=all %s 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK: display: 'sums<96>'
// CHECK-NEXT: registers: [[REGISTERS:[0-9]+]]
// CHECK-NEXT: registers-from: live values
// CHECK-NOT: throttle: {{[248]}}
// CHECK: display: 'sums<4>'
// CHECK-NEXT: registers: {{[0-9]+}}
// CHECK-NEXT: registers-from: assembler
// CHECK: throttle: {{[248]}}
// REMARK: registers or more, by its live values

template <int Sums>
__global__ void sums(const float *A, const float *B, float *out) {
  float sum[Sums];
#pragma unroll
  for (int k = 0; k < Sums; ++k)
    sum[k] = B[k * 64 + threadIdx.x];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 64; ++j) {
    float a = A[row * 64 + j];
#pragma unroll
    for (int k = 0; k < Sums; ++k)
      sum[k] += a * sum[(k + 1) % Sums];
  }
#pragma unroll
  for (int k = 0; k < Sums; ++k)
    out[row * Sums + k] = sum[k];
}

void run(const float *A, const float *B, float *out) {
  sums<96><<<1024, 256>>>(A, B, out);
  sums<4><<<1024, 256>>>(A, B, out);
}
