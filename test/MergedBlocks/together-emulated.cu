// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// together.cu on the emulator: all buffers are the same, and no two threads race.
//
// RUN: %sluice emulate %s -O2 --compare --statistics 2>&1 | FileCheck %s
// RUN: for n in 2 4 8; do %sluice emulate %s -O2 --compare -fplugin-arg-sluice-merge-blocks=$n 2>&1 || exit 1; done | FileCheck %s --check-prefix=SAME
// RUN: not %sluice emulate %s -O2 --compare -fplugin-arg-sluice-test-wrong-rewrite=other-block 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK-DAG: sluice emulate: reduce (blocks merged):
// CHECK-DAG: sluice emulate: dynamic (blocks merged):
// CHECK-DAG: sluice emulate: warps (blocks merged):
// CHECK-DAG: sluice emulate: rows (blocks merged):
// CHECK: all 2 buffers are the same
// SAME-COUNT-3: buffers are the same
// WRONG: difference

#include "together.cu"

int main() {
  constexpr int N = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  static float numbers[N];
  for (int i = 0; i < N; ++i)
    numbers[i] = i * 7 % 1009;
  cudaMemcpy(in, numbers, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, N * sizeof(float));
  const auto *number = reinterpret_cast<const int *>(in);
  auto *result = reinterpret_cast<int *>(out);
  reduce<<<N / Threads, Threads>>>(in, out);
  dynamic<<<N / Threads, Threads, Threads * sizeof(float)>>>(in, out, N - 99);
  warps<<<N / Threads, Threads>>>(number, result);
  rows<<<N / Threads, Threads>>>(number, result, Threads, 7);
  return cudaDeviceSynchronize();
}
