// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that launches one kernel with short and with long rows: all buffers
// are as without Sluice, and the launches take two kernels.
//
// RUN: %sluice emulate %s -O2 --compare --statistics 2>&1 | FileCheck %s
// RUN: %sluicexx --sluice-emulate -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: FileCheck %s --check-prefix=SUM < %t.plain.out
// RUN: %sluicexx --sluice-emulate -O2 %s --sluice-short-rows=off -o %t.off && %t.off | diff - %t.plain.out
//
// CHECK-DAG: sluice emulate: rows (short rows):
// CHECK-DAG: sluice emulate: rows:
// CHECK: buffers are the same
// SUM: 4: {{[0-9]+}}
// SUM: 300: {{[0-9]+}}

#include <cstdio>

__global__ void rows(const float *a, const float *x, float *out, int n) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int j = 0; j < n; ++j)
    s += a[me * n + j] * x[j];
  out[me] = s;
}

int main() {
  constexpr int Threads = 256, Most = 300;
  static float numbers[Threads * Most], sums[Threads];
  for (int i = 0; i < Threads * Most; ++i)
    numbers[i] = i * 7 % 13;
  float *a, *out;
  cudaMalloc(&a, sizeof numbers);
  cudaMalloc(&out, sizeof sums);
  cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  for (int n : {4, Most}) {
    rows<<<2, Threads / 2>>>(a, a, out, n);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    double all = 0;
    for (float each : sums)
      all += each;
    std::printf("%d: %.0f\n", n, all);
  }
}
